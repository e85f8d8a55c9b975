"""A process of its own that visits hostile addresses; a line of JSON for each: the kind, the seconds, the peak memory.

Run as `python hostile_child.py CLIENT FOLDER NAME=URL…`.
"""

import asyncio
import json
import resource
import sys
import time
from pathlib import Path

from scrapeyard import Http, VisitError
from scraping.visiting import HOSTILE_LIMITS, HOSTILE_TIMEOUTS, bench


def peak_mib() -> float:
    """The most memory that this process ever had."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


async def main(client: str, folder: Path, cases: list[str]) -> None:
    async with bench(folder, client=client, timeouts=HOSTILE_TIMEOUTS, limits=HOSTILE_LIMITS) as made:
        for case in cases:
            name, _, url = case.partition("=")
            begun = time.monotonic()

            async def flow(http: Http, visit: object, name: str = name, url: str = url) -> object:
                if name.startswith("file"):
                    return await http.download(url, expect="application/pdf")
                page = await http.get(url)
                if not name.startswith("unread"):
                    page.says("anything")
                return page

            visited = await made.visit(flow)
            error = visited.error
            kind = error.failure.value if isinstance(error, VisitError) else repr(error) if error else None
            told = {"name": name, "kind": kind, "seconds": time.monotonic() - begun, "peak": peak_mib()}
            print(json.dumps(told), flush=True)
            del visited, error


asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
