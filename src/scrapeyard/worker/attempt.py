"""The life of one attempt, from lease to what the ledger will be told.

It reads like the flow itself: go to the site and read its pages in place, keep what was brought home, say what
came of it. Nothing here decides what happens next; a failure leaves with its kind, and the parent judges.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Set

import msgspec

from scrapeyard.model.capture import Capture, Kept
from scrapeyard.model.errors import StorageError
from scrapeyard.model.item import Lease
from scrapeyard.model.ladder import Price, price_of
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.secret import Redaction
from scrapeyard.model.states import ReadingState, VisitState
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.scrapers import LoadedScraper, Scrapers, Visited
from scrapeyard.ports.sessions import Sessions
from scrapeyard.reading.run import Reading
from scrapeyard.results.writer import RecordSlot, SegmentWriter
from scrapeyard.worker.finding import Finding, find, kept_words, state_of
from scrapeyard.worker.messages import Ended
from scrapeyard.worker.outing import Outing
from scrapeyard.worker.purse import Purse

_IDLE = 60.0
"""Seconds after which the segments of a job that gives nothing more are closed."""


class Bench:
    """What a child works with: scrapers, sessions, what tiers cost, and an open segment writer for each job."""

    def __init__(
        self,
        scrapers: Scrapers,
        writer: Callable[[str], SegmentWriter],
        clock: Clock,
        sessions: Sessions,
        prices: Mapping[str, Price],
        redaction: Redaction,
    ) -> None:
        self._scrapers = scrapers
        self._writer = writer
        self._writers: dict[str, SegmentWriter] = {}
        self._used: dict[str, float] = {}
        self._loaded: dict[ScraperRef, LoadedScraper] = {}
        self._prices = prices
        self.clock = clock
        self.sessions = sessions
        self.redaction = redaction

    def cost(self, tier: str, visited: Visited) -> int:
        """What a visit cost, in millionths of a dollar."""
        price = price_of(self._prices, tier)
        return price.micros(visited.requests, visited.wire_bytes) if price is not None else 0

    def scraper(self, ref: ScraperRef) -> LoadedScraper:
        """The scraper, imported at its first use."""
        loaded = self._loaded.get(ref)
        if loaded is None:
            loaded = self._loaded[ref] = self._scrapers.load(ref)
        return loaded

    def writer(self, job: str) -> SegmentWriter:
        """The job's open segments."""
        writer = self._writers.get(job)
        if writer is None:
            writer = self._writers[job] = self._writer(job)
        self._used[job] = self.clock.monotonic()
        return writer

    def clean(self, kept: Kept, finding: Finding | None) -> Kept:
        """What is kept. The last page of a failed visit may be the proxy's own or that of a login, which have seen our
        password."""
        if finding is None:
            return kept
        headers = tuple((name, self.redaction.text(value)) for name, value in kept.headers)
        return msgspec.structs.replace(kept, body=self.redaction.body(kept.body), headers=headers)

    async def sync(self) -> None:
        """Make everything kept so far durable."""
        for writer in tuple(self._writers.values()):
            await writer.sync()

    async def tidy(self, busy: Set[str]) -> None:
        """Close the segments of jobs that are not `busy` and have given nothing for a while."""
        await self.sessions.tidy()
        late = self.clock.monotonic() - _IDLE
        for job in [job for job, used in self._used.items() if used < late and job not in busy]:
            del self._used[job]
            await self._writers.pop(job).close()

    async def close(self) -> None:
        """End all segments and connections."""
        closing: list[Awaitable[None]] = [writer.close() for writer in self._writers.values()]
        closing += [loaded.close() for loaded in self._loaded.values()]
        closing.append(self.sessions.close())
        await asyncio.gather(*closing)


class Draft:
    """What one attempt came to, complete but for the place of its records, which is known after the sync."""

    __slots__ = ("_redaction", "_slot", "ended", "site")

    def __init__(self, site: str, ended: Ended, redaction: Redaction, slot: RecordSlot | None = None) -> None:
        self.site = site
        self.ended = ended
        self._redaction = redaction
        self._slot = slot

    def durable(self) -> Ended:
        """The message for the parent; only after the writer has synced."""
        if self._slot is None:
            return self.ended
        return msgspec.structs.replace(self.ended, records=self._slot.batch())

    def lost(self, error: StorageError) -> Ended:
        """The message for the parent when what was kept could not be made durable: our fault, and nobody's attempt."""
        finding = find(error)
        return msgspec.structs.replace(
            self.ended,
            state=VisitState.FAILED,
            kind=finding.kind.value,
            rule=finding.rule,
            detail=kept_words(finding.detail, self._redaction),
            captures=(),
            reading=ReadingState.NONE,
            reason=None,
        )


async def attempt(lease: Lease, bench: Bench, purse: Purse) -> Draft:
    """Visit and read, keep, tell. Raises nothing but cancellation."""
    offer = lease.offer
    clock = bench.clock
    started, begun = clock.now(), clock.monotonic()
    site = ""
    visited, reading = Visited(), Reading(ReadingState.NONE)
    captures: tuple[Capture, ...] = ()
    slot: RecordSlot | None = None
    session = ""
    finding: Finding | None
    try:
        scraper = bench.scraper(offer.scraper)
        site = scraper.card.site.name
        went = await Outing(scraper, lease, bench.sessions, purse).done()
        visited, finding, reading, session = went.visited, went.finding, went.reading, went.lent
        if not offer.sentinel:  # only its outcome is of interest
            writer = bench.writer(offer.job)
            captures = tuple([await writer.keep(bench.clean(kept, finding)) for kept in visited.kept])
            if reading.rows and finding is None:
                slot = writer.record(offer.seq, offer.key, reading.rows)
    except Exception as error:  # noqa: BLE001 - author code can raise anything when it is imported; it is told, not hidden
        finding = find(error)
    state, reason = VisitState.FAILED if finding else state_of(visited.error), reading.reason
    if state is VisitState.SKIPPED:
        reason = str(visited.error)
    ended = Ended(
        job=offer.job,
        seq=offer.seq,
        fence=lease.fence,
        state=state,
        started=started,
        ms=int((clock.monotonic() - begun) * 1000),
        kind=finding.kind.value if finding else None,
        rule=finding.rule if finding else "",
        status=visited.last_status,
        detail=kept_words(finding.detail, bench.redaction) if finding else "",
        retry_after=finding.retry_after if finding else None,
        requests=visited.requests,
        wire_bytes=visited.wire_bytes,
        body_bytes=visited.body_bytes,
        cost_micros=bench.cost(offer.tier, visited),
        steps=visited.steps,
        captures=captures,
        reading=reading.state if finding is None else ReadingState.NONE,
        reason=kept_words(reason, bench.redaction) if reason else None,
        proxy=visited.proxy,
        session=session,
    )
    return Draft(site, ended, bench.redaction, slot)
