"""A page that the ledger speaks of is whole on disk, wherever the power was cut; a torn tail is cut and never served.

What the worker really wrote and synced is recorded below it, ledger and segments in one order, and the files are
rebuilt as a power cut would leave them at two hundred places.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path

from crash.disk import HERE, Cut, Disk, Entry, recorded
from crash.segment_work import ITEMS, page_of, rows_of
from results.shelf import warcio_check
from scrapeyard.backends.files.blobs import FileBlobs
from scrapeyard.backends.sqlite.ledger import open_ledger
from scrapeyard.model.errors import NotFound, StorageError
from scrapeyard.model.item import Item
from scrapeyard.model.job import JobId
from scrapeyard.model.states import VisitState
from scrapeyard.results.reader import ResultReader
from scrapeyard.results.recovery import mend_job

POINTS = 200
SEED = 7_310
WORK = HERE / "segment_work.py"
JOB = JobId("job-0001")


def cuts(entries: list[Entry], points: int) -> Iterator[tuple[str, dict[str, bytes], set[int]]]:
    """At so many places: a name, the files found, and the items answered for.

    Half of them lie right behind a write to a segment, where something is unsynced; the ledger writes far more often.
    """
    begun = next(place for place, entry in enumerate(entries) if entry.name.startswith("blobs/"))
    dice = random.Random(SEED)
    torn = [place for place in range(begun + 1, len(entries)) if entries[place - 1].name.startswith("blobs/")]
    places = set(dice.sample(torn, min(len(torn), points // 2)))
    others = [place for place in range(begun, len(entries)) if place not in places]
    places |= set(dice.sample(others, points - len(places)))
    disk, answered = Disk(strict=True), set[int]()
    for place, entry in enumerate(entries):
        if place in places:
            how = dice.choice(list(Cut))
            yield f"after {place} of {len(entries)}, {how}", disk.after_cut(how, random.Random(SEED + place)), answered
        if entry.name == "answers":
            answered = answered.union(json.loads(entry.data))
        elif not entry.name.startswith("ledger.db-shm"):
            disk.do(entry)
            disk.named |= {name for name in (*disk.durable, *disk.pending) if name.startswith("ledger.db")}


async def faults_of(folder: Path, answered: set[int]) -> tuple[list[str], int]:
    """What is wrong with what was found, in words; and how many torn tails were cut."""
    ledger, blobs = await open_ledger(folder / "ledger.db"), FileBlobs(folder / "blobs")
    try:
        mended = [each async for each in mend_job(blobs, ledger.items, JOB)]
        faults = [f"damaged: {each.key}" for each in mended if each.damaged]
        items = await ledger.items.page(JOB, limit=ITEMS + 1)
        done = {item.seq for item in items if item.state is VisitState.SUCCEEDED}
        faults += [f"forgotten: {seq}" for seq in sorted(answered - done)]
        reader = ResultReader(blobs)
        for item in items:
            if item.seq in done:
                faults += await unread(reader, item)
    finally:
        await ledger.close()
    if not faults:
        warcio_check(folder)
    return faults, sum(each.cut > 0 for each in mended)


async def unread(reader: ResultReader, item: Item) -> list[str]:
    """What cannot be read back as it was kept."""
    try:
        (capture,) = item.captures
        assert item.records is not None
        page, rows = await reader.page(capture), await reader.rows(item.records)
    except (StorageError, NotFound) as error:
        return [f"not there: {item.seq}: {error}"]
    right = page.body == page_of(item.seq).body and len(rows) == len(rows_of(item.seq))
    return [] if right and all(row.seq == item.seq for row in rows) else [f"not as kept: {item.seq}"]


async def found_after(entries: list[Entry], points: int, folder: Path) -> tuple[dict[str, list[str]], int]:
    found: dict[str, list[str]] = {}
    torn = 0
    for number, (name, files, answered) in enumerate(cuts(entries, points)):
        root = folder / str(number)
        for path, data in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        faults, tails = await faults_of(root, answered)
        torn += tails
        if faults:
            found[name] = faults
    return found, torn


async def test_what_the_ledger_speaks_of_is_whole_and_torn_tails_are_cut(recorder, tmp_path):
    entries = recorded(recorder, WORK, tmp_path / "work")
    segments = {entry.name for entry in entries if entry.op == "write" and entry.name.startswith("blobs/")}
    assert len(segments) >= 4, "segments end and begin in the middle of the run"
    found, torn = await found_after(entries, POINTS, tmp_path)
    assert found == {}
    assert torn >= 10, "the cuts met segments with unsynced tails"


async def test_a_worker_that_does_not_wait_for_the_disk_would_be_found_out(recorder, tmp_path):
    entries = recorded(recorder, WORK, tmp_path / "work", "hasty")
    found, _ = await found_after(entries, 40, tmp_path)
    assert any("damaged" in fault or "not there" in fault for faults in found.values() for fault in faults)
