"""A ledger's file in trouble: it is said so that a person knows what to do, and nothing is left half."""

import asyncio
import os
import sqlite3
import tempfile
from pathlib import Path

import pytest

from scrapeyard.backends.sqlite.connection import open_database
from scrapeyard.backends.sqlite.ledger import open_ledger
from scrapeyard.backends.sqlite.opening import migrations, statements
from scrapeyard.model.errors import Conflict, Refused, StorageError
from scrapeyard.model.item import Added, NewItem
from scrapeyard.testing.scenes import NOW, Scene, a_job, beat, failed, new_items, staged, succeeded


def look(path, statement):
    connection = sqlite3.connect(path)
    rows = connection.execute(statement).fetchall()
    connection.close()
    return rows


@pytest.fixture
def as_nobody():
    """Somebody without special rights, also where the tests are run by root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    yield
    if root:
        os.seteuid(0)


@pytest.fixture
def closed_folder():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "data"
        Path(name).chmod(0o755)
        folder.mkdir()
        yield folder
        folder.chmod(0o755)


async def test_a_ledger_is_there_again_after_closing(tmp_path):
    first = await open_ledger(tmp_path / "ledger.db")
    scene = await staged(first, 8)
    leases = await scene.take(5)
    await scene.settle(succeeded(leases[0]), failed(leases[1]))
    tally, items = await scene.tally(), await scene.items()
    await first.close()
    second = Scene(await open_ledger(tmp_path / "ledger.db"), a_job())
    assert await second.tally() == tally
    assert await second.items() == items
    assert await second.settle(succeeded(leases[2])) == [True]
    await second.ledger.close()


async def test_a_folder_that_is_missing_is_made(tmp_path):
    ledger = await open_ledger(tmp_path / "a" / "b" / "ledger.db")
    await ledger.close()
    assert (tmp_path / "a" / "b" / "ledger.db").exists()


async def test_a_newer_layout_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "ledger.db"
    await (await open_ledger(path)).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(Refused, match=r"newer Scrapeyard \(layout 99.*: update Scrapeyard"):
        await open_ledger(path)
    assert look(path, "PRAGMA user_version") == [(99,)]


async def test_an_older_layout_is_brought_up_to_date_and_keeps_its_rows(tmp_path):
    path = tmp_path / "some.db"
    first = "CREATE TABLE parcel (name TEXT);\nINSERT INTO parcel VALUES ('a;b');"
    await (await open_database(path, (first,), "FULL")).close()
    await (await open_database(path, (first, "ALTER TABLE parcel ADD COLUMN size INTEGER DEFAULT 3"), "FULL")).close()
    assert look(path, "SELECT name, size FROM parcel") == [("a;b", 3)]
    assert look(path, "PRAGMA user_version") == [(2,)]


async def test_a_layout_that_fails_half_way_leaves_nothing(tmp_path):
    path = tmp_path / "some.db"
    with pytest.raises(StorageError):
        await open_database(path, ("CREATE TABLE parcel (name TEXT);\nCREATE TABLE parcel (name TEXT);",), "FULL")
    assert look(path, "SELECT name FROM sqlite_master") == []


def test_every_layout_is_taken_apart_into_whole_statements():
    for folder in ("ledger", "live"):
        for script in migrations(folder):
            assert all(sqlite3.complete_statement(statement) for statement in statements(script))


async def test_a_file_that_is_no_database_is_refused(tmp_path):
    path = tmp_path / "ledger.db"
    path.write_bytes(b"parcel_id,owner\n" * 300)
    with pytest.raises(StorageError, match="is not a Scrapeyard database: choose another data folder") as caught:
        await open_ledger(path)
    assert caught.value.final
    assert path.read_bytes() == b"parcel_id,owner\n" * 300


async def test_a_folder_that_cannot_be_written_is_named(closed_folder, as_nobody):
    with pytest.raises(StorageError, match=r"cannot be opened.*: give this user write access") as caught:
        await open_ledger(closed_folder / "ledger.db")
    assert caught.value.final


async def test_a_file_in_place_of_the_folder_is_named(tmp_path):
    (tmp_path / "data").write_text("x")
    with pytest.raises(StorageError, match="choose another data folder"):
        await open_ledger(tmp_path / "data" / "ledger.db")


async def test_a_full_disk_is_said_and_what_fits_no_more_leaves_nothing_half(tmp_path):
    ledger = await open_ledger(tmp_path / "ledger.db")
    job = await ledger.jobs.create(a_job())
    await ledger.items.add(job.id, new_items(100))
    await ledger._database.write(lambda connection: connection.execute("PRAGMA max_page_count = 120").fetchone())
    large = [NewItem(f"L-{n}", b"x" * 10_000) for n in range(90)]
    with pytest.raises(StorageError, match=r"The disk that holds .* is full: make room there, then go on") as caught:
        await ledger.items.add(job.id, large)
    assert not caught.value.final
    assert (await ledger.jobs.tally(job.id)).loaded == 100
    await ledger._database.write(lambda connection: connection.execute("PRAGMA max_page_count = 100000").fetchone())
    assert await ledger.items.add(job.id, large) == Added(90, 0)
    assert await ledger.jobs.tally(job.id) == await ledger.jobs.recount(job.id)
    await ledger.close()


async def test_a_closed_ledger_says_so_and_may_be_closed_again(tmp_path):
    ledger = await open_ledger(tmp_path / "ledger.db")
    await ledger.close()
    await ledger.close()
    for asked in (ledger.jobs.find(), ledger.leases.beat(beat("w1"))):
        with pytest.raises(StorageError, match="is closed already: open it again"):
            await asked


async def test_what_was_asked_for_before_closing_is_done(tmp_path):
    ledger = await open_ledger(tmp_path / "ledger.db")
    asked = [asyncio.ensure_future(ledger.leases.beat(beat(f"w{n}"))) for n in range(50)]
    await asyncio.sleep(0)
    await ledger.close()
    assert await asyncio.gather(*asked) == [True] * 50


async def test_an_errand_that_fails_undoes_nothing_of_the_others_in_its_transaction(tmp_path):
    ledger = await open_ledger(tmp_path / "ledger.db")
    scene = await staged(ledger, 5)
    await scene.take()
    answers = await asyncio.gather(
        *(ledger.leases.beat(beat(f"v{n}")) for n in range(20)),
        ledger.leases.leave("w1"),
        *(ledger.leases.beat(beat(f"w{n}")) for n in range(20)),
        return_exceptions=True,
    )
    assert isinstance(answers[20], Conflict)
    assert [answer for answer in answers if answer is True] == [True] * 40
    assert len(await ledger.leases.workers()) == 40
    await ledger.close()


async def test_a_long_load_lets_others_write_in_between(tmp_path):
    loading, other = await open_ledger(tmp_path / "ledger.db"), await open_ledger(tmp_path / "ledger.db")
    job = await loading.jobs.create(a_job())
    load = asyncio.ensure_future(loading.items.add(job.id, new_items(60_000)))
    for version in range(1, 4):
        assert await other.leases.beat(beat("w1", version))
        assert not load.done()
    assert await load == Added(60_000, 0)
    for ledger in (loading, other):
        await ledger.close()


async def test_a_redrive_that_was_cut_off_is_finished_by_asking_again(tmp_path, monkeypatch):
    from scrapeyard.backends.sqlite import redrive
    from scrapeyard.model.item import Selection
    from scrapeyard.model.states import VisitState

    monkeypatch.setattr(redrive, "_STEP", 10)
    ledger = await open_ledger(tmp_path / "ledger.db")
    scene = await staged(ledger, 100)
    await scene.settle(*[failed(lease) for lease in await scene.take()])
    renew, steps = redrive._renew, []

    def dying(*args):
        steps.append(args)
        if len(steps) == 4:
            raise StorageError("The power went off.")
        return renew(*args)

    monkeypatch.setattr(redrive, "_renew", dying)
    with pytest.raises(StorageError):
        await ledger.items.redrive(scene.id, Selection(), now=NOW)
    assert (await scene.tally()).count(VisitState.WAITING) == 30
    assert await ledger.items.redrive(scene.id, Selection(), now=NOW) == 70
    assert {item.epoch for item in await scene.items()} == {1}
    assert (await scene.tally()).count(VisitState.WAITING) == 100
    await ledger.close()
