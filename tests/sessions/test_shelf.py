"""The shelf of sessions in the ledger, and what stands in it."""

import asyncio

import pytest

from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.backends.sqlite.ledger import open_ledger
from scrapeyard.model.errors import StorageError
from scrapeyard.model.session import Cookie, Session
from scrapeyard.ports.sessions import Found, Shelf
from scrapeyard.scraping.sessions.shelf import MOST, PREFIX, MemoShelf
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.testing.shelf import POOL, ShelfSuite, session
from scrapeyard.worker.messages import Shelving
from scrapeyard.worker.shelving import AskingShelf, shelved


class TestShelfInMemory(ShelfSuite):
    """Over memos in memory."""

    @pytest.fixture
    def shelf(self, clock):
        return MemoShelf(MemoryLedger().memos, clock)

    @pytest.fixture
    def other(self, shelf):
        return shelf


class TestShelfInSqlite(ShelfSuite):
    """Over memos in a file, opened twice."""

    @pytest.fixture
    async def shelf(self, clock, tmp_path):
        ledger = await open_ledger(tmp_path / "ledger.db")
        yield MemoShelf(ledger.memos, clock)
        await ledger.close()

    @pytest.fixture
    async def other(self, clock, tmp_path):
        ledger = await open_ledger(tmp_path / "ledger.db")
        yield MemoShelf(ledger.memos, clock)
        await ledger.close()


class TestShelfAskedFor(ShelfSuite):
    """By way of the parent, as scraping processes reach it."""

    @pytest.fixture
    def parent(self, clock):
        return MemoShelf(MemoryLedger().memos, clock)

    @pytest.fixture
    def shelf(self, parent):
        return InOrder(parent)

    @pytest.fixture
    def other(self, parent):
        return InOrder(parent)


class InOrder:
    """A child's shelf whose parent has done each wish before the next one is made."""

    def __init__(self, parent: Shelf) -> None:
        self._parent = parent
        self._wishes: list[Shelving] = []
        self._child = AskingShelf(self._wishes.append)

    async def take(self, pool: str, *, together: bool) -> Found:
        asked = asyncio.create_task(self._child.take(pool, together=together))
        await asyncio.sleep(0)
        await self._done()
        return await asked

    async def put(self, pool: str, session: Session, *, until: float, together: bool) -> None:
        await self._child.put(pool, session, until=until, together=together)
        await self._done()

    async def forget(self, pool: str, session: str) -> None:
        await self._child.forget(pool, session)
        await self._done()

    async def refuse(self, pool: str, until: float) -> None:
        await self._child.refuse(pool, until)
        await self._done()

    async def _done(self) -> None:
        while self._wishes:
            answer = await shelved(self._parent, self._wishes.pop(0))
            if answer is not None:
                self._child.told(answer)


async def test_a_full_shelf_lets_the_oldest_go_and_stays_small():
    clock, memos = VirtualClock(), MemoryLedger().memos
    shelf = MemoShelf(memos, clock)
    for number in range(MOST + 10):
        fat = Session(str(number), (Cookie("sid", "x" * 4000, "site.example"),))
        await shelf.put(POOL, fat, until=clock.now() + 60, together=False)
    [memo] = await memos.under(PREFIX)
    assert len(memo.body) < 200_000
    taken = [await shelf.take(POOL, together=False) for _ in range(MOST)]
    assert taken[0].session is not None
    assert taken[0].session.id == str(MOST + 9)
    assert taken[-1] == Found()


async def test_what_is_over_is_swept_out_of_the_ledger():
    clock, memos = VirtualClock(), MemoryLedger().memos
    shelf = MemoShelf(memos, clock)
    for pool in ("a", "b"):
        await shelf.put(pool, session(pool), until=clock.now() + 900, together=True)
    await clock.advance(700)
    await shelf.take("c", together=False)
    assert len(await memos.under(PREFIX)) == 2
    await clock.advance(700)
    await shelf.take("c", together=False)
    assert await memos.under(PREFIX) == []


async def test_a_ledger_that_fails_costs_a_login_and_no_item():
    class Failing:
        async def recall(self, name):
            raise StorageError("the disk is gone")

    shelf = MemoShelf(Failing(), VirtualClock())  # pyright: ignore[reportArgumentType]
    assert await shelf.take(POOL, together=True) == Found()


async def test_a_parent_that_does_not_answer_is_not_waited_for_for_ever(monkeypatch):
    monkeypatch.setattr("scrapeyard.worker.shelving._PATIENCE", 0.01)
    assert await AskingShelf(lambda _: None).take(POOL, together=True) == Found()


def test_nothing_of_a_session_is_shown():
    shown = repr(Session("a", (Cookie("sid", "verysecret", "site.example"),), {"token": "verysecret"}))
    assert "verysecret" not in shown
    assert "verysecret" not in repr(Cookie("sid", "verysecret", "site.example"))
