"""What follows when a breaker turns: offers are called back, it is written down, and where probing was in vain too
often, or too much has failed for good, the job is paused for a person, with the reason.
"""

import shlex

import structlog

from scrapeyard.decisions.evidence import words
from scrapeyard.decisions.gates import lasting
from scrapeyard.dispatcher.board import Board
from scrapeyard.dispatcher.breakers import Breakers, way_words
from scrapeyard.dispatcher.chronicle import Chronicle
from scrapeyard.dispatcher.live import LiveJob
from scrapeyard.dispatcher.options import Outside
from scrapeyard.dispatcher.scopes import Shift
from scrapeyard.dispatcher.ways import Turn
from scrapeyard.model.breaker import Phase
from scrapeyard.model.evidence import Evidence
from scrapeyard.model.fleet import Orders
from scrapeyard.model.job import JobId
from scrapeyard.model.policy import OnTrip
from scrapeyard.model.states import JobState, VisitState

log = structlog.get_logger(__name__)


class Verdicts:
    """Acts on what the breakers found."""

    def __init__(self, outside: Outside, board: Board, breakers: Breakers, chronicle: Chronicle) -> None:
        self._outside = outside
        self._board = board
        self._breakers = breakers
        self._chronicle = chronicle
        self._stopped: set[str] = set()

    async def act(self) -> None:
        """Let time pass for all breakers, and do what follows."""
        turns = self._breakers.tick(self._board.jobs.values())
        for turn in turns:
            await self._turned(turn)
        if turns:
            await self._breakers.keep(self._board.jobs, {JobId(turn.job) for turn in turns})
        scopes = self._breakers.scopes
        while scopes.shifts:
            await self._shifted(scopes.shifts.pop(0))
        for live in list(self._board.jobs.values()):
            reason = self._breakers.hopeless(live)
            if reason is not None:
                await self._give_up(live, f"{_upper(reason)}; look at `scrapeyard events {_name(live)}`")
            elif (excess := _excess(live)) is not None:
                await self._give_up(live, excess)
        await self._chronicle.write()

    async def stop_the_sick(self) -> None:
        """Workers that fail where their peers do not are told to end, and named."""
        for job, worker in self._breakers.sick():
            live = self._board.jobs.get(job)
            if live is None:
                continue
            said = f"The worker {worker} fails at {live.job.site.name} where the others do not, so it is told to end."
            await self._stop(worker, said, job=job, site=live.job.site.name)
        blamed = self._breakers.scopes.blamed
        while blamed:
            worker = blamed.pop()
            await self._stop(
                worker, f"The worker {worker} cannot keep what it brings home, and the others can: it is told to end."
            )

    async def _stop(self, worker: str, said: str, *, job: str = "", site: str = "") -> None:
        if worker in self._stopped:
            return
        self._stopped.add(worker)
        await self._outside.fleet.order(worker, Orders(drain=True))
        self._chronicle.note("worker_stopped", said, job=job, site=site, found={"worker": worker})

    async def _shifted(self, shift: Shift) -> None:
        """A breaker that many share has turned."""
        for live in list(self._board.jobs.values()):
            if live.job.state is not JobState.RUNNING or shift.site not in ("", live.limits.site):
                continue
            self._chronicle.note(shift.name, shift.words, job=live.job.id, site=shift.site)
            if shift.closed:
                await self._call_back(live)

    async def _call_back(self, live: LiveJob) -> None:
        back = await self._outside.ledger.offers.withdraw(live.job.id, now=self._outside.clock.now())
        live.afoot.withdrawn(back)
        await self._board.count(live, self._outside.clock.monotonic())

    async def _turned(self, turn: Turn) -> None:
        live = self._board.jobs.get(JobId(turn.job))
        if live is None:
            return
        name, told = _words(live, turn, self._outside.clock.now())
        if name:
            self._chronicle.note(name, told, job=turn.job, site=live.job.site.name, found=turn.found)
        if turn.after.phase in (Phase.OPEN, Phase.SUSPECT):
            await self._call_back(live)

    async def _give_up(self, live: LiveJob, reason: str) -> None:
        job, clock = live.job, self._outside.clock
        to = JobState.CANCELLED if job.policy.breaker.on_trip is OnTrip.FAIL else JobState.PAUSED
        moved = await self._outside.ledger.jobs.advance(job.id, to, (JobState.RUNNING,), now=clock.now(), reason=reason)
        if moved is None:
            return
        self._board.follow(moved)
        verb = "paused for a person" if to is JobState.PAUSED else "cancelled"
        self._chronicle.note(f"job_{to}", f"The job is {verb}: {reason}.", job=job.id, site=job.site.name)


def _words(live: LiveJob, turn: Turn, now: float) -> tuple[str, str]:
    """The name of the event and what is told of it."""
    way, after = _upper(way_words(live, turn.way)), turn.after
    if turn.found is not None and after.phase is Phase.OPEN:
        wait = lasting(max(0.0, (after.until or now) - now))
        return "breaker_tripped", f"{way} is closed: {_why(turn.found)}. Probes try it in {wait}."
    match after.phase:
        case Phase.PROBING:
            return "breaker_probing", f"{way} is tried with {live.job.policy.breaker.probes} probes."
        case Phase.RAMP if turn.before.phase is Phase.PROBING:
            return "breaker_recovered", f"{way} works again: the probes went well, so it is opened step by step."
        case Phase.RAMP:
            why = _why(turn.found) if turn.found is not None else "too much failed"
            return "breaker_slowed", f"{way} is slowed down: {why}."
        case Phase.CLOSED if turn.before.phase is Phase.RAMP:
            return "breaker_closed", f"{way} has its usual room again."
        case _:
            return "", ""


def _why(found: Evidence) -> str:
    return f"{words(found)}; {found.forecast} if it goes on" if found.failed else words(found)


def _excess(live: LiveJob) -> str | None:
    """Why the job should stop for its owner's limit of failed items."""
    most = live.job.policy.breaker.max_failed
    if most is None or live.tally is None or live.job.state is not JobState.RUNNING:
        return None
    failed = live.tally.count(VisitState.FAILED)
    if failed <= most:
        return None
    more = f"`scrapeyard policy {_name(live)} --max-failed {max(2 * most, 2 * failed)}` would allow more"
    return f"{failed:,} items have failed, and its owner allows {most:,}; {more}"


def _name(live: LiveJob) -> str:
    return shlex.quote(live.job.name)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
