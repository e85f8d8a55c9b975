"""What every shelf of sessions promises: nobody opens what others have, and nobody gets what is over."""

import asyncio

import pytest

from scrapeyard.model.session import Cookie, Session
from scrapeyard.ports.sessions import Found, Shelf
from scrapeyard.testing.clock import VirtualClock

POOL = "site.example\nscraper\ndirect"
COOKIE = Cookie("sid", "7", "site.example", expires=99.5)


def session(word: str) -> Session:
    """A session with all that it can have."""
    return Session(word, (COOKIE,), {"token": word}, 10.0, "set/one")


class ShelfSuite:
    """Behaviour of the `Shelf` port. The subclass has the fixtures `shelf` and `other`, two ways to the same shelf, and
    `clock`, by which both live."""

    @pytest.fixture
    def clock(self) -> VirtualClock:
        """The time."""
        return VirtualClock()

    async def test_an_empty_shelf_has_nothing(self, shelf: Shelf) -> None:
        assert await shelf.take(POOL, together=False) == Found()

    async def test_what_serves_one_at_a_time_is_taken_by_one(
        self, shelf: Shelf, other: Shelf, clock: VirtualClock
    ) -> None:
        for word in ("a", "b"):
            await shelf.put(POOL, session(word), until=clock.now() + 60, together=False)
        taken = await asyncio.gather(*(way.take(POOL, together=False) for way in (shelf, other, shelf, other)))
        found = [one.session for one in taken if one.session is not None]
        assert sorted(found, key=lambda one: one.id) == [session("a"), session("b")]
        assert await other.take("another pool", together=False) == Found()

    async def test_what_serves_many_is_opened_by_one_while_the_others_wait(
        self, shelf: Shelf, other: Shelf, clock: VirtualClock
    ) -> None:
        asked = [await way.take(POOL, together=True) for way in (shelf, other, other)]
        assert asked[0] == Found()
        assert all(one.wait > clock.now() for one in asked[1:])
        await shelf.put(POOL, session("a"), until=clock.now() + 60, together=True)
        for way in (shelf, other, other):
            assert (await way.take(POOL, together=True)).session == session("a")

    async def test_who_does_not_open_after_all_keeps_nobody_waiting_for_ever(
        self, shelf: Shelf, other: Shelf, clock: VirtualClock
    ) -> None:
        await shelf.take(POOL, together=True)
        await shelf.refuse(POOL, 0.0)
        assert await other.take(POOL, together=True) == Found()
        wait = (await shelf.take(POOL, together=True)).wait
        await clock.advance(wait - clock.now() + 1)
        assert await shelf.take(POOL, together=True) == Found()

    async def test_a_refused_login_is_told_to_all(self, shelf: Shelf, other: Shelf, clock: VirtualClock) -> None:
        until = clock.now() + 60
        await shelf.refuse(POOL, until)
        assert await other.take(POOL, together=False) == Found(refused=until)
        await clock.advance(61)
        assert await other.take(POOL, together=False) == Found()

    async def test_what_is_over_or_no_good_is_not_given(self, shelf: Shelf, other: Shelf, clock: VirtualClock) -> None:
        await shelf.put(POOL, session("a"), until=clock.now() + 10, together=True)
        await other.forget(POOL, "b")
        assert (await other.take(POOL, together=True)).session == session("a")
        await other.forget(POOL, "a")
        assert (await shelf.take(POOL, together=True)).session is None
        await shelf.put(POOL, session("c"), until=clock.now() + 10, together=True)
        await clock.advance(11)
        assert (await other.take(POOL, together=True)).session is None
