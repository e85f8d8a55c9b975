"""Which job is meant, and which of its items: what several commands ask in the same words."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from scrapeyard.cli.failing import Misused
from scrapeyard.cli.here import Here
from scrapeyard.cli.picking import keys_of, parse_moment
from scrapeyard.cli.wording import plain
from scrapeyard.model.errors import NotFound
from scrapeyard.model.failures import Kind
from scrapeyard.model.item import Item, Selection
from scrapeyard.model.job import Job
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.ports.service import Service

UNFINISHED = (JobState.LOADING, JobState.RUNNING, JobState.PAUSED, JobState.FINALIZING)
_PANEL = "Which items"
_PAGE = 500

JobArgument = Annotated[
    str, Argument(metavar="JOB", help="A job's name, its id, or the start of its id.", show_default=False)
]
AnyJobArgument = Annotated[
    str | None,
    Argument(metavar="[JOB]", help="Its name, its id, or the start of its id; else the latest.", show_default=False),
]


@dataclass(frozen=True, slots=True)
class WhichItems:
    """A choice among a job's items; what is not said does not restrict."""

    states: Annotated[
        list[VisitState] | None,
        Option("--state", metavar="STATE", rich_help_panel=_PANEL, help="Such as failed or absent; may be repeated."),
    ] = None
    kinds: Annotated[
        list[str] | None,
        Option("--kind", metavar="KIND", rich_help_panel=_PANEL, help="Of failure, such as blocked; may be repeated."),
    ] = None
    keys: Annotated[
        list[str] | None, Option("--key", metavar="KEY", rich_help_panel=_PANEL, help="May be repeated.")
    ] = None
    text: Annotated[
        str, Option("--text", metavar="TEXT", rich_help_panel=_PANEL, help="Found in the key or in the reason.")
    ] = ""
    keys_in: Annotated[
        Path | None,
        Option("--keys", metavar="FILE", rich_help_panel=_PANEL, help="Keys, one a line; - is standard input."),
    ] = None
    since: Annotated[
        str | None,
        Option(
            "--since", metavar="WHEN", rich_help_panel=_PANEL, help="Ended then or later: 2h (ago), 14:30, 2026-05-31"
        ),
    ] = None
    until: Annotated[
        str | None, Option("--until", metavar="WHEN", rich_help_panel=_PANEL, help="Ended before then.")
    ] = None
    unreadable: Annotated[
        bool, Option("--unreadable", rich_help_panel=_PANEL, help="Whose pages the extractor could not read.")
    ] = False

    def selection(self) -> Selection:
        """The same for the service. A slip in a kind's name is refused: it would select nothing, silently."""
        known = [str(kind) for kind in Kind]
        for kind in self.kinds or ():
            if kind not in known:
                near = get_close_matches(kind, known, n=2, cutoff=0.4)
                hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}."
                raise Misused(f"There is no kind of failure {plain(kind, 60)!r}; {hint}")
        return Selection(
            states=frozenset(self.states or ()),
            kinds=frozenset(self.kinds or ()),
            keys=frozenset((*(self.keys or ()), *(() if self.keys_in is None else keys_of(self.keys_in)))),
            text=self.text,
            unreadable=self.unreadable,
            since=self._moment(self.since),
            until=self._moment(self.until),
        )

    def _moment(self, said: str | None) -> float | None:
        return None if said is None else parse_moment(said, time.time())


async def job_meant(here: Here, service: Service, said: str | None) -> Job:
    """The named job; without a name the newest unfinished one, else the newest, and it is said which."""
    if said is not None:
        return await service.jobs.get(said)
    found = await service.jobs.find(UNFINISHED, limit=1) or await service.jobs.find(limit=1)
    if not found:
        raise NotFound("There is no job here yet; begin with `scrapeyard run SCRAPER LIST`.")
    here.say(f"The latest job: {plain(found[0].name)!r} ({found[0].id}).")
    return found[0]


async def items_of(service: Service, job: str, selection: Selection, limit: int | None) -> AsyncIterator[Item]:
    """The selected items one by one, asked for page by page; `limit` None means all."""
    after, left = -1, limit
    while left is None or left > 0:
        page = await service.items.find(job, selection, after=after, limit=_PAGE if left is None else min(left, _PAGE))
        for item in page:
            yield item
        if not page:
            return
        after, left = page[-1].seq, None if left is None else left - len(page)
