"""The demo from end to end, small: a real job, a process killed in the middle, and nothing lost, doubled or wrong."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import psutil
import pytest

from demo.stage import Quiet, small
from results.shelf import warcio_check
from scrapeyard.decisions.progress import outcomes
from scrapeyard.demo.run import run_demo
from scrapeyard.demo.scenes import SCENES
from scrapeyard.demo.scenes.ordinary import undisturbed
from scrapeyard.settings import Settings


def settings(folder):
    return Settings(data=folder)


@pytest.fixture
def county_address(monkeypatch):
    """The demo sets the variable; the next test must not see it."""
    monkeypatch.setenv("COUNTY_URL", "http://127.0.0.1:9")


async def test_a_process_is_killed_and_every_parcel_is_answered_once(tmp_path, county_address):
    stage = Quiet()
    end = await run_demo(settings(tmp_path), small(SCENES["ordinary"], 200), stage)
    assert end.complete
    assert not psutil.pid_exists(int(end.ending.figures["killed_pid"]))
    assert end.ending.figures["rerun"] > 0
    told = outcomes(end.status.tally)
    assert sum(told.values()) == 206
    assert told["absent"] >= 6
    assert (end.audit.parcels, end.audit.wrong, end.audit.twice) == (told["succeeded"], 0, 0)
    names = {Path(path).name: rows for path, rows in end.files}
    assert names["Assessment.csv"] == names["Assessment.parquet"] == told["succeeded"]
    assert names["items.csv"] == 206
    assert end.audit.sample[0]["parcel_id"] == "001-0001-001"
    assert any("206 parcel numbers" in said for said in stage.said)
    assert warcio_check(tmp_path) >= 2, "a segment for each process"
    (table,) = tmp_path.rglob("Assessment.parquet")
    columns = duckdb.execute(f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '{table}')").fetchall()
    types = dict(columns)
    assert (types["parcel_id"], types["total_value"]) == ("VARCHAR", "DECIMAL(18,2)")


async def test_the_same_seed_meets_the_same_faults(tmp_path, county_address):
    scene = small(SCENES["ordinary"], 80, script=undisturbed)
    ends = [await run_demo(settings(tmp_path / str(turn)), scene, Quiet()) for turn in (1, 2)]
    first, second = (outcomes(end.status.tally) for end in ends)
    assert first == second
    assert ends[0].status.tally.attempts == ends[1].status.tally.attempts > 82


def test_the_command_shows_outcomes_records_and_what_to_do_next(tmp_path):
    program = str(Path(sys.executable).with_name("scrapeyard"))
    env = {name: value for name, value in os.environ.items() if not name.startswith("SCRAPEYARD_")}
    ran = subprocess.run(
        [program, "demo", "--items", "40"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "succeeded" in ran.stdout
    assert "0 wrong, 0 twice" in ran.stdout
    assert "001-0001-001" in ran.stdout
    commands = [line.split() for line in ran.stdout.partition("Next:\n")[2].splitlines()]
    assert len(commands) == 3
    for words in commands:
        assert words[0].endswith("scrapeyard")
        again = subprocess.run(
            [program, *words[1:]],
            cwd=tmp_path,
            env=env | {"BROWSER": "true"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert again.returncode == 0, again.stderr


def test_the_county_ends_with_whoever_started_it():
    county = subprocess.Popen(
        [sys.executable, "-m", "scrapeyard.demo.county", "--until-eof", "--parcels", "10"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert county.stdout is not None
    assert county.stdin is not None
    assert county.stdout.readline().startswith(b"http://127.0.0.1:")
    county.stdin.close()
    assert county.wait(timeout=20) == 0
