"""Pipes, help, completion and start: what surrounds every command."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from cli.conftest import SCRAPEYARD, Place
from scrapeyard.cli.failing import CODE_MEANING
from scrapeyard.cli.main import app
from scrapeyard.demo.county import listed

RUNNER = CliRunner()
COMMANDS = sorted(
    command.callback.__name__ if command.name is None and command.callback else str(command.name)
    for command in app.registered_commands
)


def shell(line: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["/bin/bash", "-c", line], capture_output=True, text=True, cwd=folder, check=False)


def test_a_reader_that_goes_away_causes_no_traceback(place: Place) -> None:
    rows = place.write("many.csv", *listed(400), header="parcel_id")
    place.ask("submit", place.scraper, rows, "--name", "many")
    data = place.folder / "data"
    for words in ("items many", "items many --json", "jobs", "status many --json"):
        done = shell(f"{SCRAPEYARD} {words} --data {data} | head -1; echo ${{PIPESTATUS[0]}}", place.folder)
        first, code = done.stdout.splitlines()
        assert first
        assert code in {"0", "141"}
        assert done.stderr == ""


def test_a_pipe_gets_whole_lines_and_no_remarks(lived_in: Place) -> None:
    done = shell(f"{SCRAPEYARD} items --data data --state failed | cat", lived_in.folder)
    (row,) = done.stdout.splitlines()
    assert row.split("\t")[1:3] == ["failed", "invalid_input"]
    assert "The latest job" in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_explains_itself_with_examples(name: str) -> None:
    shown = RUNNER.invoke(app, [name, "--help"], env={"COLUMNS": "160"})
    assert shown.exit_code == 0
    assert f"scrapeyard {name}" in shown.stdout.partition("Examples")[2]
    for option in ("--data", "--json", "--debug"):
        assert option in shown.stdout


def test_the_issue_s_commands_are_there() -> None:
    work = "run submit up worker dispatcher demo doctor"
    look = "jobs status items item pause resume cancel retry export pages manifest"
    assert set(f"{work} {look}".split()) <= set(COMMANDS)


def test_help_lists_the_commands_in_groups_and_the_exit_codes() -> None:
    shown = RUNNER.invoke(app, ["--help"], env={"COLUMNS": "160"}).stdout
    for name in (*COMMANDS, "scraper"):
        assert f" {name} " in shown
    for code, meaning in CODE_MEANING.items():
        assert f"{code.value}  {meaning}" in shown


def test_the_version_is_told() -> None:
    assert RUNNER.invoke(app, ["--version"]).stdout.startswith("scrapeyard 0.")


def test_options_of_every_command_may_stand_before_its_name(lived_in: Place) -> None:
    data = str(lived_in.folder / "data")
    before = RUNNER.invoke(app, ["--data", data, "--json", "status", "parcels"])
    assert json.loads(before.stdout)["name"] == "parcels"


def test_a_slip_in_a_command_offers_near_ones() -> None:
    refused = RUNNER.invoke(app, ["statsu"], env={"COLUMNS": "160"})
    assert refused.exit_code == 2
    assert "'status'" in refused.stderr


def test_completion_answers_in_a_shell(tmp_path: Path) -> None:
    shown = subprocess.run(
        ["bash", "-c", f"{SCRAPEYARD} --show-completion; true"], capture_output=True, text=True, check=False
    )  # the shell is the one that it is asked from
    script = shown.stdout
    assert "COMP_WORDS" in script or "_SCRAPEYARD_COMPLETE" in script
    asked = {"_SCRAPEYARD_COMPLETE": "complete_bash", "COMP_WORDS": "scrapeyard st", "COMP_CWORD": "1", "PATH": "/bin"}
    done = subprocess.run([SCRAPEYARD], env=asked, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stdout.split() == ["status"]


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["--version"], ["frobnicate"]])
def test_what_needs_no_scraping_loads_none_of_it(words: list[str]) -> None:
    heavy = ["aiohttp", "wreq", "turbohtml", "selectolax", "pyarrow", "scrapeyard.scraping.http", "scrapeyard.wiring"]
    code = (
        "import sys\nfrom scrapeyard.cli.main import main\n"
        f"sys.argv = ['scrapeyard', *{words!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"found = [name for name in {heavy!r} if name in sys.modules]\n"
        "sys.exit(repr(found) if found else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_unforeseen_error_is_one_sentence_and_with_debug_a_trace(
    lived_in: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("scrapeyard.cli.shapes.status_shape", broken)
    told = lived_in.ask("status", "parcels", "--json")
    assert told.exit_code == 70
    assert "Traceback" not in told.output
    assert "--debug" in json.loads(told.stderr)["error"]
    assert "ZeroDivisionError" in lived_in.ask("status", "parcels", "--json", "--debug").stderr


def test_the_door_also_translates_what_other_groups_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys, typer\nfrom scrapeyard.cli import main\n"
        "@main.app.command()\ndef bad() -> None:\n    raise ZeroDivisionError('division by zero')\n"
        "sys.argv = ['scrapeyard', 'bad']\nmain.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 70
    assert "Traceback" not in done.stderr
    assert isinstance(app, typer.Typer)


def test_a_late_group_is_loaded_when_it_is_used_and_answers_like_any_other() -> None:
    shown = RUNNER.invoke(app, ["scraper", "--help"], env={"COLUMNS": "160"})
    assert shown.exit_code == 0
    for name in ("list", "new", "try", "record-case", "test"):
        assert f" {name} " in shown.stdout
    assert "--install-completion" not in shown.stdout
    refused = RUNNER.invoke(app, ["scraper", "lst"], env={"COLUMNS": "160"})
    assert refused.exit_code == 2
    assert "'list'" in refused.stderr
