"""Sentinels from the command line to the site: they are asked there, and stand in nothing that a job gives."""

import json
from pathlib import Path

import pytest

from cli.conftest import Place
from scrapeyard.cli.failing import Misused
from scrapeyard.cli.policies import parse_sentinels
from scrapeyard.demo.county import listed

ITEMS = 60


def test_a_sentinel_is_asked_at_the_site_and_is_in_no_count_no_manifest_and_no_export(place: Place) -> None:
    *numbers, known = listed(ITEMS + 1)
    rows = place.write("good.csv", *numbers, header="parcel_id")
    before = place.county.requests.get("/detail", 0)
    ran = place.ask("run", place.scraper, rows, "--name", "kept", "--sentinels", known, "--json")
    assert ran.exit_code == 0, ran.output
    told = json.loads(ran.stdout)
    assert told["outcomes"]["succeeded"] == told["records"] == told["total"] == ITEMS
    assert place.county.requests["/detail"] - before == ITEMS + 1, "the site was asked for the sentinel"
    place.ask("export", "kept", "--format", "jsonl", "--to", str(place.folder / "out"))
    written = [path for path in (place.folder / "out").rglob("*") if path.is_file()]
    assert sum(read(path).count("parcel_id") for path in written) >= ITEMS
    assert not any(known in read(path) for path in written)
    assert place.lines("items", "kept", "--limit", "1000")
    assert not any(item["key"] == known for item in place.lines("items", "kept", "--limit", "1000"))


def read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def test_a_sentinel_that_names_no_input_is_refused_before_there_is_a_job(place: Place) -> None:
    ran = place.ask("submit", place.scraper, place.list, "--name", "odd", "--sentinels", '{"parcel": "1"}')
    assert ran.exit_code == 1
    assert "the inputs are parcel_id, note" in ran.stderr
    assert place.lines("jobs") == []


def test_sentinels_of_a_job_can_be_changed_while_it_lives(place: Place) -> None:
    assert place.ask("submit", place.scraper, place.list, "--name", "later").exit_code == 0
    shown = place.ask("policy", "later", "--sentinels", "001-0001-001,001-0001-002").stdout
    assert '{"parcel_id":"001-0001-001"}, {"parcel_id":"001-0001-002"}' in shown
    assert "001-0001-001" not in place.ask("policy", "later", "--sentinels", "none").stdout


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("none", ()),
        ("001, 002", ("001", "002")),
        ('{"a": "1", "b": "2"}', ('{"a": "1", "b": "2"}',)),
        ('["001", {"a": "1"}]', ("001", '{"a":"1"}')),
    ],
)
def test_sentinels_as_people_write_them(text: str, found: tuple[str, ...]) -> None:
    assert parse_sentinels(text) == found


def test_a_list_of_sentinels_that_is_none_is_refused_with_an_example() -> None:
    with pytest.raises(Misused, match='write "001,002"'):
        parse_sentinels("[1, 2]")
