"""Looking at jobs, items and results, by people and by programs; and steering."""

import json
from pathlib import Path
from urllib.request import urlopen

import pytest

from cli.conftest import Place

STATUS_FIELDS = {
    "id", "name", "state", "reason", "scraper", "site", "source", "total", "epoch", "created", "finished", "policy",
    "at", "loaded", "duplicates", "done", "waiting", "running", "outcomes", "failed_by_kind", "unreadable", "records",
    "attempts", "requests", "wire_bytes", "dollars", "workers", "gates", "failed_by_fault", "later", "due", "tiers",
    "ways", "dollars_per_answer",
}  # fmt: skip
ITEM_FIELDS = {
    "key", "seq", "state", "kind", "reason", "reading", "attempts", "inputs", "not_before", "changed", "records",
    "captures",
}  # fmt: skip


def test_jobs_lists_every_job_with_how_far_it_is(lived_in: Place) -> None:
    name, state, done, items, failed, _, identity = lived_in.ask("jobs").stdout.strip().split("\t")
    assert (name, state, done, items, failed) == ("parcels", "completed", "18", "18", "1")
    assert lived_in.told("jobs")["id"] == identity
    assert lived_in.ask("jobs", "--state", "paused").stdout == ""


def test_the_status_has_stable_fields(lived_in: Place) -> None:
    status = lived_in.told("status", "parcels")
    assert set(status) == STATUS_FIELDS
    assert status["failed_by_kind"] == {"invalid_input": 1}
    assert status["failed_by_fault"] == {"item": 1}
    assert status["tiers"]["direct"]["tries"] == 18
    assert (status["total"], status["done"], status["duplicates"], status["unreadable"]) == (18, 18, 1, 1)
    assert status["outcomes"]["succeeded"] == 16
    assert status["finished"].endswith("Z")


def test_without_a_name_the_latest_job_is_meant_and_it_is_said(lived_in: Place) -> None:
    shown = lived_in.ask("status")
    assert "The latest job: 'parcels'" in shown.stderr
    assert "18 of 18 items (100 %)" in shown.stdout


def test_watching_an_ended_job_ends_with_its_code(lived_in: Place) -> None:
    assert lived_in.ask("status", "parcels", "--watch").exit_code == 3
    (line,) = lived_in.lines("status", "parcels", "--watch")
    assert {"per_second", "seconds_left"} == set(line) - STATUS_FIELDS


def test_items_are_listed_in_the_order_of_the_list_for_people_pipes_and_programs(lived_in: Place) -> None:
    rows = [line.split("\t") for line in lived_in.ask("items", "parcels").stdout.splitlines()]
    assert len(rows) == 18
    assert rows[0][:4] == ["001-0001-001", "succeeded", "", "1"]
    items = lived_in.lines("items", "parcels")
    assert [item["key"] for item in items] == [row[0] for row in rows]
    assert set(items[0]) == ITEM_FIELDS
    assert items[0]["inputs"] == {"parcel_id": "001-0001-001", "note": ""}
    assert items[0]["captures"][0]["status"] == 200
    assert len(lived_in.lines("items", "parcels", "--limit", "3")) == 3


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (["--state", "failed"], 1),
        (["--state", "failed", "--state", "absent"], 2),
        (["--kind", "invalid_input"], 1),
        (["--unreadable"], 1),
        (["--text", "NO NUMBER"], 1),
        (["--key", "001-0001-001"], 1),
        (["--key", "nobody"], 0),
    ],
)
def test_items_are_chosen(lived_in: Place, words: list[str], count: int) -> None:
    assert len(lived_in.lines("items", "parcels", *words)) == count


def test_a_slip_in_a_kind_is_refused_with_near_ones(lived_in: Place) -> None:
    refused = lived_in.ask("items", "parcels", "--kind", "blokced")
    assert refused.exit_code == 2
    assert "did you mean blocked" in refused.stderr


def test_an_item_tells_its_story(lived_in: Place) -> None:
    shown = lived_in.ask("item", "001-0001-001")
    assert "In the job 'parcels'" in shown.stderr
    for said in ("001-0001-001  succeeded", "read: 1 Assessment", "/detail?parcel=001-0001-001"):
        assert said in shown.stdout
    told = lived_in.told("item", "001-0001-001", "--job", "parcels")
    assert set(told) == ITEM_FIELDS | {"job", "tries"}
    assert told["tries"][0]["outcome"] == "succeeded"


def test_a_failed_item_says_why(lived_in: Place) -> None:
    (failed,) = lived_in.lines("items", "parcels", "--state", "failed")
    shown = lived_in.ask("item", failed["key"])
    assert "failed: invalid_input, the item's fault" in shown.stdout
    assert "Try 1 at " in shown.stdout
    assert "by direct" in shown.stdout
    assert "this is no number of a parcel" in shown.stdout


def test_an_item_that_is_not_there_offers_near_ones(lived_in: Place) -> None:
    refused = lived_in.ask("item", "001-0001-0O1")
    assert refused.exit_code == 1
    assert "001-0001-001" in refused.stderr


def test_open_shows_the_kept_page_in_the_browser(
    lived_in: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    shown = lived_in.ask("item", "001-0001-001", "--open")
    assert shown.exit_code == 0, shown.output
    path = Path(opened[0].removeprefix("file://"))
    assert str(path) in shown.stdout.replace("\n", "")
    assert "001-0001-001" in path.read_text()
    assert "Content-Security-Policy" in path.read_text()
    refused = lived_in.ask("item", "001-0001-001", "--page", "bill")
    assert refused.exit_code == 1
    assert "it has 'page'" in refused.stderr


def test_export_writes_a_table_for_each_kind_of_record(lived_in: Place, tmp_path: Path) -> None:
    files = lived_in.told("export", "parcels", "--format", "csv", "--to", str(tmp_path))["files"]
    table = next(Path(file["path"]) for file in files if Path(file["path"]).name == "Assessment.csv")
    assert table.read_text().count("\n") == 1 + 15
    jsonl = lived_in.ask("export", "parcels", "-f", "jsonl", "--to", str(tmp_path), "--fields", "parcel_id")
    assert jsonl.exit_code == 0, jsonl.output
    row = json.loads((tmp_path / "Assessment.jsonl").read_text().splitlines()[0])
    assert row["parcel_id"] == "001-0001-001"
    assert "note" not in row
    refused = lived_in.ask("export", "parcels", "--to", str(tmp_path), "--model", "Nope")
    assert refused.exit_code == 1
    assert "Assessment" in refused.stderr


def test_pages_are_listed_with_their_place_and_copied_out(lived_in: Place, tmp_path: Path) -> None:
    listed = lived_in.lines("pages", "parcels", "--key", "001-0001-001")
    assert listed[0]["blob"].endswith(".warc.gz")
    copied = lived_in.ask("pages", "parcels", "--key", "001-0001-001", "--to", str(tmp_path))
    assert "1 page copied" in copied.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["00000000-0-page.html"], "no key in a file's name"
    copy = (tmp_path / "00000000-0-page.html").read_bytes()
    assert len(copy) == listed[0]["size"]
    with urlopen(f"{lived_in.county.base_url}/detail?parcel=001-0001-001") as served:
        assert copy == served.read(), "to the byte"


def test_the_manifest_is_printed_whole_or_item_by_item(lived_in: Place) -> None:
    assert json.loads(lived_in.ask("manifest", "parcels").stdout)["items"] == 18
    lines = lived_in.ask("manifest", "parcels", "--items").stdout.splitlines()
    assert [json.loads(line)["seq"] for line in lines] == list(range(18))


def test_a_dry_retry_only_counts(lived_in: Place) -> None:
    told, average = (
        lived_in.told("retry", "parcels", "--dry-run"),
        lived_in.told("status", "parcels")["wire_bytes"] / 18,
    )
    assert told == {
        "job": "parcels",
        "id": lived_in.told("status", "parcels")["id"],
        "items": 1,
        "dry_run": True,
        "version": None,
        "along": 0,
        "estimate": {
            "tries": {"mid": 1.0, "low": 1.0, "high": 1.0},
            "requests": {"mid": 17 / 18, "low": 17 / 18, "high": 17 / 18},
            "wire_bytes": dict.fromkeys(("mid", "low", "high"), average),
            "dollars": {"mid": 0.0, "low": 0.0, "high": 0.0},
            "hours": told["estimate"]["hours"],
        },
    }
    assert "18 items would run again." not in lived_in.ask("retry", "parcels", "-n").stdout
    assert "16 items would run again." in lived_in.ask("retry", "parcels", "-n", "--state", "succeeded").stdout
    assert lived_in.told("status", "parcels")["state"] == "completed"


def test_a_retry_runs_the_chosen_items_again(place: Place) -> None:
    place.ask("run", place.scraper, place.list, "--name", "parcels")
    retried = place.ask("retry", "parcels", "--kind", "invalid_input")
    assert "1 item will run again" in retried.stdout
    assert place.told("status", "parcels")["state"] == "running"
    ran = place.ask("run", place.scraper, place.list, "--name", "parcels")
    assert ran.exit_code == 3
    assert "Going on with the unfinished job" in ran.stderr
    (failed,) = place.lines("items", "parcels", "--state", "failed")
    assert len(place.told("item", failed["key"])["tries"]) == 2


def test_a_job_is_paused_resumed_and_cancelled(place: Place) -> None:
    place.ask("submit", place.scraper, place.list, "--name", "parcels")
    assert "is paused" in place.ask("pause", "parcels", "--reason", "too loud").stdout
    paused = place.told("status", "parcels")
    assert (paused["state"], paused["reason"], paused["gates"][0]["gate"]) == ("paused", "too loud", "paused")
    assert "too loud" in place.ask("status", "parcels").stdout
    assert place.told("resume", "parcels")["state"] == "running"
    assert place.told("cancel", "parcels", "--yes")["state"] == "cancelled"
    assert place.ask("status", "parcels", "--watch").exit_code == 4
    refused = place.ask("resume", "parcels")
    assert refused.exit_code == 1
    assert "cancelled for good" in refused.stderr


@pytest.mark.parametrize("words", [["status"], ["items"], ["export"], ["pause", "x"], ["jobs"], ["manifest", "x"]])
def test_asking_in_an_empty_folder_says_how_to_begin_and_makes_nothing(place: Place, words: list[str]) -> None:
    refused = place.ask(*words)
    assert refused.exit_code == 1
    assert "scrapeyard run SCRAPER LIST" in refused.stderr
    assert not (place.folder / "data").exists()


@pytest.mark.parametrize(
    "word", ["status", "items", "pause", "resume", "cancel", "retry", "export", "pages", "manifest"]
)
def test_a_job_that_is_not_there_is_named_with_near_ones(lived_in: Place, word: str) -> None:
    refused = lived_in.ask(word, "parcel")
    assert refused.exit_code == 1
    assert "did you mean 'parcels'" in refused.stderr


def test_an_error_for_a_program_is_json(lived_in: Place) -> None:
    refused = lived_in.ask("status", "nope-nope", "--json")
    assert json.loads(refused.stderr)["exit_code"] == refused.exit_code == 1
