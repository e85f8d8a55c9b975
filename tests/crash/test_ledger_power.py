"""Whatever the ledger answered is still true after a power cut, and nothing that it had not yet answered is half there.

A recorder under the process writes down what it really writes and syncs; the files are rebuilt as a power cut would
leave them at hundreds of places, and opened again.
"""

import json
import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from crash.disk import HERE, Cut, Disk, Entry, recorded
from scrapeyard.backends.rows import decode_attempt
from scrapeyard.backends.sqlite.ledger import SqliteLedger, open_ledger
from scrapeyard.model.job import JobId
from scrapeyard.model.states import VisitState

SEED = 20_240
POINTS = 240
WORK = HERE / "ledger_work.py"


def is_data(entry: Entry) -> bool:
    """The shared-memory file is made anew after a cut, and the turnstile is empty."""
    return entry.name in {"ledger.db", "ledger.db-wal"}


def cuts(entries: list[Entry], points: int) -> Iterator[tuple[str, dict[str, bytes], list[dict[str, object]]]]:
    """At so many places: a name for the cut, the files that are found, and the answers given until then."""
    dice = random.Random(SEED)
    places = set(dice.sample(range(1, len(entries)), points))
    disk, answers = Disk(), b""
    for place, entry in enumerate(entries):
        if place in places:
            seed, how = SEED + place, dice.choice(list(Cut))
            found = disk.after_cut(how, random.Random(seed))
            yield f"after {place} of {len(entries)}, {how}, seed {seed}", found, _lines(answers)
        if entry.name == "answers":
            answers += entry.data
        elif is_data(entry):
            disk.do(entry)


def _lines(answers: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in answers.splitlines()]


def write_down(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder / "ledger.db"


async def faults_of(path: Path, answers: list[dict[str, object]]) -> list[str]:
    """What is wrong with a ledger that was found, in words."""
    ledger = await open_ledger(path)
    connection = sqlite3.connect(path)
    try:
        faults = [line for (line,) in connection.execute("PRAGMA integrity_check") if line != "ok"]
        faults += forgotten_answers(connection, answers) + half_batches(connection)
        for (job,) in connection.execute("SELECT id FROM job"):
            faults += await miscounts(ledger, JobId(job))
    finally:
        connection.close()
        await ledger.close()
    return faults


def batches_of(connection: sqlite3.Connection) -> Counter[str]:
    rows = connection.execute("SELECT told FROM attempt WHERE told IS NOT NULL")
    return Counter(decode_attempt(told).detail for (told,) in rows)


def half_batches(connection: sqlite3.Connection) -> list[str]:
    return [f"{name}: only {count} of 6" for name, count in batches_of(connection).items() if count != 6]


def forgotten_answers(connection: sqlite3.Connection, answers: list[dict[str, object]]) -> list[str]:
    batches = batches_of(connection)
    loaded = dict(connection.execute("SELECT job.id, count(*) FROM job JOIN item ON item.job = number GROUP BY 1"))
    redriven = dict(connection.execute("SELECT id, json_extract(CAST(body AS TEXT), '$.epoch') FROM job"))
    return [
        f"forgotten: {answer}"
        for answer in answers
        if ("batch" in answer and answer["batch"] not in batches)
        or ("loaded" in answer and loaded.get(answer["job"], 0) < answer["loaded"])
        or ("redriven" in answer and redriven.get(answer["job"]) != 1)
    ]


async def miscounts(ledger: SqliteLedger, job: JobId) -> list[str]:
    tally, recount = await ledger.jobs.tally(job), await ledger.jobs.recount(job)
    faults = [] if tally == recount else [f"{job}: counted {tally}, found {recount}"]
    items = await ledger.items.page(job, limit=10_000)
    if len(items) % 60 or [item.seq for item in items] != list(range(len(items))):
        faults.append(f"{job}: half a chunk, or a hole")
    for item in items:
        if item.state is VisitState.SUCCEEDED and (len(item.captures) != 2 or item.records is None):
            faults.append(f"{job}/{item.seq}: succeeded without its captures and records")
        if item.state is VisitState.FAILED and item.reason != f"it was {item.kind}":
            faults.append(f"{job}/{item.seq}: failed without its reason")
    return faults


async def found_after(entries: list[Entry], points: int, folder: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for number, (name, files, answers) in enumerate(cuts(entries, points)):
        faults = await faults_of(write_down(folder / str(number), files), answers)
        if faults:
            found[name] = faults
    return found


async def test_a_power_cut_takes_nothing_that_was_answered_and_leaves_nothing_half(recorder, tmp_path):
    entries = recorded(recorder, WORK, tmp_path / "work")
    assert sum(entry.op == "sync" and is_data(entry) for entry in entries) > 100
    assert any(entry.op == "write" and entry.name == "ledger.db" for entry in entries), "no checkpoint was made"
    assert await found_after(entries, POINTS, tmp_path) == {}


async def test_a_ledger_that_does_not_wait_for_the_disk_would_be_found_out(recorder, tmp_path):
    entries = recorded(recorder, WORK, tmp_path / "work", "NORMAL")
    found = await found_after(entries, 40, tmp_path)
    assert any("forgotten" in fault for faults in found.values() for fault in faults)
