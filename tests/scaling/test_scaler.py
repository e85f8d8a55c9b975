"""The scaler beside a real dispatcher, on a clock that is moved: it grows, lets the idle retire, and stands by."""

from collections.abc import Sequence
from typing import Any

from dispatcher.yard import Hand, Yard
from scrapeyard.backends.wrapped.around import Call, Going, wrapped
from scrapeyard.decisions.scaling import Habits
from scrapeyard.dispatcher.scaler import Lane, Scaler
from scrapeyard.model.fleet import Orders, WorkerReport
from scrapeyard.model.policy import SitePolicy
from scrapeyard.model.states import JobState


class Machines:
    """Fulfils `scrapeyard.ports.scale.Scale`: starts workers that need a while, and counts those that retire."""

    def __init__(self, yard: Yard) -> None:
        self.yard = yard
        self.asked: list[int] = []
        self.hands: list[Hand] = []
        self.retired: list[tuple[str, int]] = []
        self.closed = False

    async def count(self) -> int:
        return len(self.hands)

    async def ask(self, count: int, leaving: Sequence[WorkerReport]) -> None:
        self.asked.append(count)
        for report in leaving:
            hand = next((hand for hand in self.hands if hand.name == report.worker), None)
            if hand is not None and not hand.draining:
                self.retired.append((hand.name, len(hand.running)))
                hand.draining = True
            if hand is not None and not hand.running:
                hand.dead = True
                self.hands.remove(hand)
        staying = sum(not hand.draining for hand in self.hands)
        for _ in range(count - staying):
            self.hands.append(self.yard.worker(f"w{len(self.yard.hands)}", seconds=8.0))

    async def close(self, *, now: bool = False) -> None:
        self.closed = True


def scaler(yard: Yard, *, leads: bool = True, start: float = 2.0) -> tuple[Scaler, Machines]:
    machines = Machines(yard)
    lane = Lane("http", machines, Habits(slots=4, most=5, start=start, patience=5.0))
    return Scaler(yard.fleet, yard.clock, [lane], lambda: leads), machines


async def test_a_fleet_grows_from_none_works_a_job_off_and_is_gone_again():
    yard = Yard()
    yard.dispatcher()
    found, machines = scaler(yard)
    running = yard.begin(found.run())
    await yard.clock.advance(3)
    assert machines.asked[-1] == 0
    job = await yard.job(60)
    await yard.clock.advance(6)
    assert machines.asked[-1] == 5
    await yard.clock.advance(60)
    assert await yard.state(job) is JobState.COMPLETED
    assert machines.asked[-1] == 0
    assert machines.hands == []
    assert (await yard.tally(job)).attempts == 60
    assert (await yard.tally(job)).stale == 0
    found.stop()
    await yard.clock.advance(2)
    assert running.done()
    assert machines.closed
    await yard.close()


async def test_the_idlest_retire_first_and_whoever_runs_items_ends_them():
    yard = Yard()
    yard.dispatcher()
    found, machines = scaler(yard, start=0.5)
    yard.begin(found.run())
    job = await yard.job(23)  # the last round leaves most slots empty while some still run
    await yard.clock.advance(120)
    assert await yard.state(job) is JobState.COMPLETED
    assert len(machines.retired) == max(machines.asked)
    assert (await yard.tally(job)).attempts == 23
    await yard.close()


async def test_a_polite_site_gets_no_more_workers_than_it_can_feed():
    yard = Yard()
    yard.dispatcher()
    found, machines = scaler(yard)
    yard.begin(found.run())
    await yard.job(200, site=SitePolicy("slow.example", rate=None, concurrency=6))
    await yard.clock.advance(60)
    assert max(machines.asked) == 2
    await yard.close()


async def test_a_dispatcher_that_stands_by_scales_nothing():
    yard = Yard()
    yard.dispatcher()
    found, machines = scaler(yard, leads=False)
    yard.begin(found.run())
    await yard.job(60)
    await yard.clock.advance(20)
    assert machines.asked == []
    await yard.close()


async def test_an_order_to_retire_that_was_lost_is_given_again():
    yard = Yard()
    yard.dispatcher()
    orders: list[Orders] = []

    class Deaf(Machines):
        """Its workers do not hear."""

        async def ask(self, count: int, leaving: Sequence[WorkerReport]) -> None:
            await super().ask(count, [])

    class Listening:
        """Hears what is ordered."""

        async def around(self, call: Call, go: Going) -> Any:
            if call.name == "fleet.order":
                orders.append(call.values[1])
            return await go()

    lane = Lane("http", Deaf(yard), Habits(slots=4, most=1, start=1.0, patience=2.0))
    found = Scaler(wrapped(yard.fleet, "fleet", Listening()), yard.clock, [lane], lambda: True)
    yard.begin(found.run())
    await yard.job(4)
    await yard.clock.advance(40)
    assert sum(one.retire for one in orders) > 3
    await yard.close()
