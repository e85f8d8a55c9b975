"""No statement of the PostgreSQL backend walks through a whole table that grows with the number of items.

The statements are those that really run, overheard while everything is used once, and explained with the values that
they had. Walking through a table is made so dear for that, that a plan which does it all the same has no other way.
"""

import re
from typing import Any, NamedTuple

import msgspec
import pytest

from backends.verbs import use_every_verb
from scrapeyard.backends.postgres.ledger import open_ledger
from scrapeyard.backends.postgres.live import open_live
from scrapeyard.backends.postgres.opening import open_database
from scrapeyard.backends.postgres.queue import PostgresQueue
from scrapeyard.ports.queue import Wants
from scrapeyard.testing.queue import an_offer
from scrapeyard.testing.scenes import NOW, again, staged, succeeded

LARGE = {"item", "standing", "attempt", "hold"}
"""Tables that grow with the number of items."""

WORK = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b")


class Said(NamedTuple):
    """A statement as it was asked."""

    statement: str
    values: tuple[Any, ...]


@pytest.fixture
async def database(postgres):
    opened = await open_database(postgres.fresh() + "&connections=1")
    yield opened
    await opened.close()


async def overheard(database) -> list[Said]:
    said: list[Said] = []

    async def listen(connection) -> None:
        connection.add_query_logger(lambda query: said.append(Said(query.query, tuple(query.args or ()))))

    await database.read(listen)
    return said


async def plans(database, said: list[Said], **settings: str) -> dict[str, list[dict[str, Any]]]:
    """The steps of each statement's plan."""
    found: dict[str, list[dict[str, Any]]] = {}

    async def explain(connection) -> None:
        for name, value in settings.items():
            await connection.execute(f"SET {name} = {value}")
        for statement, values in said:
            if WORK.match(statement) and statement not in found and "pg_" not in statement:
                (row,) = await connection.fetch(f"EXPLAIN (FORMAT JSON) {statement}", *values)
                found[statement] = steps(msgspec.json.decode(row[0])[0]["Plan"])

    await database.read(explain)
    return found


def steps(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(step for inner in plan.get("Plans", ()) for step in steps(inner))]


def walks(found: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Steps through a large table that no condition on an index narrows, with the statement."""
    return [
        f"{step['Node Type']} on {step.get('Relation Name')}: {statement}"
        for statement, parts in found.items()
        for step in parts
        if step.get("Relation Name") in LARGE and "Scan" in step["Node Type"] and not narrowed(step)
    ]


def narrowed(step: dict[str, Any]) -> bool:
    return bool(step.get("Index Cond") or step.get("Recheck Cond") or step.get("TID Cond"))


async def test_no_statement_of_the_ledger_walks_through_all_items(database):
    ledger = await open_ledger(database)
    said = await overheard(database)
    await use_every_verb(ledger)
    found = await plans(database, list(said), enable_seqscan="off")
    assert len(found) > 40
    assert walks(found) == []


async def test_offers_are_taken_by_the_id_of_their_item_however_many_end_together(database):
    scene = await staged(await open_ledger(database), 3_000)
    offers = await scene.offer(3_000)
    await database.ask("ANALYZE hold")
    said = await overheard(database)
    assert len(await scene.ledger.leases.begin("w1", offers[:200], now=NOW)) == 200
    found = await plans(database, list(said), enable_seqscan="off")
    (taking,) = (parts for statement, parts in found.items() if re.match(r"\s*UPDATE hold", statement))
    assert [step["Index Name"] for step in taking if "Index Name" in step] == ["hold_pkey"]


async def test_only_an_item_that_was_tried_before_is_looked_for_among_those_that_were(database):
    scene = await staged(await open_ledger(database), 20)
    said = await overheard(database)
    for turn, ends in enumerate((lambda lease: again(lease, NOW), succeeded)):
        leases = await scene.take()
        assert len(leases) == 20
        assert all(await scene.ledger.leases.settle([ends(lease) for lease in leases], now=NOW))
        assert sum("FROM standing WHERE id = ANY" in one.statement for one in said) == turn


async def test_the_overhearing_would_notice(database):
    await open_ledger(database)
    said = await overheard(database)
    for statement in ("SELECT max(changed) FROM standing", "SELECT id FROM item WHERE inputs = '\\x00'"):
        await database.ask(statement)
    assert len(walks(await plans(database, list(said), enable_seqscan="off"))) == 2


async def test_taking_from_the_queue_follows_the_line_of_its_lane_and_sorts_nothing(database):
    queue = PostgresQueue(await open_live(database))
    said = await overheard(database)
    await queue.put([an_offer(seq) for seq in range(20)])
    for wants in (Wants("http", frozenset({"9f"})), Wants("http")):
        await queue.take("w1", wants, 3, now=NOW)
    found = await plans(database, list(said), enable_seqscan="off", enable_bitmapscan="off")
    takes = [parts for statement, parts in found.items() if "ORDER BY lane, id" in statement]
    assert takes
    for parts in takes:
        kinds = [step["Node Type"] for step in parts]
        assert "Sort" not in kinds
        (line,) = [step for step in parts if step.get("Index Name") == "waiting_lane"]
        assert "lane" in line["Index Cond"]
