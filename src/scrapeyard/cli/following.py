"""Watches one job from its present state to its end, and lets a person stop the work in between without losing any.

The first Ctrl-C (or SIGTERM) drains: what runs may end, nothing new starts. The second stops at once; either way the
ledger knows what is done, so the same command goes on from there. A third is Python's own, for when all else hangs.
"""

import asyncio
import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

import msgspec
from rich.live import Live

from scrapeyard.cli.failing import Code
from scrapeyard.cli.here import Here
from scrapeyard.cli.live import History, line, view
from scrapeyard.decisions.progress import outcomes
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.fleet import RunningNote
from scrapeyard.model.gate import GateName
from scrapeyard.model.states import JobState
from scrapeyard.ports.service import Service

if TYPE_CHECKING:
    from scrapeyard.wiring import Work

LOOK_EVERY = 0.25
LINE_EVERY = 5.0
ENDED = frozenset({JobState.COMPLETED, JobState.CANCELLED})
_USABLE = frozenset({"succeeded", "absent"})
_OURS = frozenset({GateName.NO_DISPATCHER})


class Stopping:
    """What a person's wish to stop has come to: not at all, drain, at once."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._times = 0
        self.code: Code | None = None

    @contextmanager
    def listening(self) -> Generator[Self]:
        """Obey Ctrl-C and SIGTERM for as long as the block lasts."""
        loop = asyncio.get_running_loop()
        codes = {signal.SIGINT: Code.INTERRUPTED, signal.SIGTERM: Code.TERMINATED}
        before = {number: signal.getsignal(number) for number in codes}
        for number, code in codes.items():
            loop.add_signal_handler(number, self._heard, code)
        try:
            yield self
        finally:
            for number, handler in before.items():
                loop.remove_signal_handler(number)
                signal.signal(number, handler)  # a shell's background job, for one, ignores Ctrl-C

    @property
    def remark(self) -> str:
        """What to tell about it meanwhile."""
        if self._times == 0:
            return ""
        if self._times == 1:
            return "Stopping: what runs may end. Ctrl-C again stops at once."
        return "Stopping at once."

    def _heard(self, code: Code) -> None:
        self._times += 1
        self.code = self.code or code
        self._stop()
        if self._times > 1:
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().remove_signal_handler(number)


class Screen:
    """Where progress is shown: redrawn in place on a terminal, else a line now and then; beside the results."""

    def __init__(self, here: Here) -> None:
        self._here = here
        self._live = Live(console=here.err, auto_refresh=False, transient=True) if here.err.is_terminal else None
        self._next = 0.0
        self._said = ""
        self._line = ""

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def draw(self, history: History, running: Sequence[RunningNote], remark: str, *, last: bool = False) -> None:
        """Show how it stands now."""
        if self._live is not None:
            self._live.update(view(history, running, remark), refresh=True)
            return
        now = asyncio.get_running_loop().time()
        if remark and remark != self._said:
            self._said = remark
            self._here.say(remark)
        if now >= self._next or last:
            self._next = now + LINE_EVERY
            said = line(history)
            if said != self._line:
                self._line = said
                self._here.say(said)


class Followed(NamedTuple):
    """How the job stands at the end of the watch, and for how many seconds there was work."""

    status: JobStatus
    seconds: float | None


async def follow(
    here: Here,
    service: Service,
    job: str,
    *,
    work: "Work | None" = None,
    remark: Callable[[], str] = str,
) -> Followed:
    """Show the job, with a remark, until it has ended or the work in this process has; gives how it stands then."""
    history = History()
    ending = None if work is None else asyncio.create_task(work.ended())
    with Screen(here) as screen:
        while True:
            over = ending is not None and ending.done()
            status = await service.jobs.status(job)
            if work is not None:
                status = hosted(status)
            history.add(status)
            over = over or status.job.state in ENDED
            screen.draw(history, await _running(service, status), remark(), last=over)
            if over:
                break
            await _pause(ending)
    if work is not None and ending is not None:
        if not ending.done():
            work.stop()
        await ending
    return Followed(status, history.seconds)


def hosted(status: JobStatus) -> JobStatus:
    """The same, seen from a process that has dispatcher and worker itself: it need not be told to start them."""
    gates = tuple(gate for gate in status.gates if gate.gate not in _OURS)
    return msgspec.structs.replace(status, gates=gates)


def code_of_end(status: JobStatus) -> Code:
    """The exit code that says how a job ended."""
    if status.job.state is JobState.CANCELLED:
        return Code.CANCELLED
    trouble = set(outcomes(status.tally)) - _USABLE
    return Code.FAILED_ITEMS if trouble or status.tally.unreadable else Code.FINE


async def _running(service: Service, status: JobStatus) -> list[RunningNote]:
    reports = await service.jobs.workers()
    return [note for report in reports for note in report.running if note.job == status.job.id]


async def _pause(ending: "asyncio.Task[None] | None") -> None:
    if ending is None:
        await asyncio.sleep(LOOK_EVERY)
    else:
        await asyncio.wait({ending}, timeout=LOOK_EVERY)
