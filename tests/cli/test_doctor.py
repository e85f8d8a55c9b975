"""The doctor names what is wrong, and how to mend it."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.conftest import Place, furnish
from cli.statuses import START, status
from scrapeyard.cli import checks
from scrapeyard.cli.checks import Verdict
from scrapeyard.demo.county import County


def by_check(findings: Sequence[Mapping[str, str]]) -> dict[str, Mapping[str, str]]:
    return {finding["check"]: finding for finding in findings}


@pytest.fixture
def sick(lived_in: Place, tmp_path: Path, county: County) -> Place:
    """A copy of the place where a job has ended, to be broken."""
    place = furnish(tmp_path, county)
    shutil.copytree(lived_in.folder / "data", tmp_path / "data")
    return place


def test_a_set_up_in_order_is_called_so(sick: Place) -> None:
    shown = sick.ask("doctor", "--scrapers", sick.scraper)
    assert shown.exit_code == 0, shown.output
    assert "Everything that is needed is in order." in shown.stdout
    found = by_check(sick.lines("doctor", "--scrapers", sick.scraper))
    wanted = {"python", "folder", "disk", "space", "files", "memory", "sqlite", "zones", "clock", "scrapers"}
    assert set(found) >= wanted | {"storage", "dispatcher", "workers", "segments", "extra tables", "extra testing"}
    assert {name: each["verdict"] for name, each in found.items() if each["verdict"] == "broken"} == {}


def test_a_broken_scraper_is_named_with_the_reason_and_hides_none_of_the_others(sick: Place) -> None:
    folder = sick.folder / "many"
    folder.mkdir()
    shutil.copy(sick.scraper, folder / "good.py")
    (folder / "bad.py").write_text("from scrapeyard import scraper\n\nthis is no Python\n")
    shown = sick.ask("doctor", "--scrapers", str(folder))
    assert shown.exit_code == 1
    assert "1 scraper in" in shown.stdout
    assert "bad.py: line 3" in shown.stdout
    assert "1 thing to mend." in shown.stdout


def test_a_torn_segment_is_found_and_mended(sick: Place) -> None:
    segment = next((sick.folder / "data" / "blobs").rglob("*.warc.gz"))
    whole = segment.read_bytes()
    segment.write_bytes(whole + whole[:100])
    found = by_check(sick.lines("doctor", "--scrapers", sick.scraper))
    assert "torn end of 100 B" in found["segment"]["said"]
    assert "--mend" in found["segment"]["mend"]
    assert "100 B of a torn end cut off" in sick.ask("doctor", "--mend", "--scrapers", sick.scraper).stdout
    assert segment.read_bytes() == whole


def test_an_unfinished_job_without_a_dispatcher_is_a_warning(sick: Place) -> None:
    sick.ask("submit", sick.scraper, sick.list, "--name", "waiting")
    found = by_check(sick.lines("doctor", "--scrapers", sick.scraper))
    assert found["dispatcher"]["verdict"] == "warning"
    assert "scrapeyard up" in found["dispatcher"]["mend"]


def test_a_ledger_that_is_no_database_is_told_without_a_traceback(sick: Place) -> None:
    (sick.folder / "data" / "ledger.db").write_bytes(b"not a database" * 1_000)
    shown = sick.ask("doctor", "--scrapers", sick.scraper)
    assert shown.exit_code == 1
    assert "ledger.db" in shown.stdout
    assert "Traceback" not in shown.output


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    finding = checks.writable(tmp_path / "file")
    assert finding.verdict is Verdict.BROKEN
    assert "--data" in finding.mend


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=5_000_000))
    assert checks.disk_space(tmp_path / "not" / "there").verdict is Verdict.BROKEN


def test_a_network_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts: list[Any] = [
        SimpleNamespace(mountpoint="/", fstype="ext4"),
        SimpleNamespace(mountpoint=str(tmp_path), fstype="nfs4"),
    ]
    monkeypatch.setattr("psutil.disk_partitions", lambda **_: mounts)
    assert checks.local_disk(tmp_path / "data").verdict is Verdict.BROKEN
    assert checks.local_disk(Path("/elsewhere")).verdict is Verdict.FINE


def test_too_few_open_files_are_a_warning_with_the_command_that_mends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (256, 4_096))
    finding = checks.files(64)
    assert finding.verdict is Verdict.WARNING
    assert "ulimit -n 4096" in finding.mend


def test_a_clock_that_was_set_back_is_told() -> None:
    newest = status().job
    assert checks.clock(START + 60, newest).verdict is Verdict.FINE
    assert checks.clock(START - 3_600, newest).verdict is Verdict.BROKEN
    assert checks.clock(0, None).verdict is Verdict.BROKEN


def test_a_missing_extra_says_what_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    finding = checks.extra("tables")
    assert finding.verdict is Verdict.WARNING
    assert "scrapeyard[tables]" in finding.mend
    assert "Parquet" in finding.mend
