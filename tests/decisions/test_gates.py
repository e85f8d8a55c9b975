"""What is said of a closed gate: a sentence that a person can act on."""

import msgspec
import pytest

from scrapeyard.decisions.gates import (
    CrewFacts,
    JobFacts,
    SiteFacts,
    hours,
    lasting,
    passing,
    room,
    site_room,
    standing,
)
from scrapeyard.decisions.pacing import empty
from scrapeyard.decisions.strictest import Limits
from scrapeyard.decisions.window import Opening
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.policy import Policy, SitePolicy, Window
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import JobState

NOW = 1_750_000_000.0
JOB = Job(
    JobId("j"), "j", ScraperRef("us.bill", "1", "abcdef0123"), SitePolicy("s"), Policy(), NOW, 0, state=JobState.RUNNING
)  # fmt: skip
CREW = CrewFacts(workers=2, slots=32, others=2)
OPEN = Opening(open=True)


def facts(**fields: object) -> JobFacts:
    known: dict[str, object] = {"job": JOB, "limits": Limits("s"), "opening": OPEN, "crew": CREW, "waiting": 10}
    return JobFacts(**(known | fields))  # type: ignore[arg-type]  # a test's shorthand


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "less than a second"), (1, "1 s"), (7.2, "8 s"), (119, "119 s"), (120, "2 min"), (3599, "60 min"),
        (3600, "1 h"), (3 * 3600 + 60, "3 h"), (2 * 86_400, "2 days"),
    ],
)  # fmt: skip
def test_a_length_of_time_is_said_as_a_person_says_it(seconds: float, said: str) -> None:
    assert lasting(seconds) == said


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ((0, 1, 2, 3, 4, 5, 6), "from 20:00 to 06:00 UTC"),
        ((0, 1, 2, 3, 4), "Mon–Fri from 20:00 to 06:00 UTC"),
        ((5, 6), "Sat, Sun from 20:00 to 06:00 UTC"),
        ((6, 0, 2), "Mon, Wed, Sun from 20:00 to 06:00 UTC"),
    ],
)
def test_a_window_is_said_with_its_days(days: tuple[int, ...], said: str) -> None:
    assert hours(Window(days=days, start="20:00", end="06:00")) == said


def test_a_window_that_never_opens_says_what_to_do() -> None:
    gate = standing(facts(opening=Opening(open=False, closed=Window(days=()))), NOW)
    assert gate is not None
    assert gate.reason.endswith("it never opens: give it at least one day.")


def test_while_all_gates_are_open_none_is_named() -> None:
    assert standing(facts(), NOW) is None
    assert room(facts(), NOW) == 10
    assert site_room(SiteFacts("s")) > 1_000_000


def test_a_finalizing_job_has_no_closed_gate() -> None:
    job = msgspec.structs.replace(JOB, state=JobState.FINALIZING)
    assert standing(facts(job=job, waiting=0, crew=CrewFacts()), NOW) is None


def test_a_job_with_nothing_left_to_start_misses_no_worker() -> None:
    assert standing(facts(waiting=0, held=3, crew=CrewFacts()), NOW) is None


def test_the_more_lasting_reason_is_told_first() -> None:
    paused = msgspec.structs.replace(JOB, state=JobState.PAUSED)
    gate = standing(facts(job=paused, opening=Opening(open=False), crew=CrewFacts()), NOW)
    assert gate is not None
    assert gate.gate == "paused"


@pytest.mark.parametrize(
    ("job", "site", "left", "gate", "reason"),
    [
        (
            {"limits": Limits("s", concurrency=1), "held": 1}, SiteFacts("s"), 5, "job_concurrency",
            "The job may run one item at once, and that one is under way.",
        ),
        (
            {}, SiteFacts("s", held=8, concurrency=8), 5, "site_concurrency",
            "The site s takes 8 items at once, and 8 are under way.",
        ),
        (
            {"starts": empty(0.5, 0.0)}, SiteFacts("s"), 5, "site_rate",
            "The job may start one item in 2 s; the next is free in 2 s.",
        ),
        (
            {}, SiteFacts("s", starts=empty(2.5, 0.0)), 5, "site_rate",
            "The site s allows 2.5 requests a second; the next is free in less than a second.",
        ),
        (
            {}, SiteFacts("s", starts=empty(2.0, 0.0).filled(9.0), thirsty=True), 5, "site_rate",
            "The site s allows 2 requests a second, and running items wait for theirs.",
        ),
        ({}, SiteFacts("s"), 0, "capacity", "All 32 slots of 2 workers are busy."),
        ({}, SiteFacts("s"), 5, "fair_share", "Other jobs of higher or equal priority have their turn."),
    ],
)  # fmt: skip
def test_every_passing_gate_names_its_figure(
    job: dict[str, object], site: SiteFacts, left: int, gate: str, reason: str
) -> None:
    closed = passing(facts(**job), site, left, NOW)
    assert (closed.gate, closed.reason) == (gate, reason)
