"""A job leaves as tables: complete, in list order, and the same on every disk."""

import csv
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from export.harvest import CARD, Bill, Harvest, Owner, a_card, harvest, names_in
from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.model.errors import Absent, BadInput, StorageError
from scrapeyard.model.item import Selection
from scrapeyard.model.record import Record
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.testing.scenes import ended, staged


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def mixed(n: int):
    """Two records, one, none, no such parcel, or a failure."""
    match n % 5:
        case 0:
            return [Bill(parcel_id=f"P{n}", units=n), Owner(name=f"O{n}")]
        case 1:
            return [Bill(parcel_id=f"P{n}a"), Bill(parcel_id=f"P{n}b")]
        case 2:
            return []
        case 3:
            return Absent()
        case _:
            return "blocked"


async def test_each_model_is_a_table_in_list_order_though_items_ran_in_random_order(tmp_path: Path):
    made = await harvest(tmp_path, 1_000, mixed)
    assert await made.export() == {"items.csv": 1_000, "Bill.csv": 600, "Owner.csv": 200}
    bills = read_csv(made.folder / "Bill.csv")
    assert [bill["parcel_id"] for bill in bills] == [
        name for n in range(1_000) for name in ([f"P{n}"], [f"P{n}a", f"P{n}b"], [], [], [])[n % 5]
    ]
    assert list(bills[0])[:4] == ["_key", "_seq", "_outcome", "parcel_id"]
    assert (bills[0]["_key"], bills[0]["_seq"], bills[0]["_outcome"]) == ("P-000000", "0", "succeeded")


async def test_every_item_is_in_the_table_of_items_even_without_a_record(tmp_path: Path):
    made = await harvest(tmp_path, 10, mixed)
    await made.export("jsonl")
    items = read_lines(made.folder / "items.jsonl")
    assert [item["_seq"] for item in items] == list(range(10))
    assert [item["outcome"] for item in items][:5] == ["succeeded", "succeeded", "succeeded", "absent", "failed"]
    assert items[4]["kind"] == "blocked"
    assert items[4]["reason"] == "it was blocked"
    assert items[0]["inputs"] == {"parcel_id": "P-000000"}
    assert [item["records"] for item in items][:3] == [2, 2, 0]
    (capture,) = items[3]["captures"]
    assert capture["segment"].endswith(".warc.gz")
    assert (capture["name"], capture["url"], capture["status"]) == ("detail", "https://tax.example/p?id=1", 200)


async def test_items_of_a_cancelled_job_are_there_as_cancelled(tmp_path: Path):
    made = Harvest(await staged(MemoryLedger(), 20), tmp_path)
    await made.reap(lambda n: [Owner(name=str(n))], limit=5, batch=5)
    await made.scene.move(JobState.CANCELLED, JobState.RUNNING)
    await made.export(include_attempts=True)
    outcomes = [item["outcome"] for item in read_csv(made.folder / "items.csv")]
    assert outcomes.count("cancelled") == 15
    assert outcomes.count("succeeded") == 5
    assert len(read_csv(made.folder / "attempts.csv")) == 5


async def test_a_running_job_can_be_exported(tmp_path: Path):
    made = Harvest(await staged(MemoryLedger(), 20), tmp_path)
    assert await made.export() == {"items.csv": 20, "Bill.csv": 0, "Owner.csv": 0}
    assert read_csv(made.folder / "items.csv")[0]["outcome"] == "waiting"


async def test_a_model_without_records_is_an_empty_table_with_its_columns(tmp_path: Path):
    made = await harvest(tmp_path, 1, lambda n: [])
    await made.export()
    assert (made.folder / "Owner.csv").read_text() == "_key,_seq,_outcome,name\n"


async def test_outcomes_restrict_all_tables(tmp_path: Path):
    made = await harvest(tmp_path, 10, mixed)
    assert await made.export(outcomes=frozenset({"absent", "failed"})) == {
        "items.csv": 4,
        "Bill.csv": 0,
        "Owner.csv": 0,
    }


async def test_fields_choose_columns_in_the_order_asked_for(tmp_path: Path):
    made = await harvest(tmp_path, 1, mixed)
    await made.export(fields=("units", "parcel_id"))
    assert read_csv(made.folder / "Bill.csv") == [
        {"_key": "P-000000", "_seq": "0", "_outcome": "succeeded", "units": "0", "parcel_id": "P0"}
    ]
    assert list(read_csv(made.folder / "Owner.csv")[0]) == ["_key", "_seq", "_outcome"]


async def test_models_choose_tables(tmp_path: Path):
    made = await harvest(tmp_path, 10, mixed)
    assert await made.export(models=("Owner",)) == {"items.csv": 10, "Owner.csv": 2}


async def test_attempts_are_a_table_of_their_own(tmp_path: Path):
    made = await harvest(tmp_path, 10, mixed)
    files = await made.export("jsonl", include_attempts=True)
    assert files["attempts.jsonl"] == 10
    attempts = read_lines(made.folder / "attempts.jsonl")
    assert [attempt["_seq"] for attempt in attempts] == list(range(10))
    assert attempts[4]["kind"] == "blocked"
    assert [step["name"] for step in attempts[0]["steps"]] == ["search", "detail"]


@pytest.mark.parametrize("layout", ["csv", "jsonl", "parquet"])
async def test_a_table_is_split_at_a_number_of_rows(tmp_path: Path, layout: str):
    made = await harvest(tmp_path, 25, lambda n: [Owner(name=str(n))])
    files = await made.export(layout, rows_per_file=10, models=("Owner",))
    assert files == {
        f"{table}-{number:05d}.{layout}": rows
        for table in ("items", "Owner")
        for number, rows in ((1, 10), (2, 10), (3, 5))
    }


async def test_an_export_replaces_an_earlier_one_with_all_of_its_parts(tmp_path: Path):
    made = await harvest(tmp_path, 25, lambda n: [Owner(name=str(n))])
    await made.export(rows_per_file=5)
    (made.folder / "mine.csv").write_text("x")
    await made.export(rows_per_file=20)
    assert sorted(path.name for path in made.folder.glob("Owner*")) == ["Owner-00001.csv", "Owner-00002.csv"]
    await made.export()
    assert sorted(path.name for path in made.folder.iterdir()) == ["Bill.csv", "Owner.csv", "items.csv", "mine.csv"]


async def test_a_failed_export_leaves_the_folder_as_it_was(tmp_path: Path):
    made = await harvest(tmp_path, 1_000, mixed)
    await made.export()
    before = {path.name: path.read_bytes() for path in made.folder.iterdir()}
    for segment in (tmp_path / "store").rglob("*.jsonl.gz"):
        segment.write_bytes(segment.read_bytes()[:-10])
    with pytest.raises(StorageError, match="tail was lost"):
        await made.export()
    assert {path.name: path.read_bytes() for path in made.folder.iterdir()} == before


async def test_records_that_the_ledger_places_wrongly_are_not_handed_over(tmp_path: Path):
    made = await harvest(tmp_path, 2, lambda n: [Owner(name=str(n))])
    neighbours = (await made.scene.item(1)).records
    await made.scene.redrive(Selection(states=frozenset({VisitState.SUCCEEDED}), keys=frozenset({"P-000000"})))
    (lease,) = await made.scene.take()
    await made.scene.settle(ended(lease, VisitState.SUCCEEDED, records=neighbours))
    with pytest.raises(StorageError, match="does not hold the records of item 0"):
        await made.export()


async def test_an_unknown_field_of_a_record_is_handed_over_beside_its_table(tmp_path: Path):
    made = await harvest(tmp_path, 2, lambda n: [("Owner", b'{"name":"A","born":"1970"}'), ("Owner", b'{"name":"B"}')])
    files = await made.export("jsonl")
    assert files == {"items.jsonl": 2, "Bill.jsonl": 0, "Owner.jsonl": 4, "Owner_other.jsonl": 2}
    assert read_lines(made.folder / "Owner_other.jsonl")[0] == {
        "_key": "P-000000",
        "_seq": 0,
        "_outcome": "succeeded",
        "record": {"born": "1970"},
    }
    assert "Owner_other.csv" not in await made.export(fields=("name",))


async def test_without_a_card_records_are_handed_over_as_json(tmp_path: Path):
    made = await harvest(tmp_path, 2, lambda n: [Owner(name=f"O{n}")])
    assert await made.export(card=None) == {"items.csv": 2, "Owner.csv": 2}
    assert [json.loads(row["record"]) for row in read_csv(made.folder / "Owner.csv")] == [
        {"name": "O0"},
        {"name": "O1"},
    ]


async def test_file_names_never_come_from_what_is_no_plain_name(tmp_path: Path):
    strange = {"../../evil": {}, "Items": {}, "ITEMS": {}, "Größe": {}, "a" * 300: {}, "x.csv": {}, "": {}}
    card = msgspec.structs.replace(CARD, record_schemas=strange)
    made = await harvest(tmp_path, 1, lambda n: [("../../evil", b"{}"), ("../up", b'{"a":1}')])
    files = await made.export(card=card)
    assert len({name.casefold() for name in files}) == len(files) == 9
    assert all((made.folder / name).parent == made.folder for name in files)
    assert names_in(tmp_path) == ["out", "store"]


async def test_what_is_asked_for_wrongly_is_refused_with_the_choices(tmp_path: Path):
    made = await harvest(tmp_path, 1, mixed)
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"layout": "xls"}, "choose from csv, jsonl, parquet"),
        ({"models": ("Bil",)}, "choose from Bill, Owner"),
        ({"models": ("Owner",), "fields": ("units",)}, "choose from name"),
        ({"outcomes": frozenset({"done"})}, "choose from absent, cancelled, failed"),
        ({"rows_per_file": 0}, "larger number of rows"),
    ]
    for wishes, words in refusals:
        with pytest.raises(BadInput, match=words):
            await made.export(**wishes)
    assert not made.folder.exists()


async def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path):
    made = await harvest(tmp_path, 1, mixed)
    made.folder.write_text("a file")
    with pytest.raises(BadInput, match="choose another"):
        await made.export()


class Note(Record):
    text: str


NOTES = (
    "line\nbreak\r\nand another\n",
    "nul \0 nul",
    'quote " comma , semicolon ; tab \t',
    "x" * 1_000_000,
    "税 \u2028 \U0001f600",
    "",
)


@pytest.mark.parametrize("layout", ["csv", "jsonl"])
async def test_hostile_values_come_out_as_they_went_in(tmp_path: Path, layout: str):
    made = await harvest(tmp_path, len(NOTES), lambda n: [Note(text=NOTES[n])])
    await made.export(layout, card=a_card(Note))
    csv.field_size_limit(2_000_000)
    read = read_csv if layout == "csv" else read_lines
    texts = [row["text"] for row in read(made.folder / f"Note.{layout}")]
    expected = [note.replace("\0", "\ufffd") if layout == "csv" else note for note in NOTES]
    assert texts == expected


@pytest.mark.parametrize("layout", ["csv", "jsonl", "parquet"])
async def test_half_a_character_in_a_record_does_not_stop_an_export(tmp_path: Path, layout: str):
    made = await harvest(tmp_path, 1, lambda n: [("Note", b'{"text":"half \\ud800"}')])
    assert (await made.export(layout, card=a_card(Note)))[f"Note.{layout}"] == 1


async def test_an_item_that_was_run_anew_is_there_once_with_its_new_records(tmp_path: Path):
    made = await harvest(tmp_path, 30, lambda n: [Owner(name="old")])
    await made.scene.redrive(Selection(states=frozenset({VisitState.SUCCEEDED}), keys=frozenset({"P-000007"})))
    await made.reap(lambda n: [Owner(name="new")])
    await made.export()
    names = [row["name"] for row in read_csv(made.folder / "Owner.csv")]
    assert names == ["old"] * 7 + ["new"] + ["old"] * 22
