"""From a list to a job, whatever becomes of the list, of the machine, and of the second attempt."""

import asyncio
import csv
import gc
import io
import sys
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from controller.desk import SCHEMA, Desk, check, order, write
from scrapeyard.backends.sqlite.ledger import open_ledger
from scrapeyard.controller.intake.load import Loaded, count_rows, load
from scrapeyard.controller.intake.options import IntakeOptions, Shard, parse_columns
from scrapeyard.model.errors import BadInput, Conflict, NotFound, StorageError
from scrapeyard.model.item import Added, NewItem
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.states import JobState
from scrapeyard.ports.service import JobDesk


async def loaded(desk: Desk, source: Path | None, name: str = "bills", **options: Any) -> tuple[Job, Loaded]:
    """The job as it stands after its list was loaded."""
    job = (await desk.service.jobs.open(order(name))).job
    told = await load(desk.service.jobs, job, source, IntakeOptions(schema=SCHEMA, **options), check)
    return await desk.service.jobs.get(job.id), told


def numbered(count: int) -> str:
    return "parcel_id,owner\n" + "".join(f"{n:06d},owner {n}\n" for n in range(count))


async def test_a_list_becomes_a_sealed_job_in_the_order_of_the_list(desk: Desk, tmp_path: Path) -> None:
    job, told = await loaded(desk, write(tmp_path, numbered(1_234)), chunk=100)
    assert (job.state, job.total) == (JobState.RUNNING, 1_234)
    assert (told.rows, told.accepted, told.duplicates, told.rejected) == (1_234, 1_234, 0, 0)
    assert await desk.keys(job) == [f"{n:06d}" for n in range(1_234)]


async def test_the_same_row_twice_is_one_item_and_one_duplicate(desk: Desk, tmp_path: Path) -> None:
    job, told = await loaded(desk, write(tmp_path, "parcel_id\n007\n7\n007\n"))
    assert await desk.keys(job) == ["007", "7"]
    assert (told.accepted, told.duplicates) == (2, 1)


class Cut:
    """A desk at which the machine dies in the middle of the `after`th chunk."""

    def __init__(self, jobs: JobDesk, after: int) -> None:
        self._jobs = jobs
        self._after = after

    async def load(self, job: JobId, items: Sequence[NewItem]) -> Added:
        self._after -= 1
        if self._after < 0:
            await self._jobs.load(job, items[: len(items) // 2])
            raise StorageError("the power went out")
        return await self._jobs.load(job, items)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._jobs, name)


@pytest.mark.parametrize("after", [0, 1, 4])
async def test_an_interrupted_load_ends_as_if_it_had_not_been(desk: Desk, tmp_path: Path, after: int) -> None:
    source = write(tmp_path, numbered(500))
    job = (await desk.service.jobs.open(order())).job
    options = IntakeOptions(schema=SCHEMA, chunk=100)
    cut: Any = Cut(desk.service.jobs, after)
    with pytest.raises(StorageError):
        await load(cut, job, source, options, check)
    assert (await desk.service.jobs.get(job.id)).state is JobState.LOADING
    again, told = await loaded(desk, source, chunk=100)
    assert again.id == job.id
    assert again.total == 500
    assert told.accepted + told.duplicates == 500
    assert await desk.keys(again) == [f"{n:06d}" for n in range(500)]


async def test_a_load_that_is_cancelled_leaves_no_task_behind_and_can_be_gone_on_with(
    desk: Desk, tmp_path: Path
) -> None:
    source = write(tmp_path, numbered(3_000))
    job = (await desk.service.jobs.open(order())).job
    before = asyncio.all_tasks()
    task = asyncio.create_task(load(desk.service.jobs, job, source, IntakeOptions(schema=SCHEMA, chunk=500), check))
    for _ in range(4):  # slices of the list
        await asyncio.sleep(0)
    assert (await desk.ledger.jobs.tally(job.id)).loaded > 0
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asyncio.all_tasks() == before
    again, _ = await loaded(desk, source)
    assert await desk.keys(again) == [f"{n:06d}" for n in range(3_000)]


async def test_a_sealed_job_takes_no_second_list(desk: Desk, tmp_path: Path) -> None:
    source = write(tmp_path, numbered(3))
    await loaded(desk, source)
    with pytest.raises(Conflict, match="sealed"):
        await loaded(desk, source)


async def test_other_work_goes_on_while_a_list_is_loaded(desk: Desk, tmp_path: Path) -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    await loaded(desk, write(tmp_path, numbered(20_000)))
    task.cancel()
    assert turns >= 20_000 / 1_000


async def test_progress_tells_rows_and_bytes_and_ends_at_the_whole_file(desk: Desk, tmp_path: Path) -> None:
    source = write(tmp_path, numbered(2_000))
    marks: list[tuple[int, int, int | None]] = []
    job = (await desk.service.jobs.open(order())).job
    options = IntakeOptions(schema=SCHEMA)
    await load(desk.service.jobs, job, source, options, check, progress=lambda *mark: marks.append(mark))
    size = source.stat().st_size
    assert marks[-1] == (2_000, size, size)
    assert marks == sorted(marks, key=lambda mark: mark[0])
    assert len(marks) > 2


async def test_a_hundred_thousand_rows_take_little_memory(tmp_path: Path) -> None:
    source = tmp_path / "large.csv"
    with source.open("w") as file:
        file.write("parcel_id,owner\n")
        file.writelines(f"{n % 997:03d}-{n:07d},OWNER NUMBER {n}\n" for n in range(100_000))
    desk = Desk(tmp_path, await open_ledger(tmp_path / "ledger.db"))
    gc.collect()
    tracemalloc.start()
    try:
        _, told = await loaded(desk, source)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        await desk.ledger.close()
    assert told.accepted == 100_000
    assert most < 16 << 20


async def test_a_bad_row_stops_the_load_with_its_line_and_says_how_to_go_on(desk: Desk, tmp_path: Path) -> None:
    source = write(tmp_path, "parcel_id,year\n001,2024\n\n002,soon\n")
    with pytest.raises(BadInput) as refused:
        await loaded(desk, source)
    assert str(refused.value).startswith("Line 4 of the list: year: ")
    assert "'soon'" in str(refused.value)
    assert str(refused.value).endswith("Mend it, or leave such rows out with --on-bad-row skip.")
    assert (await desk.service.jobs.get("bills")).state is JobState.LOADING


async def test_skipped_rows_are_written_with_line_reason_and_cells_and_can_be_mended(
    desk: Desk, tmp_path: Path
) -> None:
    source = write(tmp_path, 'parcel_id,year,owner\n001,2024,A\n002,soon,"B, jr"\n,2024,C\n"004"x,1,D\n005,1,E,F\n')
    rejects = tmp_path / "out" / "rejects.csv"
    job, told = await loaded(desk, source, on_bad_row="skip", rejects=rejects)
    assert await desk.keys(job) == ["001"]
    assert (told.rows, told.accepted, told.rejected, told.rejects) == (5, 1, 4, rejects)
    assert [bad.number for bad in told.bad] == [3, 4, 5, 6]
    rows = list(csv.reader(rejects.open(newline="")))
    assert rows[0] == ["line", "reason", "parcel_id", "year", "owner"]
    assert rows[1][0] == "3"
    assert rows[1][2:] == ["002", "soon", "B, jr"]
    assert rows[2][:2] == ["4", "the key is empty"]
    assert "not well-formed" in rows[3][1]
    assert rows[3][2] == '"004"x,1,D'
    assert rows[4][1:] == ["it has 4 cells where the header has 3", "005", "1", "E", "F"]


async def test_rejects_are_safe_to_open_in_a_spreadsheet(desk: Desk, tmp_path: Path) -> None:
    evil = ['=HYPERLINK("http://x")', "+1+1", "-2", "@SUM(1)", "\tx"]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["parcel_id", "year", "=owner"])
    writer.writerows([cell, "soon", cell] for cell in evil)
    writer.writerow(["good", "1", ""])
    rejects = tmp_path / "rejects.csv"
    await loaded(desk, write(tmp_path, out.getvalue()), on_bad_row="skip", rejects=rejects)
    cells = [cell for row in csv.reader(rejects.open(newline="")) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\x00"))]
    assert "'=owner" in cells


async def test_the_list_itself_is_never_overwritten_by_its_rejects(desk: Desk, tmp_path: Path) -> None:
    source = write(tmp_path, numbered(3))
    with pytest.raises(BadInput, match="name another file"):
        await loaded(desk, source, on_bad_row="skip", rejects=tmp_path / "." / "parcels.csv")
    assert source.read_text() == numbered(3)


async def test_a_list_without_one_good_row_is_refused(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"No row could be taken; line 2: year"):
        await loaded(desk, write(tmp_path, "parcel_id,year\n1,x\n2,y\n"), on_bad_row="skip")
    for empty in ("", "\n\n", "parcel_id\n", "parcel_id,year\n\n\n"):
        with pytest.raises(BadInput):
            await loaded(desk, write(tmp_path, empty))
    assert (await desk.service.jobs.get("bills")).state is JobState.LOADING


async def test_a_missing_file_and_a_folder_are_told_apart(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="check the path"):
        await loaded(desk, tmp_path / "no.csv")
    with pytest.raises(BadInput, match="cannot be read"):
        await loaded(desk, tmp_path)


async def test_a_limit_takes_the_first_distinct_items_again_and_again(desk: Desk, tmp_path: Path) -> None:
    source = write(tmp_path, "parcel_id\n1\n1\n2\n1\n3\n4\n5\n")
    job, told = await loaded(desk, source, limit=3)
    assert await desk.keys(job) == ["1", "2", "3"]
    assert (told.accepted, told.duplicates) == (3, 2)
    _, told = await loaded(desk, source, "more", limit=100)
    assert told.accepted == 5


async def test_a_limit_does_not_look_at_the_rows_behind_it(desk: Desk, tmp_path: Path) -> None:
    source = write(tmp_path, numbered(2_000) + ",,,,\n,x,\n")
    job, _ = await loaded(desk, source, limit=20)
    assert job.total == 20


async def test_shards_share_the_list_without_gap_or_overlap_whatever_process_asks(desk: Desk, tmp_path: Path) -> None:
    source = write(tmp_path, numbered(2_000))
    parts: list[list[str]] = []
    for number in range(4):
        job, told = await loaded(desk, source, f"part {number}", shard=Shard(number, 4))
        parts.append(await desk.keys(job))
        assert told.elsewhere == 2_000 - len(parts[-1])
        assert 400 < len(parts[-1]) < 600
    assert sorted(key for part in parts for key in part) == [f"{n:06d}" for n in range(2_000)]
    assert parts[0][:3] == ["000010", "000021", "000024"]  # the same on every machine and in every version


async def test_the_rows_of_a_list_are_counted_without_being_checked(tmp_path: Path) -> None:
    source = write(tmp_path, "parcel_id,year\n1,x\n\n2,y\n")
    assert count_rows(source, IntakeOptions(schema=SCHEMA, limit=1)) == 2


async def test_a_list_comes_over_standard_input(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"parcel_id\n001\n002\n")))
    marks: list[int | None] = []
    job = (await desk.service.jobs.open(order())).job
    options = IntakeOptions(schema=SCHEMA)
    await load(desk.service.jobs, job, None, options, check, progress=lambda *mark: marks.append(mark[2]))
    assert await desk.keys(job) == ["001", "002"]
    assert marks == [None]


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("Parcel ID", {}),
        ("PARCEL-ID", {}),
        ("parcel_id", {}),
        ("Parcel No", {"parcel_id": "Parcel No"}),
        ("apn", {"parcel_id": "APN"}),
    ],
)
async def test_a_column_is_found_by_its_name_or_by_what_was_said(
    desk: Desk, tmp_path: Path, header: str, said: dict[str, str]
) -> None:
    for number, text in enumerate((f"x,{header}\n0,007\n", f'{{"x": 0, "{header}": "007"}}\n')):
        job, _ = await loaded(desk, write(tmp_path, text), f"job {number}", columns=said)
        assert await desk.keys(job) == ["007"]


@pytest.mark.parametrize(
    ("header", "said", "says"),
    [
        ("apn,owner", {}, "has no column 'parcel_id'; it has 'apn', 'owner'"),
        ("parcel_id", {"parcel_id": "APN"}, "has no column 'APN'"),
        ("Parcel ID,parcel-id", {}, "choose with --map parcel_id"),
        ("parcel_id,parcel_id", {}, "2 columns called 'parcel_id': rename"),
        ("parcel_id", {"parsel": "x"}, "There is no input 'parsel' to map; the inputs are parcel_id, owner, year"),
    ],
)
async def test_columns_that_do_not_fit_are_refused_before_any_row(
    desk: Desk, tmp_path: Path, header: str, said: dict[str, str], says: str
) -> None:
    with pytest.raises(BadInput, match=says):
        await loaded(desk, write(tmp_path, f"{header}\n1,2\n"), columns=said)
    assert (await desk.ledger.jobs.tally((await desk.service.jobs.get("bills")).id)).loaded == 0


async def test_a_list_without_a_header_is_mapped_by_the_number_of_the_column(desk: Desk, tmp_path: Path) -> None:
    source = write(tmp_path, "ann,001\nbob,002\n")
    job, _ = await loaded(desk, source, header=False, columns={"parcel_id": "column 2", "owner": "column 1"})
    assert await desk.keys(job) == ["001", "002"]
    item = await desk.ledger.items.get(job.id, "001")
    assert item is not None
    assert item.inputs == b'{"parcel_id":"001","owner":"ann","year":2024}'


def test_mappings_and_shards_are_read_from_the_command_line() -> None:
    assert parse_columns(["parcel_id=Parcel No", "a = b=c"]) == {"parcel_id": "Parcel No", "a": " b=c"}
    for wrong in ("parcel_id", "=x", "a="):
        with pytest.raises(BadInput, match="maps nothing"):
            parse_columns([wrong])
    assert Shard.parsed("0/4") == Shard(0, 4)
    for wrong in ("4/4", "-1/4", "a/b", "1", "1/0", "٣/٤"):
        with pytest.raises(BadInput, match="is no shard"):
            Shard.parsed(wrong)
