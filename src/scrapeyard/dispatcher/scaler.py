"""Keeps as many workers as the policy wants, whatever starts them; done by the dispatcher that leads.

A fleet that shrinks tells the idlest workers to retire. They take nothing more, end what they run, and go; only then
are there fewer. What it knows is learned anew by the next leader from what there is.
"""

import asyncio
from collections.abc import Callable, Sequence

import msgspec
import structlog

from scrapeyard.decisions.scaling import Habits, Plan, load, planned
from scrapeyard.model.errors import StorageError
from scrapeyard.model.fleet import Orders, WorkerReport
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.scale import Scale

log = structlog.get_logger(__name__)

_EVERY = 1.0
_SILENCE = 5.0
"""Seconds without a new report after which a worker is not counted."""


class Lane(msgspec.Struct, frozen=True):
    """What scales the workers of one lane, and how."""

    name: str
    scale: Scale
    habits: Habits


class Scaler:
    """Scales the lanes. `leads` tells whether this process's dispatcher is the active one."""

    def __init__(self, fleet: Fleet, clock: Clock, lanes: Sequence[Lane], leads: Callable[[], bool]) -> None:
        self._fleet = fleet
        self._clock = clock
        self._lanes = lanes
        self._leads = leads
        self._plans: dict[str, Plan] = {}
        self._heard: dict[str, tuple[int, float]] = {}
        self._going: set[str] = set()
        self._stopped = asyncio.Event()
        self._hurry = asyncio.Event()

    def stop(self) -> None:
        """Scale no more; a second call ends at once what ends with us. May be called from a signal handler."""
        if self._stopped.is_set():
            self._hurry.set()
        self._stopped.set()

    async def run(self) -> None:
        """Scale until stopped."""
        try:
            while not self._stopped.is_set():
                try:
                    await self._turn()
                except StorageError as error:
                    if error.final:
                        raise
                    log.warning("cannot scale now", error=str(error))
                await self._pause()
        finally:
            await self._close()

    async def _turn(self) -> None:
        if not self._leads():
            self._plans.clear()
            return
        present = self._present(await self._fleet.roster())
        views = await self._fleet.views()
        for lane in self._lanes:
            known = self._plans.get(lane.name)
            before = known if known is not None else Plan(await lane.scale.count())
            crew = [report for report in present if report.lane == lane.name]
            habits = _measured(lane.habits, crew)
            ready = sum(not report.draining and report.refusing is None for report in crew)
            found = load(views, lane.name, ready)
            plan = self._plans[lane.name] = planned(before, found, habits, self._clock.monotonic())
            if known is not None and plan.wanted != before.wanted:
                log.info("fleet is scaled", lane=lane.name, workers=plan.wanted, before=before.wanted)
            await self._retire(crew, plan.wanted)
            leaving = [report for report in crew if report.draining or report.worker in self._going]
            await lane.scale.ask(plan.wanted, leaving)

    def _present(self, reports: Sequence[WorkerReport]) -> list[WorkerReport]:
        """Those that have reported lately; the channel keeps the last words of the dead as well."""
        now, before = self._clock.monotonic(), self._heard
        self._heard = {}
        for report in reports:
            number, since = before.get(report.worker, (report.number, now))
            self._heard[report.worker] = (report.number, since if number == report.number else now)
        self._going &= self._heard.keys()
        return [report for report in reports if now - self._heard[report.worker][1] <= _SILENCE]

    async def _retire(self, crew: Sequence[WorkerReport], wanted: int) -> None:
        """Tell those who are too many to go, the idlest first; again and again, for orders may be lost."""
        staying = [report for report in crew if not report.draining]
        chosen = [report for report in staying if report.worker in self._going]
        rest = sorted(
            (report for report in staying if report.worker not in self._going),
            key=lambda report: (report.slots - report.free, report.worker),
        )
        chosen += rest[: max(0, len(staying) - wanted - len(chosen))]
        for report in chosen:
            self._going.add(report.worker)
            await self._fleet.order(report.worker, Orders(retire=True))

    async def _pause(self) -> None:
        stopped = asyncio.create_task(self._stopped.wait())
        pause = asyncio.create_task(self._clock.sleep(_EVERY))
        await asyncio.wait({stopped, pause}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        pause.cancel()

    async def _close(self) -> None:
        hurry = asyncio.create_task(self._hurry.wait())
        closing = [asyncio.create_task(lane.scale.close()) for lane in self._lanes]
        both = asyncio.gather(*closing)
        await asyncio.wait({hurry, both}, return_when=asyncio.FIRST_COMPLETED)
        if not both.done():
            await asyncio.gather(*(lane.scale.close(now=True) for lane in self._lanes))
        await both
        hurry.cancel()


def _measured(habits: Habits, crew: Sequence[WorkerReport]) -> Habits:
    """The habits with as many slots as workers really have."""
    slots = [report.slots for report in crew if report.slots]
    return habits if not slots else msgspec.structs.replace(habits, slots=max(1, round(sum(slots) / len(slots))))
