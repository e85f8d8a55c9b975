"""The same job runs four ways, by the commands and the settings that the guide shows, and the results are the same."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import SCRAPER
from cli.conftest import county as county  # noqa: PLC0414 - a fixture
from scrapeyard.demo.county import County, listed

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "addresses.md").read_text()
PART = GUIDE.partition("## The same job, four ways")[2].partition("\n## ")[0]
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PART, re.DOTALL | re.MULTILINE)
(COMMANDS,) = (body for language, body in BLOCKS if not language)
WAYS = [body for language, body in BLOCKS if language == "toml"]
NAMES = ("laptop", "postgresql", "redis", "aws")


def placed(settings: str, places: dict[str, str]) -> str:
    """The settings of the guide, with servers of this test for those that it makes up."""
    for line in re.findall(r'^\w+ = "(\w+://[^"]*)"$', settings, re.MULTILINE):
        settings = settings.replace(line, places[line.partition("://")[0]])
    assert "example" not in settings
    return settings


def rows(folder: Path) -> list[dict[str, str]]:
    """The records, as far as they are the same whenever and wherever they are made."""
    for table in folder.rglob("*.csv"):
        with table.open(newline="") as lines:
            records = csv.DictReader(lines)
            if "note" in (records.fieldnames or ()):  # the other table is of the items
                found = [{name: one[name] for name in ("parcel_id", "note")} for one in records]
                return sorted(found, key=lambda one: one["parcel_id"])
    raise AssertionError(f"no records in {list(folder.rglob('*'))}")


def test_four_ways_are_shown_in_about_four_lines_each():
    assert len(WAYS) == len(NAMES)
    assert all(len([line for line in way.splitlines() if line]) <= 4 for way in WAYS)


@pytest.fixture
def places(tmp_path, postgres, redis, dynamodb, sqs, s3) -> dict[str, str]:
    return {
        "postgresql": postgres.fresh(), "redis": redis.fresh(), "dynamodb": dynamodb.fresh(), "s3": s3.fresh(),
        "sqs": f"{sqs.fresh()}&host=127.0.0.1", "file": f"file://{tmp_path}/shared",
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_job_runs_and_its_results_are_the_same(name, tmp_path, county: County, places):
    (tmp_path / "scrapeyard.toml").write_text(placed(WAYS[NAMES.index(name)], places))
    (tmp_path / "assessment.py").write_text(SCRAPER.replace("BASE", county.base_url))
    numbers = sorted(listed(12))
    (tmp_path / "parcels.csv").write_text("\n".join(["parcel_id,note", *(f"{one},of {one}" for one in numbers)]) + "\n")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for line in COMMANDS.splitlines():
        done = subprocess.run(
            line.split(), cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert rows(tmp_path / "out") == [{"parcel_id": one, "note": f"of {one}"} for one in numbers]
    assert (tmp_path / "yard" / "ledger.db").exists() == (name == "laptop")
