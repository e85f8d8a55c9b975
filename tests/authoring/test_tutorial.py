"""The tutorial is run as it stands: its files are written, its commands typed, and what they print is compared."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"
ADDRESS = "127.0.0.1:8100"
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Step(NamedTuple):
    """A command with the lines that the page shows of its output, or a file with its text."""

    what: str
    shown: list[str]
    is_file: bool = False


def steps(text):
    found = []
    for kind, file, body in BLOCK.findall(text):
        if file:
            found.append(Step(file, [body], is_file=True))
        elif kind == "console":
            for line in body.splitlines():
                if line.startswith("$ "):
                    found.append(Step(line[2:], []))
                elif line.strip():
                    found[-1].shown.append(line)
    return found


STEPS = steps(TUTORIAL.read_text())


@pytest.fixture(scope="module")
def county():
    """A county on a free port, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "scrapeyard.demo.county", "--until-eof"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    yield process.stdout.readline().decode().strip().removeprefix("http://")
    process.stdin.close()
    process.wait(timeout=20)


@pytest.fixture(scope="module")
def followed(county, tmp_path_factory):
    """Everything that the tutorial's reader would see, step by step."""
    folder = tmp_path_factory.mktemp("tutorial")
    env = {name: value for name, value in os.environ.items() if not name.startswith(("SCRAPEYARD_", "COUNTY_"))}
    env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
    printed = []
    for step in STEPS:
        what = step.what.replace(ADDRESS, county)
        if step.is_file:
            (folder / what).write_text(step.shown[0].replace(ADDRESS, county))
            printed.append("")
            continue
        ran = subprocess.run(
            ["bash", "-c", what], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        printed.append(ran.stdout.decode().replace(county, ADDRESS))
    return printed


def loosely(text):
    """Figures of time, size and count may differ, and so may the spaces of a layout."""
    text = re.sub(r"\b\d[\d.,]* ?(ms|s|min|kB|MB|B)\b", "#", text)
    return " ".join(text.split())


def test_every_shown_line_is_printed(followed):
    for step, printed in zip(STEPS, followed, strict=True):
        if step.is_file:
            continue
        lines = [loosely(line) for line in printed.splitlines()]
        for line in step.shown:
            beginning, cut, _ = loosely(line).partition("…")
            if cut:
                assert any(one.startswith(beginning.rstrip()) for one in lines), (
                    f"$ {step.what}\n{line}\n---\n{printed}"
                )
            else:
                assert beginning in lines, f"$ {step.what}\n{line}\n---\n{printed}"


def test_the_tutorial_goes_the_whole_way(followed):
    words = " ".join(step.what for step in STEPS)
    for command in (
        "scraper new",
        "scraper try",
        "scraper shell",
        "scraper record-case",
        "scraper test",
        "run",
        "export",
    ):
        assert f"scrapeyard {command} " in f"{words} "


def test_the_author_writes_less_than_40_lines():
    [file] = [step for step in STEPS if step.is_file and step.what.endswith(".py")]
    assert len(file.shown[0].splitlines()) < 40
