"""Choosing what runs again: by time, by keys in a file, with an estimate, with another version of the scraper."""

import datetime
from pathlib import Path

import pytest

from cli.conftest import Place
from scrapeyard.cli.failing import Misused
from scrapeyard.cli.picking import keys_of, parse_moment

NOW = datetime.datetime(2026, 5, 31, 12, 0, tzinfo=None).astimezone()


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("2h", NOW - datetime.timedelta(hours=2)),
        ("1.5 d", NOW - datetime.timedelta(hours=36)),
        ("90s", NOW - datetime.timedelta(seconds=90)),
        ("11:30", NOW - datetime.timedelta(minutes=30)),
        ("13:00", NOW - datetime.timedelta(hours=23)),
        ("2026-05-30", datetime.datetime(2026, 5, 30).astimezone()),
        ("2026-05-30 14:30", datetime.datetime(2026, 5, 30, 14, 30).astimezone()),
        ("2026-05-30T14:30:00+00:00", datetime.datetime(2026, 5, 30, 14, 30, tzinfo=datetime.UTC)),
    ],
)
def test_a_time_is_read_as_people_write_it(said: str, then: datetime.datetime) -> None:
    assert parse_moment(said, NOW.timestamp()) == then.timestamp()


@pytest.mark.parametrize("said", ["yesterday", "25:00", "2026-13-01", "", "2 fortnights"])
def test_what_is_no_time_is_refused_with_what_to_write(said: str) -> None:
    with pytest.raises(Misused, match="write 2h"):
        parse_moment(said, NOW.timestamp())


def test_keys_are_read_from_a_list_that_items_gave(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    path.write_bytes("\ufeffa-1\tfailed\tblocked\t3\twhy\n\n b-2 \r\nc-3\n".encode())
    assert keys_of(path) == {"a-1", "b-2", "c-3"}


def test_a_file_of_keys_that_is_missing_empty_or_no_text_is_refused(tmp_path: Path) -> None:
    for data, says in ((None, "There is no file"), (b"\n\n", "has no keys"), (b"\xff\xfe\x00", "no text in UTF-8")):
        path = tmp_path / "keys.txt"
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(Misused, match=says):
            keys_of(path)


def test_items_are_chosen_by_time_and_by_keys_in_a_file(lived_in: Place) -> None:
    assert len(lived_in.lines("items", "parcels", "--since", "1d")) == 18
    assert lived_in.lines("items", "parcels", "--until", "1d") == []
    listed = lived_in.ask("items", "parcels", "--limit", "3").stdout
    keys = lived_in.write("keys.txt", listed, header="")
    assert len(lived_in.lines("items", "parcels", "--keys", keys)) == 3
    told = lived_in.told("retry", "parcels", "--dry-run", "--state", "succeeded", "--keys", keys, "--since", "1d")
    assert told["items"] == 3
    assert lived_in.told("retry", "parcels", "--dry-run", "--state", "succeeded", "--until", "1d")["items"] == 0


def test_more_keys_than_go_at_once_are_one_wish_for_who_asks(lived_in: Place) -> None:
    listed = lived_in.ask("items", "parcels").stdout.splitlines()
    known = [line.partition("\t")[0] for line in listed]
    keys = lived_in.write("many.txt", *known, *(f"nobody-{number}" for number in range(25_000)), header="")
    told = lived_in.told("retry", "parcels", "--dry-run", "--state", "succeeded", "--keys", keys)
    assert (told["items"], told["estimate"]["tries"]["low"]) == (16, 16.0)


def test_a_person_is_told_what_it_would_take(lived_in: Place) -> None:
    shown = lived_in.ask("retry", "parcels", "-n", "--state", "succeeded").stdout
    assert "16 items would run again." in shown
    for name in ("tries", "requests", "traffic", "cost", "time"):
        assert name in shown


def test_a_mended_scraper_takes_over_what_failed(place: Place) -> None:
    place.ask("run", place.scraper, place.list, "--name", "parcels")
    path = Path(place.scraper)
    path.write_text(path.read_text().replace('raise InvalidInput("this is no number of a parcel")', "pass"))
    told = place.ask("retry", "parcels", "--kind", "invalid_input", "--version", "latest", "--scrapers", place.scraper)
    assert "1 item will run again" in told.stdout, told.output
    assert "with the scraper's version" in told.stdout
    ran = place.ask("run", place.scraper, place.list, "--name", "parcels")
    assert "Going on with the unfinished job" in ran.stderr, ran.output
    assert place.told("status", "parcels")["failed_by_kind"] == {}
