"""The county as a process: prints its address, serves until it is told to stop."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from scrapeyard.demo.county.faults import Fault, FaultsRefused, from_flags, pairs, profile
from scrapeyard.demo.county.numbers import write_list
from scrapeyard.demo.county.server import serve
from scrapeyard.demo.county.site import PASSWORD, CountyOptions
from scrapeyard.demo.county.visitors import Origin

VARIABLE = "COUNTY_PROXY_PASSWORD"
"""The variable in which the password of the proxies is handed over: arguments can be read by everybody."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m scrapeyard.demo.county", description="A make-believe county site.")
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("--parcels", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--faults", default="calm", help="calm or mild")
    example = f"one of {', '.join(Fault)}"
    parser.add_argument("--fault", action="append", default=[], metavar="NAME=RATE", help=f"per visit; {example}")
    parser.add_argument("--sticky", action="append", default=[], metavar="NAME=RATE", help="per parcel, on every visit")
    parser.add_argument(
        "--after", action="append", default=[], metavar="NAME=VISITS", help="begin after so many visits"
    )
    parser.add_argument("--slow-seconds", type=float, help="how slow `slow` is")
    parser.add_argument("--latency", type=float, help="seconds that every answer about a parcel takes")
    parser.add_argument("--retry-after", type=int, help="what `throttled` asks for, in seconds")
    parser.add_argument(
        "--wall", action="append", default=[], metavar="FROM=SHARE",
        help=f"walls before visitors from there; one of {', '.join(Origin)}",
    )  # fmt: skip
    parser.add_argument("--limit", type=float, help="requests a second, above which it answers 429")
    parser.add_argument("--datacenter", type=int, default=0, help="how many datacenter proxies it brings")
    parser.add_argument("--residential", type=int, default=0, help="how many gateways to residential lines it brings")
    parser.add_argument("--session-requests", type=int, default=40, help="after which a Hazel session is over")
    parser.add_argument("--session-seconds", type=float, default=1_200.0, help="after which a Hazel session is over")
    parser.add_argument("--write-list", type=Path, metavar="CSV", help="write the parcel numbers to a file first")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input does, as with its parent")
    parser.add_argument("--ghosts", type=int, default=0, help="numbers in that file which do not exist")
    return parser


def options_from(arguments: Sequence[str]) -> tuple[CountyOptions, argparse.Namespace]:
    """The county these flags describe, and the flags."""
    given = _parser().parse_args(arguments)
    faults = from_flags(profile(given.faults), given.fault, given.sticky, given.after)
    settings = {
        "slow_seconds": given.slow_seconds,
        "latency": given.latency,
        "retry_after": given.retry_after,
        "walls": pairs("--wall", given.wall) or None,
        "limit": given.limit,
    }
    options = CountyOptions(
        seed=given.seed,
        parcels=given.parcels,
        faults=faults.changed({name: value for name, value in settings.items() if value is not None}),
        port=given.port,
        session_requests=given.session_requests,
        session_seconds=given.session_seconds,
        datacenter=given.datacenter,
        residential=given.residential,
        password=os.environ.get(VARIABLE, PASSWORD),
    )
    return options, given


async def _run(options: CountyOptions, *, until_eof: bool = False) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    if until_eof:
        await loop.connect_read_pipe(lambda: _Ending(stop), sys.stdin)
    async with serve(options) as county:
        sys.stdout.write(county.base_url + "\n")
        sys.stdout.flush()
        await stop.wait()


class _Ending(asyncio.Protocol):
    """Sets an event when a stream ends."""

    def __init__(self, stop: asyncio.Event) -> None:
        self._stop = stop

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's own signature
        self._stop.set()


def _loop() -> asyncio.AbstractEventLoop:
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    import uvloop  # noqa: PLC0415 - not there on Windows

    return uvloop.new_event_loop()


def main(arguments: Sequence[str]) -> int:
    """Serve; 2 for flags that make no sense, 1 if the port is taken."""
    try:
        options, given = options_from(arguments)
    except (FaultsRefused, ValueError) as refused:
        sys.stderr.write(f"{refused}\n")
        return 2
    if given.write_list is not None:
        write_list(given.write_list, options.parcels, given.ghosts, options.seed)
    try:
        with asyncio.Runner(loop_factory=_loop) as runner:
            runner.run(_run(options, until_eof=given.until_eof))
    except OSError as error:
        sys.stderr.write(f"Cannot listen on port {options.port}: {error.strerror or error}. Take another --port.\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
