"""People are told when something needs them: once, whoever watches, and whatever happens on the way."""

import asyncio
from typing import Any

import msgspec
import pytest

from clerk.conftest import Service
from scrapeyard.controller.clerk.alarms import Alarms
from scrapeyard.controller.clerk.messages import Messages
from scrapeyard.controller.service.alerts import LocalAlerts, rule_notes
from scrapeyard.model.alert import Concern, Rule
from scrapeyard.model.errors import NotFound, NotSent
from scrapeyard.model.event import Event, event_id
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.ports.notify import Notice


class Postbox:
    """Fulfils `scrapeyard.ports.notify.Channels`: keeps what it gets, unless it is told to refuse or to die."""

    names = frozenset({"ops", "pager"})

    def __init__(self) -> None:
        self.got: list[tuple[str, Notice]] = []
        self.trouble: BaseException | None = None
        self.after: BaseException | None = None

    async def send(self, name: str, notice: Notice) -> None:
        await asyncio.sleep(0)
        if self.trouble is not None:
            raise self.trouble
        self.got.append((name, notice))
        if self.after is not None:
            raise self.after

    async def close(self) -> None: ...

    @property
    def texts(self) -> list[str]:
        return [notice.text for _, notice in self.got]


class Watched:
    """A deployment with a rule and somebody who looks."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.ledger, self.clock = service.ledger, service.clock
        self.box = Postbox()
        self.desk = LocalAlerts(self.ledger.memos, self.box, self.clock)
        self.alarms = self.watcher()

    def watcher(self) -> Alarms:
        return Alarms(self.ledger, self.service.fleet, self.clock, every=5.0)

    def teller(self) -> Messages:
        return Messages(self.ledger.memos, self.box, self.clock, base="https://yard.example/", every=5.0)

    async def rule(self, concern: Concern, **more: Any) -> None:
        words: dict[str, Any] = {"to": ("ops",), "group": 0.0, **more}
        await self.desk.add(Rule("r", concern, **words))

    async def look(self, seconds: float = 0.0) -> None:
        """What a clerk does, every ten seconds for so long."""
        await self.alarms.look()
        await self.teller().look()
        for _ in range(int(seconds // 10)):
            await self.clock.advance(10)
            await self.alarms.look()
            await self.teller().look()


@pytest.fixture
def watched(service: Service) -> Watched:
    return Watched(service)


async def test_the_end_of_a_job_is_told_once_with_a_link(watched: Watched) -> None:
    early = await watched.service.job("A-1", name="early")
    await watched.service.finished(early)
    await watched.clock.advance(60)
    await watched.rule(Concern.DONE, to=("ops", "pager"))
    job = await watched.service.job("A-1", "A-2")
    await watched.look(100)
    assert watched.box.got == []
    await watched.service.finished(job, ("A-2", VisitState.FAILED, "blocked"))
    await watched.look(300)
    assert [name for name, _ in watched.box.got] == ["ops", "pager"]
    assert watched.box.texts[0] == (
        f"bills: it is completed: 1 of 2 items answered, 1 failed.\nhttps://yard.example/jobs/{job.id}"
    )
    told = await watched.desk.told()
    assert sorted((one.channel, one.state, one.job) for one in told) == [
        ("ops", "sent", job.id),
        ("pager", "sent", job.id),
    ]
    assert await watched.desk.told(after=told[0].id) == told[1:]
    assert await watched.desk.told(since=watched.clock.now()) == []


async def test_a_job_that_a_person_paused_needs_no_person_and_another_does(watched: Watched) -> None:
    await watched.rule(Concern.PERSON)
    job = await watched.service.job("A-1")
    await watched.service.service.jobs.pause(job.id, "lunch")
    await watched.look(100)
    assert watched.box.got == []
    await watched.service.service.jobs.resume(job.id)
    await watched.ledger.jobs.advance(
        job.id, JobState.PAUSED, (JobState.RUNNING,), now=watched.clock.now(), reason="61 items have failed."
    )
    now = watched.clock.now() + 1
    await watched.ledger.events.add([Event(event_id(now, 0.5), now, "job_paused", "The job is paused.", job.id)])
    await watched.look(100)
    assert watched.box.texts[0].startswith("bills: it is paused and waits for a person: 61 items have failed.\n")
    assert len(watched.box.got) == 1


async def test_the_last_minutes_count_not_the_hours_before(watched: Watched) -> None:
    await watched.rule(Concern.ERRORS, over=0.5, within=300.0)
    job = await watched.service.job(*(f"A-{n}" for n in range(1_000)))
    done = 0

    async def settle(count: int, state: VisitState) -> None:
        nonlocal done
        kind = "blocked" if state is VisitState.FAILED else None
        await watched.service.settle_some(job, count, state, kind)
        done += count

    await settle(800, VisitState.ABSENT)
    await watched.look(600)
    assert watched.box.got == []
    for _ in range(3):
        await settle(20, VisitState.FAILED)
        await watched.look(30)
    assert len(watched.box.got) == 1
    assert "100 % of 60 items failed within 5 min" in watched.box.texts[0] or "20 items" in watched.box.texts[0]


async def test_a_clerk_that_has_just_come_says_nothing_of_what_it_has_not_seen(watched: Watched) -> None:
    await watched.rule(Concern.ERRORS, over=0.5, within=300.0)
    job = await watched.service.job(*(f"A-{n}" for n in range(100)))
    await watched.service.settle_some(job, 50, VisitState.FAILED, "blocked")
    await watched.clock.advance(3_600)
    await watched.look(290)
    assert watched.box.got == []


async def test_a_job_in_which_nothing_ends_is_told(watched: Watched) -> None:
    await watched.rule(Concern.STALLED, within=120.0)
    job = await watched.service.job("A-1", "A-2")
    await watched.look(110)
    assert watched.box.got == []
    await watched.look(20)
    assert "nothing of it has ended for 2 min" in watched.box.texts[0]
    await watched.service.settle_some(job, 1, VisitState.ABSENT, None)
    await watched.look(110)
    assert len(watched.box.got) == 1


async def test_a_redesign_shows_against_the_job_before(watched: Watched) -> None:
    before = await watched.service.job(*(f"A-{n}" for n in range(50)), name="yesterday")
    await watched.service.finished(before)
    await watched.rule(Concern.QUALITY)
    job = await watched.service.job(*(f"A-{n}" for n in range(50)), name="today")
    await watched.look()
    await watched.service.settle_some(job, 30, VisitState.ABSENT, None)
    await watched.look(10)
    assert "100 % of 30 items were absent or unreadable, and 0 % before" in watched.box.texts[0]


async def test_a_lost_worker_is_told_once(watched: Watched) -> None:
    await watched.rule(Concern.WORKER)
    await watched.look()
    now = watched.clock.now() + 1
    lost = [Event(event_id(now, n / 4), now, "worker_lost", f"The worker w{n} is gone.") for n in range(2)]
    await watched.ledger.events.add([*lost, Event(event_id(now, 0.9), now, "job_paused", "No.")])
    await watched.look(300)
    assert watched.box.texts == ["The worker w0 is gone.\nThe worker w1 is gone."]


async def test_two_clerks_that_both_believe_they_lead_tell_it_once(watched: Watched) -> None:
    await watched.rule(Concern.DONE, to=("ops", "pager"))
    await watched.service.finished(await watched.service.job("A-1"))
    other = watched.watcher()
    await asyncio.gather(watched.alarms.look(), other.look())
    await asyncio.gather(watched.teller().look(), watched.teller().look(), watched.teller().look())
    await other.look()
    await watched.look(120)
    assert sorted(name for name, _ in watched.box.got) == ["ops", "pager"]


async def test_what_is_not_taken_is_tried_again_under_the_same_id_and_given_up_with_the_reason(
    watched: Watched,
) -> None:
    await watched.rule(Concern.DONE)
    await watched.service.finished(await watched.service.job("A-1"))
    watched.box.trouble = NotSent("The service is down.")
    await watched.look(100)
    assert await watched.desk.told() == []
    watched.box.trouble = None
    await watched.look(200)
    assert len(watched.box.got) == 1
    assert [(one.state, one.tries) for one in await watched.desk.told()] == [("sent", 4)]
    watched.box.trouble = NotSent("The address is gone.", final=True)
    await watched.service.finished(await watched.service.job("A-1", name="second"))
    await watched.look(60)
    last = (await watched.desk.told())[-1]
    assert (last.state, last.tries, last.detail) == ("failed", 1, "The address is gone.")
    assert (await watched.desk.get("r")).messages == ()


async def test_a_clerk_that_dies_while_it_sends_leaves_it_to_the_next_one_a_minute_later(watched: Watched) -> None:
    await watched.rule(Concern.DONE)
    await watched.service.finished(await watched.service.job("A-1"))
    watched.box.after = asyncio.CancelledError()
    await watched.alarms.look()
    with pytest.raises(asyncio.CancelledError):
        await watched.teller().look()
    watched.box.after = None
    await watched.look(50)
    assert len(watched.box.got) == 1
    await watched.look(20)
    assert len(watched.box.got) == 2
    assert len({notice.id for _, notice in watched.box.got}) == 1
    assert len(await watched.desk.told()) == 1


async def test_a_paused_rule_is_silent_and_does_not_make_up_for_it(watched: Watched) -> None:
    await watched.rule(Concern.WORKER)
    await watched.desk.pause("r")
    now = watched.clock.now() + 1
    await watched.ledger.events.add([Event(event_id(now, 0.1), now, "worker_lost", "Gone.")])
    await watched.look(100)
    await watched.desk.resume("r")
    await watched.look(100)
    assert watched.box.got == []
    await watched.desk.delete("r")
    assert await watched.desk.find() == []


async def test_a_test_goes_out_at_once_and_says_what_went_wrong(watched: Watched) -> None:
    await watched.rule(Concern.DONE, to=("ops", "pager"))
    assert [one.channel for one in await watched.desk.test("r")] == ["ops", "pager"]
    assert [one.trouble for one in await watched.desk.test("ops")] == [""]
    assert len(watched.box.got) == 3
    watched.box.trouble = NotSent("The service is down.")
    assert [one.trouble for one in await watched.desk.test("r")] == ["The service is down."] * 2
    with pytest.raises(NotFound, match=r"no channel 'nobody' \(ops, pager\)"):
        await watched.desk.test("nobody")
    with pytest.raises(NotFound, match="no channel"):
        await watched.desk.add(Rule("s", Concern.DONE, ("nobody",)))


async def test_what_is_kept_of_a_rule_has_room_for_a_flood(watched: Watched) -> None:
    await watched.rule(Concern.WORKER, group=30.0)
    now = watched.clock.now() + 1
    words = "The worker " + "w" * 200
    await watched.ledger.events.add([Event(event_id(now, n / 3_000), now, "worker_lost", words) for n in range(2_000)])
    await watched.look(100)
    assert len(watched.box.got) >= 1
    view = await rule_notes(watched.ledger.memos).get("r")
    assert len(msgspec.json.encode(view)) < 200_000
