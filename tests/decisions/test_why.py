"""Why a job goes as it goes: a table of situations, each with what a person must be told and what they can type."""

import msgspec
import pytest

from cli.statuses import START, status
from scrapeyard.decisions.remedies import remedies
from scrapeyard.decisions.why import why
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.gate import ClosedGate, GateName
from scrapeyard.model.pace import Pace
from scrapeyard.model.policy import Policy, Window
from scrapeyard.model.span import Span
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.model.why import Going, Why

AT = START + 100
FIVE = Pace(
    ended=Span(5.0, 4.0, 6.0), seconds=1.0, held=8, site_rate=10.0, site_at_once=8, site_held=8, workers=1, slots=16
)


OWN = msgspec.structs.replace(FIVE, job_at_once=6)


def gated(gate: GateName, reason: str = "So it is.", until: float | None = None, **facts: object) -> JobStatus:
    return changed(status(100, gates=(ClosedGate(gate, reason, until),), waiting=1_000, succeeded=1_000), **facts)


def changed(base: JobStatus, **facts: object) -> JobStatus:
    """The status with these fields; `policy`, `state`, `finished` and `reason` are those of its job."""
    own = {name: facts.pop(name) for name in ("policy", "finished", "reason", "state") if name in facts}
    job = msgspec.structs.replace(base.job, **own)
    return msgspec.structs.replace(base, job=job, **facts)


def commands(found: Why) -> list[str]:
    return [remedy.command for each in found.hindrances for remedy in each.remedies if remedy.command]


MOVING = status(100, waiting=992, running=8, succeeded=1_000)
FAILED = status(100, total=1_000, succeeded=900, failed={"blocked": 80, "parse_empty": 15, "dns": 3, "deadline": 2})
DONE = changed(FAILED, running=0, finished=AT - 90)

SITUATIONS: list[tuple[str, JobStatus, Going, str, str | None]] = [
    ("paused", gated(GateName.PAUSED, "Paused: lunch."), Going.STILL, "Paused: lunch.", "scrapeyard resume parcels"),
    (
        "loading",
        changed(gated(GateName.LOADING, "The list is not loaded to its end."), running=0),
        Going.STILL,
        "not loaded to its end",
        "scrapeyard submit us.demo LIST --name parcels",
    ),
    ("nobody leads", gated(GateName.NO_DISPATCHER), Going.STILL, "So it is.", "scrapeyard up"),
    (
        "no worker has the version",
        gated(GateName.NO_WORKER, "None of the 2 workers has us.demo 1 (dddddddd)."),
        Going.STILL,
        "None of the 2 workers has us.demo",
        "scrapeyard retry parcels --version latest",
    ),
    ("no worker at all", gated(GateName.NO_WORKER), Going.STILL, "So it is.", "scrapeyard worker"),
    (
        "the budget is used up",
        gated(GateName.BUDGET, policy=Policy(stop_at_usd=12.5)),
        Going.STILL,
        "So it is.",
        "scrapeyard policy parcels --stop-at-usd 25",
    ),
    (
        "the budget of bytes is used up",
        gated(GateName.BUDGET, policy=Policy(stop_at_gb=3)),
        Going.STILL,
        "So it is.",
        "scrapeyard policy parcels --stop-at-gb 6",
    ),
    ("outside the site's hours", gated(GateName.WINDOW, until=AT + 7_200), Going.STILL, "So it is.", None),
    (
        "outside the job's own hours",
        gated(GateName.WINDOW, until=AT + 7_200, policy=Policy(window=Window())),
        Going.STILL,
        "So it is.",
        "scrapeyard policy parcels --clear window",
    ),
    ("all wait for another try", gated(GateName.RETRY_WAIT, until=AT + 40, running=0), Going.STILL, "So it is.", None),
    (
        "others have their turn",
        gated(GateName.FAIR_SHARE, running=0),
        Going.STILL,
        "So it is.",
        "scrapeyard policy parcels --priority 6",
    ),
    (
        "busy workers",
        gated(GateName.CAPACITY, pace=msgspec.structs.replace(FIVE, site_rate=None, site_at_once=None)),
        Going.MOVING,
        "5.0 items a second, 3 min left. What bounds it: The worker has 16 slots, and a try takes 1 s.",
        "scrapeyard worker",
    ),
    (
        "the site's rate, which the job itself has lowered",
        gated(GateName.SITE_RATE, pace=FIVE, policy=Policy(rate=10.0)),
        Going.MOVING,
        "What bounds it: The site site allows 10 requests a second, and a try takes 1.",
        "scrapeyard policy parcels --clear rate",
    ),
    (
        "the job's own limit of items at once",
        gated(GateName.JOB_CONCURRENCY, pace=OWN, policy=Policy(concurrency=6)),
        Going.MOVING,
        "What bounds it: The job's own policy lets 6 items run at once, and a try takes 1 s.",
        "scrapeyard policy parcels --concurrency 12",
    ),
    (
        "no gate, near a limit",
        changed(MOVING, pace=msgspec.structs.replace(FIVE, ended=Span(7.0, 6.0, 8.0))),
        Going.MOVING,
        "What bounds it: The site site takes 8 items at once, and a try takes 1 s.",
        None,
    ),
    (
        "no gate, far from every limit",
        changed(MOVING, pace=msgspec.structs.replace(FIVE, ended=Span(2.0, 1.0, 3.0))),
        Going.MOVING,
        "2.0 items a second, 8 min left, and no limit of ours holds it back.",
        None,
    ),
    ("nothing comes back", changed(MOVING, pace=Pace(held=8)), Going.MOVING, "none has had its end", None),
    (
        "just begun",
        changed(status(1, waiting=2_000), running=0, pace=Pace()),
        Going.MOVING,
        "Its first items are about to start.",
        None,
    ),
    (
        "the last ones",
        changed(status(100, succeeded=1_997, running=3), running=3, pace=FIVE),
        Going.MOVING,
        "the last 3 items are under way, each for 2 min at most",
        None,
    ),
    (
        "some wait for another try",
        changed(MOVING, pace=FIVE, later=120, due=AT + 40),
        Going.MOVING,
        "120 items had a try before and wait for another; the first may start in 40 s.",
        None,
    ),
    (
        "many failures",
        changed(FAILED, running=5, pace=FIVE, tally=msgspec.structs.replace(FAILED.tally, attempts=2_000)),
        Going.MOVING,
        "An item takes 2.0 tries so far",
        "scrapeyard items parcels --kind blocked",
    ),
    ("being counted", status(100, state=JobState.FINALIZING, succeeded=2_000), Going.MOVING, "being counted", None),
    (
        "the count does not add up",
        changed(status(100, state=JobState.FINALIZING, succeeded=2_000), reason="1,999 items were counted."),
        Going.MOVING,
        "the count does not add up: 1,999 items were counted. It is counted again.",
        None,
    ),
    (
        "done, with failures",
        changed(DONE, state=JobState.COMPLETED),
        Going.ENDED,
        "It is done: all 1,000 items had their end 90 s ago: 900 succeeded, 80 failed as blocked",
        "scrapeyard retry parcels --kind blocked --dry-run",
    ),
    (
        "done, and not readable",
        changed(
            status(100, total=10, state=JobState.COMPLETED, succeeded=10),
            tally=msgspec.structs.replace(status(100, total=10, succeeded=10).tally, unreadable=4),
            finished=AT,
        ),
        Going.ENDED,
        "4 items were fetched and kept, but the extractor could not read them.",
        "scrapeyard items parcels --unreadable",
    ),
    (
        "a person has to judge",
        changed(status(100, total=10, state=JobState.COMPLETED, succeeded=9, uncertain=1), finished=AT),
        Going.ENDED,
        "1 item may or may not have been done at the site: a person has to judge.",
        "scrapeyard items parcels --state uncertain",
    ),
    (
        "cancelled",
        changed(status(100, state=JobState.CANCELLED, succeeded=500, cancelled=1_500), finished=AT, reason="enough."),
        Going.ENDED,
        "It was cancelled less than a second ago: enough. 1,500 items did not run.",
        None,
    ),
    (
        "cancelled, and still being stopped",
        changed(status(100, state=JobState.CANCELLED, running=4, cancelled=1_996), finished=AT - 3),
        Going.ENDED,
        "It was cancelled 3 s ago. 1,996 items did not run. 4 items under way are being stopped.",
        None,
    ),
]


@pytest.mark.parametrize(
    ("facts", "going", "said", "command"), [rest for _, *rest in SITUATIONS], ids=[name for name, *_ in SITUATIONS]
)
def test_the_answer_says_what_it_is_and_what_to_type(
    facts: JobStatus, going: Going, said: str, command: str | None
) -> None:
    found = why(facts)
    assert found.going is going
    words = "\n".join([found.answer, *(each.words for each in found.hindrances)])
    assert said in words
    assert command is None or command in commands(found), commands(found)


def test_every_gate_has_a_remedy_and_every_command_names_the_job_as_a_shell_wants_it() -> None:
    for gate in GateName:
        job = changed(gated(gate), policy=Policy(stop_at_usd=1.0)).job
        job = msgspec.structs.replace(job, name="tax bills")
        found = remedies(gate, job)
        assert found, gate
        for remedy in found:
            assert "tax bills" not in remedy.command or "'tax bills'" in remedy.command


def test_limits_are_compared_by_the_items_they_leave_room_for_the_tightest_first() -> None:
    tally = msgspec.structs.replace(MOVING.tally, attempts=1_000, requests=4_000)
    found = why(changed(MOVING, tally=tally, pace=FIVE)).bounds
    assert [(bound.what, round(bound.per_second, 2)) for bound in found] == [
        ("site_rate", 2.5), ("site_concurrency", 8.0), ("capacity", 16.0)
    ]  # fmt: skip
    assert "a try takes 4." in found[0].words


def test_what_other_jobs_hold_at_the_site_is_told() -> None:
    found = why(changed(MOVING, pace=msgspec.structs.replace(FIVE, site_held=30))).bounds
    assert any("other jobs hold 22 of them" in bound.words for bound in found)


def test_the_time_left_waits_for_a_gate_to_open_and_for_the_last_retry_to_be_due() -> None:
    left = why(gated(GateName.WINDOW, until=AT + 3_600, pace=FIVE)).seconds_left
    assert left is not None
    assert round(left.mid) == 200 + 3_600
    late = why(changed(MOVING, pace=FIVE, later=1, due=AT + 900)).seconds_left
    assert late is not None
    assert round(late.mid) == 900


def test_an_ended_job_has_no_bounds_no_waiting_and_no_time_left() -> None:
    found = why(changed(status(100, state=JobState.COMPLETED, succeeded=2_000), finished=AT, pace=FIVE, later=3))
    assert (found.bounds, found.later, found.seconds_left) == ((), 0, None)
    assert found.hindrances == ()


def test_the_number_of_tries_is_not_told_while_it_is_as_it_should_be() -> None:
    assert MOVING.tally.count(VisitState.SUCCEEDED) == 1_000
    tally = msgspec.structs.replace(MOVING.tally, attempts=1_050)
    assert why(changed(MOVING, tally=tally, pace=FIVE)).hindrances == ()
