"""Commands cannot tell whether the service is here or at a controller: what they print is the same."""

import asyncio
import json
import re
import threading

import pytest
from typer.testing import CliRunner

from api.conftest import served
from scrapeyard.cli.main import app

pytest_plugins = ["api.conftest"]


@pytest.fixture
def both(settings, tmp_path):
    """One command, asked of a controller and of the same folder directly."""
    ready, done, base = threading.Event(), threading.Event(), []

    async def serve():
        async with served(settings) as site:
            base.append(site.call.base)
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(20)

    def ask(*words, far):
        place = ["--server", base[0]] if far else ["--data", str(settings.data)]
        return CliRunner().invoke(app, [*words, *place, "--scrapers", settings.scrapers[0]], env={"COLUMNS": "200"})

    yield ask
    done.set()
    thread.join(20)


def timeless(text):
    return re.sub(r'"at":"[^"]*"', "", text)


def test_a_list_is_submitted_from_afar_and_looks_the_same_from_both_sides(both, tmp_path):
    parcels = tmp_path / "parcels.csv"
    parcels.write_text("parcel_id\n" + "".join(f"P-{number:05}\n" for number in range(7_000)))
    submitted = both("submit", "test.parcel", str(parcels), "--name", "bills", far=True)
    assert submitted.exit_code == 0, submitted.output
    for words in (
        ["jobs", "--json"],
        ["items", "bills", "--limit", "20", "--json"],
        ["items", "bills", "--text", "P-0001", "--json"],
        ["item", "bills", "P-00042", "--json"],
        ["retry", "bills", "--dry-run", "--json"],
        ["pause", "bills", "--reason", "lunch", "--json"],
        ["resume", "bills", "--json"],
        ["items", "nobody"],
        ["item", "bills", "P-9"],
    ):
        near, far = both(*words, far=False), both(*words, far=True)
        assert (near.exit_code, timeless(near.stdout)) == (far.exit_code, timeless(far.stdout)), words
        assert near.stderr == far.stderr, words
    assert json.loads(both("status", "bills", "--json", far=True).stdout)["loaded"] == 7_000


def test_a_schedule_is_made_and_steered_from_either_side(both, tmp_path):
    parcels = tmp_path / "parcels.csv"
    parcels.write_text("parcel_id\nP-1\n")
    when = ["--cron", "30 2 * * *", "--timezone", "America/Chicago"]
    for side, far in (("near", False), ("far", True)):
        made = both(
            "schedules", "add", side, "test.parcel", *when, "--list", str(parcels), "--fresh", "7d", "--json", far=far
        )
        assert made.exit_code == 0, made.output
    again = both("schedules", "add", "again", "test.parcel", *when, "--items-of", "near", "--state", "failed", far=True)
    assert again.exit_code == 0, again.output
    for words in (
        ["schedules", "list", "--json"],
        ["schedules", "list"],
        ["schedules", "show", "again", "--json"],
        ["schedules", "pause", "near", "--json"],
        ["schedules", "resume", "near", "--json"],
        ["schedules", "show", "nobody"],
        ["schedules", "add", "bad", "test.parcel", "--cron", "soon", "--list", str(parcels)],
        ["schedules", "add", "bad", "test.parcel", *when],
    ):
        near, far = both(*words, far=False), both(*words, far=True)
        assert (near.exit_code, near.stdout, near.stderr) == (far.exit_code, far.stdout, far.stderr), words
    assert both("schedules", "delete", "near", far=True).exit_code == 0
    left = both("schedules", "list", "--json", far=False).stdout.splitlines()
    assert [json.loads(line)["name"] for line in left] == ["again", "far"]


def test_rules_of_alerts_are_the_same_from_both_sides(both, monkeypatch):
    for words, code in (
        (["alerts", "list", "--json"], 0),
        (["alerts", "log", "--json"], 0),
        (["alerts", "add", "trips", "--when", "breaker", "--to", "nobody"], 1),
        (["alerts", "add", "trips", "--when", "breaker"], 2),
        (["alerts", "test", "nobody"], 1),
        (["alerts", "pause", "nothing"], 1),
        (["prune", "--dry-run", "--json"], 0),
    ):
        near, far = both(*words, far=False), both(*words, far=True)
        assert (near.exit_code, near.stdout, near.stderr) == (far.exit_code, far.stdout, far.stderr), words
        assert near.exit_code == code, near.output


def test_who_did_what_is_the_same_from_both_sides(both):
    for far in (False, True):
        assert both("schedules", "pause", "nothing", far=far).exit_code == 1
    near, far = both("audit", "--json", far=False), both("audit", "--json", far=True)
    assert near.stdout == far.stdout
    deeds = [json.loads(line) for line in near.stdout.splitlines()]
    assert [(one["verb"], one["what"]) for one in deeds] == [("schedules.pause", "nothing")] * 2
    assert "@" in deeds[0]["who"]
    assert deeds[1]["who"] == "this machine"
    assert "no schedule 'nothing'" in both("audit", far=True).stdout


def test_what_wants_storage_here_says_so(both):
    said = both("up", far=True)
    assert said.exit_code == 1
    assert "not from afar" in said.stderr
