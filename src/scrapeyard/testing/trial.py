"""Run one item of one scraper by itself, as a worker would, and tell everything that happened on the way."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from scrapeyard.model.capture import Kept
from scrapeyard.model.session import Session
from scrapeyard.model.states import ReadingState, VisitState
from scrapeyard.pages import Page
from scrapeyard.ports.scrapers import Answer, Errand, Visited
from scrapeyard.reading.run import Reading, read
from scrapeyard.scraping.author.card import card_of
from scrapeyard.scraping.author.declare import Scraper
from scrapeyard.scraping.http.client import Client
from scrapeyard.scraping.http.exchange import Common
from scrapeyard.scraping.http.meter import Sent, Trace
from scrapeyard.scraping.http.options import HttpOptions
from scrapeyard.scraping.line import Reveal, SharedLine, no_secrets
from scrapeyard.scraping.scrapers import HttpScraper
from scrapeyard.testing.exchanges import Exchange, Recorder, Replay
from scrapeyard.testing.watching import Look, near, watched
from scrapeyard.worker.finding import Finding, find, state_of, suspect


class Trial(msgspec.Struct, frozen=True):
    """What came of one item. `rows` are its records as (model, JSON); `near` is what stands near a failing selector."""

    key: str
    inputs: bytes
    state: VisitState
    kept: tuple[Kept, ...] = ()
    sent: tuple[Sent, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    looks: tuple[Look, ...] = ()
    rows: tuple[tuple[str, bytes], ...] = ()
    kind: str | None = None
    detail: str = ""
    reading: ReadingState = ReadingState.NONE
    near: tuple[str, ...] = ()
    error: Exception | None = None

    @property
    def good(self) -> bool:
        """Whether the visit has an answer and its pages could be read."""
        return self.state in {VisitState.SUCCEEDED, VisitState.ABSENT} and self.reading is not ReadingState.UNREADABLE


class NoWaiting:
    """Permits without limits: one item by hand is no load for a site."""

    async def request(self, site: str) -> None:
        """See Permits."""

    def answered(self, answer: Answer) -> None:
        """See Permits."""

    def paced(self, site: str, delay: float) -> None:
        """See Permits."""


class Workbench:
    """One scraper on the bench, with a client of its own: the network's, or a recorded conversation."""

    def __init__(
        self,
        scraper: Scraper[...],
        options: HttpOptions | None = None,
        *,
        replay: Sequence[Exchange] | None = None,
        digest: str = "",
        source: str = "",
        secret: Reveal = no_secrets,
    ) -> None:
        self._looks: list[Look] = []
        self._sent: list[Sent] = []
        self._line = _Line(options or standing_options(), self._sent.append, replay, secret)
        plan = None if scraper.reading is None else watched(scraper.reading, self._looks)
        self.loaded = HttpScraper(replace(scraper, reading=plan), card_of(scraper, digest, source), self._line)

    async def visit(self, row: dict[str, object]) -> Trial:
        """Visit the site for one row of inputs, and read what came. `BadInput` if the row is no input."""
        key, inputs = self.loaded.check_inputs(row)
        self._sent.clear()
        visited = await self._visited(Errand("trial", 0, key, inputs))
        visited = msgspec.structs.replace(visited, kept=tuple(_in_memory(one) for one in visited.kept))
        trial = self._judged(key, inputs, visited)
        return msgspec.structs.replace(trial, sent=tuple(self._sent), exchanges=self._line.taken())

    def read(self, row: dict[str, object], kept: Sequence[Kept]) -> Trial:
        """Read pages that were kept before."""
        key, inputs = self.loaded.check_inputs(row)
        return self._judged(key, inputs, Visited(kept=tuple(kept)))

    async def close(self) -> None:
        """Let go of connections."""
        await self.loaded.close()

    async def _visited(self, errand: Errand) -> Visited:
        """Open a session and go. The opening is no part of a recorded conversation: a password may be in it."""
        opened = Visited(session=Session("trial", notes=_Recorded() if self._line.replays else {}))
        if self.loaded.card.opens and not self._line.replays:
            opened = await self.loaded.open(msgspec.structs.replace(errand, session=opened.session), NoWaiting())
            self._line.taken()
            if opened.error is not None:
                return opened
        return await self.loaded.visit(msgspec.structs.replace(errand, session=opened.session), NoWaiting())

    def _judged(self, key: str, inputs: bytes, visited: Visited) -> Trial:
        self._looks.clear()
        reading, finding = self._reading(inputs, visited)
        error = reading.refusal or visited.error
        state = VisitState.FAILED if finding else state_of(visited.error)
        untold = "" if visited.error is None else str(visited.error)
        return Trial(
            key=key,
            inputs=inputs,
            state=state,
            kept=visited.kept,
            looks=tuple(self._looks),
            rows=reading.rows,
            kind=finding.kind.value if finding else None,
            detail=finding.detail if finding else reading.reason or untold,
            reading=reading.state,
            near=tuple(near(error, pages_of(visited.kept))) if error else (),
            error=error,
        )

    def _reading(self, inputs: bytes, visited: Visited) -> tuple[Reading, Finding | None]:
        """Judge as a worker does."""
        nothing = Reading(ReadingState.NONE)
        if visited.error is not None and state_of(visited.error) is not VisitState.SUCCEEDED:
            return nothing, None
        rules = self.loaded.card.rules
        if visited.error is not None:
            return nothing, find(visited.error, visited, rules)
        reading = read(self.loaded, inputs, visited.kept) if self.loaded.card.has_extractor else nothing
        if reading.refusal is not None:
            return reading, find(reading.refusal, visited, rules)
        return reading, None if reading.state is ReadingState.READ else suspect(visited, rules)


class _Recorded(dict[str, str]):
    """Stands for what a session's opening gave back, which is not kept."""

    def __missing__(self, name: str) -> str:
        return f"recorded {name}"


class _Line(SharedLine):
    """The connection of one bench: recorded as it goes, or played back."""

    def __init__(self, options: HttpOptions, trace: Trace, replay: Sequence[Exchange] | None, secret: Reveal) -> None:
        super().__init__(options, trace, secret)
        self._replay = replay
        self.replays = replay is not None
        self._tapped: Common | None = None
        self._recorder: Recorder | None = None

    def common(self) -> Common:
        """See SharedLine."""
        if self._tapped is None:
            common = self._untapped()
            self._recorder = Recorder(common.client)
            self._tapped = msgspec.structs.replace(common, client=self._recorder)
        return self._tapped

    def taken(self) -> tuple[Exchange, ...]:
        """What was said since the last time."""
        return self._recorder.taken() if self._recorder is not None else ()

    def _untapped(self) -> Common:
        if self._replay is None:
            return super().common()
        client: Client = Replay(self._replay)
        return msgspec.structs.replace(super().common(), client=client, doorkeeper=None)


def _in_memory(kept: Kept) -> Kept:
    """A large file as a body: one item's fit into memory, and nobody else would remove it from the disk."""
    if kept.path is None:
        return kept
    body = kept.path.read_bytes()
    kept.path.unlink()
    return msgspec.structs.replace(kept, body=body, path=None)


def pages_of(kept: Sequence[Kept]) -> list[Page]:
    """The kept pages as pages; files are left out."""
    return [Page(one.body, one.url, one.status, one.headers, name=one.name) for one in kept if one.path is None]


def standing_options() -> HttpOptions:
    """Options for tests: sites of this machine may be visited."""
    return HttpOptions(downloads=Path(tempfile.gettempdir()) / "scrapeyard-downloads", allow=("127.0.0.0/8", "::1"))
