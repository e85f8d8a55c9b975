"""When an alarm is raised, when it ends, when it is told."""

from typing import Any

import msgspec
import pytest

from scrapeyard.decisions.alerts import (
    CALM,
    MOST_PENDING,
    Finding,
    JobFacts,
    Lately,
    checked,
    found,
    gathered,
    heeded,
    meant,
    put_off,
    sendable,
)
from scrapeyard.model.alert import CONCERN_MEANING, Alarm, Concern, Message, Rule, RuleView
from scrapeyard.model.breaker import Phase
from scrapeyard.model.errors import BadInput
from scrapeyard.model.gate import ClosedGate, GateName, JobView, WayView
from scrapeyard.model.job import Job, Tally
from scrapeyard.model.policy import Policy, Window
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.testing.scenes import a_job

NOW = 1_750_000_000.0


def rule(concern: Concern, **more: Any) -> Rule:
    return Rule("r", concern, ("ops", "pager"), **more)


def job(**more: Any) -> Job:
    return msgspec.structs.replace(a_job(), **({"state": JobState.RUNNING, "total": 100} | more))


def tally(**more: int) -> Tally:
    return Tally(states={VisitState(name): count for name, count in more.items()})


def closed(gate: GateName) -> JobView:
    return JobView("j", NOW, (ClosedGate(gate, "It is so."),))


def way(phase: Phase) -> JobView:
    return JobView("j", NOW, ways=(WayView("direct", phase, why="40 of 50 were blocked"),))


CASES: list[tuple[Concern, dict[str, Any], bool]] = [
    (Concern.BREAKER, {"view": way(Phase.OPEN)}, True),
    (Concern.BREAKER, {"view": way(Phase.PROBING)}, True),
    (Concern.BREAKER, {"view": way(Phase.RAMP)}, False),
    (Concern.BREAKER, {}, False),
    (Concern.PERSON, {"job": job(state=JobState.PAUSED)}, True),
    (Concern.PERSON, {"job": job(state=JobState.PAUSED), "by_hand": True}, False),
    (Concern.PERSON, {"tally": tally(uncertain=1)}, True),
    (Concern.ERRORS, {"lately": Lately(100, 21)}, True),
    (Concern.ERRORS, {"lately": Lately(100, 20)}, False),
    (Concern.ERRORS, {"lately": Lately(19, 19)}, False),
    (Concern.ERRORS, {}, False),
    (Concern.STALLED, {"still": 600.0}, True),
    (Concern.STALLED, {"still": 599.0}, False),
    (Concern.STALLED, {"still": 9e9, "view": closed(GateName.WINDOW)}, False),
    (Concern.STALLED, {"still": 9e9, "view": closed(GateName.NO_WORKER)}, True),
    (Concern.STALLED, {"still": 9e9, "job": job(state=JobState.PAUSED)}, False),
    (Concern.BACKLOG, {"tally": tally(waiting=100_001)}, True),
    (Concern.BACKLOG, {"tally": tally(waiting=100_000)}, False),
    (Concern.BUDGET, {"job": job(policy=Policy(stop_at_usd=10)), "tally": Tally(cost_micros=8_100_000)}, True),
    (Concern.BUDGET, {"job": job(policy=Policy(stop_at_usd=10)), "tally": Tally(cost_micros=8_000_000)}, False),
    (Concern.BUDGET, {"job": job(policy=Policy(stop_at_gb=1)), "tally": Tally(wire_bytes=900_000_000)}, True),
    (Concern.BUDGET, {"tally": Tally(cost_micros=8_100_000)}, False),
    (Concern.DONE, {"job": job(state=JobState.COMPLETED)}, True),
    (Concern.DONE, {"job": job(state=JobState.CANCELLED)}, True),
    (Concern.DONE, {"job": job(state=JobState.FINALIZING)}, False),
    (Concern.QUALITY, {"lately": Lately(100, 0, 40), "usual": 0.1}, True),
    (Concern.QUALITY, {"lately": Lately(100, 0, 40), "usual": 0.3}, False),
    (Concern.QUALITY, {"lately": Lately(100, 0, 100)}, False),
]


@pytest.mark.parametrize(("concern", "facts", "bad"), CASES)
def test_what_each_concern_finds(concern: Concern, facts: dict[str, Any], bad: bool) -> None:
    known: dict[str, Any] = {"job": job(), "tally": Tally(), **facts}
    finding = found(rule(concern), JobFacts(**known), NOW)
    assert finding.bad is bad
    assert not (finding.bad and finding.calm)
    assert not bad or (finding.alarm.words.startswith("parcels: ") and len(finding.alarm.words) > 20)


def test_every_concern_is_explained_and_tried_here() -> None:
    assert set(CONCERN_MEANING) == set(Concern)
    assert {concern for concern, _, _ in CASES} == set(Concern) - {Concern.WORKER}


def seen(view: RuleView, part: float, now: float) -> RuleView:
    lately = Lately(1_000, round(part * 1_000))
    return heeded(view, [found(view.rule, JobFacts(job(), Tally(), lately=lately), now)], now)


def test_a_figure_that_dances_around_its_limit_rings_once() -> None:
    view = RuleView(rule(Concern.ERRORS, over=0.5), NOW)
    for step in range(200):
        view = seen(view, 0.52 if step % 2 else 0.44, NOW + step * 10)
    assert len(view.pending) == 1


def test_it_rings_again_after_it_was_calm_for_a_while() -> None:
    view = seen(RuleView(rule(Concern.ERRORS, over=0.5), NOW), 0.6, NOW)
    view = seen(view, 0.1, NOW + 10)
    view = seen(view, 0.6, NOW + 20)
    assert len(view.pending) == 1
    view = seen(view, 0.1, NOW + 30)
    view = seen(view, 0.1, NOW + 30 + CALM)
    assert view.raised == {}
    assert len(seen(view, 0.6, NOW + 200).pending) == 2


def test_the_end_of_a_job_is_told_once_and_once_more_after_a_redrive() -> None:
    view = RuleView(rule(Concern.DONE), NOW)
    for epoch in (0, 0, 0, 1, 1):
        over = JobFacts(job(state=JobState.COMPLETED, epoch=epoch), Tally())
        view = heeded(view, [found(view.rule, over, NOW)], NOW)
    assert len(view.pending) == 2


def test_a_flood_of_alarms_stays_small() -> None:
    flood = [Finding(Alarm(str(n), NOW, "!"), bad=True, calm=False) for n in range(5_000)]
    view = heeded(RuleView(rule(Concern.WORKER), NOW), flood, NOW)
    assert len(view.pending) == MOST_PENDING
    assert len(msgspec.json.encode(view)) < 200_000


def test_alarms_of_half_a_minute_go_out_as_one_message_for_each_channel() -> None:
    view = RuleView(rule(Concern.WORKER), NOW)
    for step in range(3):
        lost = Finding(Alarm(f"w{step}", NOW + step * 10, "lost"), bad=True, calm=False)
        view = gathered(heeded(view, [lost], NOW + step * 10), NOW + step * 10)
        assert view.messages == ()
    view = gathered(view, NOW + 30)
    assert [(message.channel, len(message.alarms)) for message in view.messages] == [("ops", 3), ("pager", 3)]
    assert len({message.id for message in view.messages}) == 2
    assert view.pending == ()
    assert gathered(view, NOW + 60) == view


def test_what_happens_in_quiet_hours_is_told_after_them() -> None:
    night = Window("UTC", tuple(range(7)), "22:00", "07:00")
    midnight = NOW - NOW % 86_400
    view = RuleView(rule(Concern.WORKER, quiet=night), NOW)
    view = heeded(view, [Finding(Alarm("w", midnight, "lost"), bad=True, calm=False)], midnight)
    assert gathered(view, midnight + 6.9 * 3600).messages == ()
    assert len(gathered(view, midnight + 7.1 * 3600).messages) == 2


def test_a_message_is_tried_for_hours_and_then_given_up() -> None:
    message, now = Message("m", "r", "ops", (Alarm("w", NOW, "lost"),)), NOW
    waits: list[float] = []
    while True:
        tried = msgspec.structs.replace(message, tries=message.tries + 1, begun=now)
        assert not sendable(tried, now + 59)
        assert sendable(tried, now + 60)
        later = put_off(tried, now, final=False)
        if later is None:
            break
        assert not sendable(later, later.due - 1)
        waits.append(later.due - now)
        message, now = later, later.due
    assert waits == [30, 60, 120, 240, 480, 960, 1920]
    assert put_off(tried, now, final=True) is None


def test_whose_jobs_a_rule_watches() -> None:
    nightly = job(name="nightly-20260101")
    for text, expected in (("", True), (nightly.id, True), ("nightly-*", True), ("nightly", False), ("*", True)):
        assert meant(rule(Concern.DONE, job=text), nightly) is expected


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"to": ()}, "whom to tell"),
        ({"over": 0.0}, "limit"),
        ({"within": 1e9}, "span"),
        ({"group": -1.0}, "as one"),
        ({"quiet": Window("Mars")}, "time zone"),
        ({"job": "x" * 201}, "too long"),
    ],
)
def test_what_cannot_work_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        checked(msgspec.structs.replace(rule(Concern.DONE), **changes))
