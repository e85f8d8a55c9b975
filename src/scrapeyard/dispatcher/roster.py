"""The workers as they report: what they can run, how much room they have, how fast they are.

A worker that has not reported for a few seconds is not given up (only the ledger decides that), but it is not
counted on either. What it holds stays out of the room that the others have, else one dead worker's items would
keep the living ones waiting until it is buried.
"""

import math
from collections.abc import Callable, Iterable

import msgspec

from scrapeyard.decisions.gates import CrewFacts
from scrapeyard.dispatcher.tempo import Tempo
from scrapeyard.model.fleet import WorkerReport
from scrapeyard.model.job import Job

_FORGET = 12
"""A worker is forgotten after so many times the silence in which it stops to count."""


class Known(msgspec.Struct):
    """One worker. `catalogue` None means that it runs any version, or has not said yet. `pace` was its last tempo."""

    report: WorkerReport
    heard: float
    catalogue: frozenset[str] | None
    tempo: Tempo
    pace: float = 0.0
    present: bool = True

    @property
    def accepts(self) -> bool:
        """Whether it takes offers now."""
        return self.present and not self.report.draining and self.report.refusing is None


class Crew(msgspec.Struct, frozen=True):
    """The workers that suit a job, as a pool of room that is shared by all jobs which the same workers suit."""

    name: str
    facts: CrewFacts
    allowance: int


class Roster:
    """All workers that reported lately."""

    def __init__(self, *, window: float, silence: float) -> None:
        self._window = window
        self._silence = silence
        self._known: dict[str, Known] = {}
        self._listened = -math.inf

    def listen(self, now: float) -> None:
        """Reports were asked for. Silence is measured up to here: where storage is slow, a tick takes long, and then
        it is the dispatcher who has not listened."""
        self._listened = now

    def hear(self, report: WorkerReport, now: float) -> None:
        """A report has come."""
        known = self._known.get(report.worker)
        if known is None:
            self._known[report.worker] = Known(report, now, report.catalogue, Tempo())
            known = self._known[report.worker]
        known.report, known.heard, known.present = report, now, True
        if report.catalogue is not None:
            known.catalogue = report.catalogue
        known.tempo.add(len(report.outcomes), now)
        known.pace = known.tempo.rate(now)

    def drop(self, worker: str) -> None:
        """This one was buried."""
        self._known.pop(worker, None)

    def forget(self) -> None:
        """Drop those who have been silent for long."""
        limit = self._listened - self._silence * _FORGET
        self._known = {name: known for name, known in self._known.items() if known.heard > limit}

    def present(self) -> list[Known]:
        """Those who reported lately."""
        return [known for known in self._everybody() if known.present]

    def running(self, job: str) -> set[int]:
        """Items of a job that workers said they run; only some of them, if there are many."""
        return {note.seq for known in self._known.values() for note in known.report.running if note.job == job}

    def crews(self, now: float) -> Callable[[Job], Crew]:
        """A function that tells the crew of a job, for this moment."""
        everybody = self._everybody()
        found: dict[tuple[str, str], Crew] = {}
        allowances = {known.report.worker: self._allowance(known, now) for known in everybody}
        present = sum(known.present for known in everybody)

        def crew(job: Job) -> Crew:
            key = (job.lane, job.scraper.digest)
            if key not in found:
                suited = [known for known in everybody if _suits(known, job)]
                room = sum(allowances[known.report.worker] for known in suited)
                name = "crew " + " ".join(sorted(known.report.worker for known in suited))
                found[key] = Crew(name, _facts(suited, present), room)
            return found[key]

        return crew

    def taking(self, lane: str, digest: str) -> list[str]:
        """The workers that take items of this version now."""
        return sorted(
            known.report.worker
            for known in self._everybody()
            if known.accepts and known.report.lane == lane and (known.catalogue is None or digest in known.catalogue)
        )

    def allowance(self, now: float) -> int:
        """How many items may be under way over all workers: their slots, and the window's worth of work ahead."""
        return sum(self._allowance(known, now) for known in self._everybody())

    def _everybody(self) -> list[Known]:
        for known in self._known.values():
            known.present = self._listened - known.heard <= self._silence
        return list(self._known.values())

    def _allowance(self, known: Known, now: float) -> int:
        """Of one that takes nothing: what it may still hold, which is no room for others."""
        report = known.report
        if not known.accepts:
            busy = max(0, report.slots - report.free)
            return busy + round(known.pace) if busy else 0
        return report.slots + max(1, round(known.tempo.rate(now) * self._window))


def _suits(known: Known, job: Job) -> bool:
    lane = known.report.lane == job.lane
    return lane and (known.catalogue is None or job.scraper.digest in known.catalogue)


def _facts(suited: Iterable[Known], others: int) -> CrewFacts:
    taking = [known.report for known in suited if known.accepts]
    refusing = [known.report for known in suited if known.present and not known.accepts]
    silent = None
    if refusing and not taking:
        reasons = {report.refusing or "it is draining" for report in refusing}
        silent = "; ".join(sorted(reasons))
    return CrewFacts(len(taking), sum(report.slots for report in taking), others, silent)
