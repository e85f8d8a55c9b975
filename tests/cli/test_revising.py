"""The policy of a live job is shown and changed; what makes no sense is refused with what to write instead."""

import pytest

from cli.conftest import Place


@pytest.fixture
def waiting(place: Place) -> Place:
    """A place where a job waits for somebody to work on it."""
    options = ("--rate", "4", "--tiers", "direct,residential", "--stop-at-usd", "5")
    loaded = place.ask("submit", place.scraper, place.list, "--name", "bills", *options)
    assert loaded.exit_code == 0, loaded.output
    return place


def policy(place: Place) -> dict[str, object]:
    return place.told("policy", "bills")["policy"]


def test_what_was_said_at_the_start_is_shown(waiting: Place) -> None:
    rows = dict(line.split("\t")[:2] for line in waiting.ask("policy", "bills").stdout.splitlines())
    assert rows["rate"] == "4"
    assert rows["tiers"] == "direct, residential"
    assert rows["stop-at-usd"] == "5"
    assert rows["deadline"] == "120 s" or rows["deadline"] == "2 min"
    assert rows["window"] == "–"


def test_a_live_job_is_changed_and_what_is_not_said_stays(waiting: Place) -> None:
    said = waiting.ask("policy", "bills", "--stop-at-usd", "20", "--priority", "8", "--window", "20:00-06:00")
    assert said.exit_code == 0
    assert "holds for whatever starts from now on" in said.stderr
    now = policy(waiting)
    assert (now["stop_at_usd"], now["priority"], now["rate"]) == (20, 8, 4)
    assert now["tiers"] == ["direct", "residential"]
    assert waiting.told("policy", "bills", "--clear", "window", "--clear", "stop-at-usd")["changed"] is True
    now = policy(waiting)
    assert (now["window"], now["stop_at_usd"], now["priority"]) == (None, None, 8)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--clear", "speed"], 2, "no 'speed' to clear; it has priority, order, rate"),
        (["--stop-at-usd", "0"], 1, "A budget of 0 dollars is not taken"),
        (["--tiers", "direct,,mobile"], 1, "'' is no name for a tier"),
        (["--tiers", "direct,direct"], 1, "the tier 'direct' stands there twice"),
        (["--rate", "-1"], 1, "give requests per second above 0"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(
    waiting: Place, words: list[str], code: int, said: str
) -> None:
    before = policy(waiting)
    refused = waiting.ask("policy", "bills", *words)
    assert refused.exit_code == code
    assert said in refused.stderr
    assert policy(waiting) == before


def test_a_finished_job_has_no_policy_to_change(lived_in: Place) -> None:
    refused = lived_in.ask("policy", "parcels", "--rate", "2")
    assert refused.exit_code == 1
    assert "what is finished has no policy to change" in refused.stderr
    assert lived_in.ask("policy", "parcels").exit_code == 0
