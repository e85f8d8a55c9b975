"""Ctrl-C loses nothing: what runs may end, and the same command goes on where it stopped."""

import json
import re
import signal
import time
from collections.abc import Callable

import pytest

from cli.conftest import Place
from scrapeyard.cli.failing import Code
from scrapeyard.demo.county import Faults, listed

PATIENCE = 120.0
ITEMS = 120


def wait_for(come: Callable[[], bool], what: str) -> None:
    """Until something has come about in another process."""
    until = time.monotonic() + PATIENCE
    while not come():
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(0.02)


def visits(place: Place) -> int:
    return place.county.requests.get("/detail", 0)


@pytest.fixture
def slow(place: Place) -> Place:
    """A county that takes its time, so that there is a middle to stop in."""
    place.county.turn(Faults(latency=0.2))
    place.write("slow.csv", *listed(ITEMS), header="parcel_id")
    return place


def run(place: Place) -> tuple[str, ...]:
    return ("run", place.scraper, str(place.folder / "slow.csv"), "--name", "slow")


def test_ctrl_c_drains_and_the_same_command_goes_on_until_every_item_has_ended_exactly_once(slow: Place) -> None:
    before = visits(slow)
    process = slow.begin(*run(slow))
    wait_for(lambda: visits(slow) >= before + 20, "twenty visits")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == Code.INTERRUPTED, said
    assert "Ctrl-C again stops at once" in said
    stopped = re.search(r"Stopped at (\d+) of 120 items\. The same command goes on where it stopped\.", said)
    assert stopped is not None, said
    assert 0 < int(stopped[1]) < ITEMS
    assert "Traceback" not in said

    slow.county.turn(Faults())
    again = slow.ask(*run(slow), "--json")
    assert again.exit_code == 0, again.output
    told = json.loads(again.stdout)
    assert told["continued"] is True
    assert told["outcomes"]["succeeded"] == told["records"] == ITEMS
    lines = [json.loads(line) for line in slow.ask("manifest", "slow", "--items").stdout.splitlines()]
    assert sorted(line["key"] for line in lines) == sorted(listed(ITEMS))
    assert {line["attempts"] for line in lines} == {1}, "stopping spent nobody's attempt"


def test_a_second_ctrl_c_stops_at_once_and_still_loses_nothing(slow: Place) -> None:
    slow.county.turn(Faults(latency=30))
    before = visits(slow)
    process = slow.begin(*run(slow))
    wait_for(lambda: visits(slow) >= before + 8, "eight visits under way")
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)  # a person's own two key strokes
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == Code.INTERRUPTED, said
    assert time.monotonic() - begun < 20, "the visits would have taken 30 seconds, the grace period 25"
    assert "Stopped at 0 of 120 items" in said

    slow.county.turn(Faults())
    told = json.loads(slow.ask(*run(slow), "--json").stdout)
    assert told["outcomes"]["succeeded"] == ITEMS


def test_sigterm_drains_a_run_too(slow: Place) -> None:
    before = visits(slow)
    process = slow.begin(*run(slow), "--json")
    wait_for(lambda: visits(slow) >= before + 8, "eight visits")
    process.send_signal(signal.SIGTERM)
    told, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == Code.TERMINATED, said
    status = json.loads(told)
    assert status["state"] == "running"
    assert 0 < status["done"] < status["total"]


def test_roles_of_their_own_share_a_folder_and_end_well_when_told(place: Place) -> None:
    rows = place.write("good.csv", *listed(20), header="parcel_id")
    place.ask("submit", place.scraper, rows, "--name", "shared")
    worker = place.begin("worker", "--scrapers", place.scraper)
    dispatcher = place.begin("dispatcher")
    try:
        wait_for(lambda: place.told("status", "shared")["state"] == "completed", "the job's end")
    finally:
        for process in (worker, dispatcher):
            process.send_signal(signal.SIGTERM)
        ends = [process.communicate(timeout=PATIENCE) for process in (worker, dispatcher)]
    assert [worker.returncode, dispatcher.returncode] == [0, 0], ends
    assert place.told("status", "shared")["outcomes"]["succeeded"] == 20


def test_up_waits_for_jobs_until_ctrl_c(place: Place) -> None:
    process = place.begin("up", "--scrapers", place.scraper)
    rows = place.write("good.csv", *listed(5), header="parcel_id")
    place.ask("submit", place.scraper, rows, "--name", "later")
    wait_for(lambda: place.told("status", "later")["state"] == "completed", "the job's end")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert "Stopped; nothing is lost." in said
