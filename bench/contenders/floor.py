"""The hand-written floor: 64 tasks, the same client and parser as ours, a JSON line a page; nothing survives a crash."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

import orjson
import turbohtml
import uvloop
import wreq

from bench.contenders.stopwatch import Stopwatch
from bench.target import AMOUNTS, FIELDS, PAGES


async def main(base: str, pages: int, out: Path) -> None:
    client = wreq.Client(connect_timeout=timedelta(seconds=10))
    places = iter(range(pages))
    watch = Stopwatch()
    with (out / "rows.jsonl").open("wb") as rows:

        async def work() -> None:
            for place in places:
                response = await client.get(f"{base}/parcel/{place % PAGES}.html?n={place}")
                tree = turbohtml.parse(bytes(await response.bytes()))
                row: dict[str, object] = {}
                for field in FIELDS:
                    found = tree.select_one(f"#{field}")
                    row[field] = found.text if found is not None else None
                row["amounts"] = [cell.text for cell in tree.select(AMOUNTS)]
                if not row["owner"]:
                    raise SystemExit(f"page {place} is not what was served")
                rows.write(orjson.dumps(row) + b"\n")

        await asyncio.gather(*(work() for _ in range(64)))
    watch.stop(pages)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])))
