"""No statement of the SQLite backend walks through a whole table that grows with the number of items.

The statements are those that really run, overheard from the connections while everything is used once.
"""

import re
import sqlite3

import pytest

from backends.verbs import use_every_verb
from scrapeyard.backends.sqlite.connection import Database
from scrapeyard.backends.sqlite.fleet import SqliteFleet
from scrapeyard.backends.sqlite.ledger import open_ledger
from scrapeyard.backends.sqlite.live import open_live
from scrapeyard.backends.sqlite.queue import SqliteQueue
from scrapeyard.model.fleet import Orders, WorkerReport
from scrapeyard.ports.queue import Wants
from scrapeyard.testing.scenes import NOW, staged

SMALL = {"worker", "leader", "number", "waiting", "report", "roster", "mail", "board", "json_each", "past"}
"""Tables that do not grow with the number of items: workers, roles, and what is live; and what a query makes itself."""

WORK = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b")

WALK = re.compile(r"SCAN (\w+)|SEARCH (\w+)$")
"""A search that does not say by what is a walk as well."""


def overheard(database: Database) -> list[str]:
    said: list[str] = []
    idle = database._idle
    readers = [idle.get() for _ in range(idle.qsize())]
    for connection in (database._writer, *readers):
        connection.set_trace_callback(said.append)
    for reader in readers:
        idle.put(reader)
    return said


def scans(path, statements) -> list[str]:
    """Walks through tables that are not small, with the statement."""
    found: list[str] = []
    connection = sqlite3.connect(path)
    for statement in sorted(set(statements)):
        if not WORK.match(statement):
            continue
        for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {statement}"):
            walked = WALK.match(step)
            if walked and not SMALL.intersection(walked.groups()) and "CONSTANT ROW" not in step:
                found.append(f"{step}: {statement}")
    connection.close()
    return found


async def test_no_statement_of_the_ledger_walks_through_all_items(tmp_path):
    ledger = await open_ledger(tmp_path / "ledger.db")
    said = overheard(ledger._database)
    await use_every_verb(ledger)
    await ledger.close()
    assert len(set(said)) > 60
    assert scans(tmp_path / "ledger.db", said) == []


async def test_the_overhearing_would_notice(tmp_path):
    ledger = await open_ledger(tmp_path / "ledger.db")
    said = overheard(ledger._database)
    for statement in ("SELECT max(changed) FROM standing", "SELECT id FROM item WHERE inputs = x'00'"):
        await ledger._database.read(lambda connection, statement=statement: connection.execute(statement).fetchall())
    await ledger.close()
    assert len(scans(tmp_path / "ledger.db", said)) == 2


async def test_taking_from_the_queue_passes_over_other_lanes(tmp_path):
    database = await open_live(tmp_path / "live.db")
    said = overheard(database)
    queue, fleet = SqliteQueue(database), SqliteFleet(database)
    ledger = await open_ledger(tmp_path / "ledger.db")
    await queue.put(await (await staged(ledger, 5)).offer())
    for wants in (Wants("http", frozenset("ab")), Wants("http")):
        await queue.take("w1", wants, 3, now=NOW)
    await fleet.order("w1", Orders(drain=True))
    await fleet.report(WorkerReport("w1", 1, "http", 1, 1))
    await fleet.collect()
    await ledger.close()
    await database.close()
    takes = [statement for statement in said if "INDEXED BY waiting_lane" in statement]
    assert len(takes) == 3
    connection = sqlite3.connect(tmp_path / "live.db")
    for statement in takes:
        plan = [step for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
        assert "SEARCH waiting USING INDEX waiting_lane (lane=?)" in plan
        assert not any("TEMP B-TREE" in step for step in plan)
    connection.close()


@pytest.mark.parametrize("verb", ["tally", "get"])
async def test_what_a_status_reads_is_no_more_for_many_items(tmp_path, verb):
    """Counted in steps of SQLite's own machine, so that no clock decides."""
    steps: dict[int, int] = {}
    for count in (10, 5_000):
        ledger = await open_ledger(tmp_path / f"{count}.db")
        scene = await staged(ledger, count)
        ticks: list[int] = []
        idle = ledger._database._idle
        readers = [idle.get() for _ in range(idle.qsize())]
        for reader in readers:
            reader.set_progress_handler(lambda ticks=ticks: ticks.append(1), 1)
            idle.put(reader)
        await getattr(ledger.jobs, verb)(scene.id)
        steps[count] = len(ticks)
        await ledger.close()
    assert 0 < steps[5_000] <= steps[10] * 1.5
