"""`audit`: who did what, to what, and when."""

import time
from collections.abc import AsyncIterator
from typing import Annotated

import typer
from typer import Option

from scrapeyard.cli.command import command
from scrapeyard.cli.here import Here
from scrapeyard.cli.picking import parse_moment
from scrapeyard.cli.shapes import deed_shape
from scrapeyard.cli.wording import clock
from scrapeyard.model.audit import Deed
from scrapeyard.ports.audit import AuditDesk

PANEL = "Run as a service"
_PAGE = 500


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    command(app, PANEL, examples=["scrapeyard audit --since 2h", "scrapeyard audit --since 90d --json > audit.jsonl"])(
        audit
    )


async def audit(
    here: Here,
    since: Annotated[str, Option("--since", metavar="WHEN", help="2h (ago), 14:30, 2026-05-31.")] = "7d",
) -> None:
    """List every deed since then: what was submitted, steered, changed or refused, and by whom.

    A deed at a controller is that of a key, a deed here that of a user of this machine."""
    async with here.yard(asking=True) as yard:
        rows: list[tuple[str, ...]] = []
        now = yard.clock.now()
        async for deed in _all(yard.service.audit, parse_moment(since, time.time())):
            if here.json:
                here.give(deed_shape(deed))
            else:
                came = deed.trouble or deed.details.decode()
                rows.append((clock(deed.at, now), deed.who, deed.verb, deed.what, came[:200]))
        if not here.json:
            here.table(["at", "who", "did", "to", "with"], rows)


async def _all(desk: AuditDesk, since: float) -> AsyncIterator[Deed]:
    after = ""
    while page := await desk.find(after=after, since=since, limit=_PAGE):
        for deed in page:
            yield deed
        after = page[-1].id
