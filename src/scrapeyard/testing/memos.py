"""What every book of memos promises: nobody overwrites what another has learned."""

import asyncio

import msgspec
import pytest

from scrapeyard.model.errors import BadInput
from scrapeyard.ports.ledger import Ledger
from scrapeyard.testing.scenes import LedgerSuite, OpenLedger


class MemosSuite(LedgerSuite):
    """Behaviour of the `MemoBook` port."""

    async def test_at_first_nothing_is_known(self, ledger: Ledger) -> None:
        assert await ledger.memos.recall("a") is None
        assert await ledger.memos.under("") == []

    async def test_what_is_kept_is_seen_by_all(self, ledger: Ledger, reopen: OpenLedger) -> None:
        kept = await ledger.memos.keep("breaker/x", b"open", seen=None)
        assert kept is not None
        assert (kept.name, kept.body) == ("breaker/x", b"open")
        assert await (await reopen()).memos.recall("breaker/x") == kept

    async def test_only_who_has_seen_it_as_it_is_may_change_it(self, ledger: Ledger) -> None:
        first = await ledger.memos.keep("a", b"1", seen=None)
        second = await ledger.memos.keep("a", b"2", seen=first)
        assert second is not None
        assert await ledger.memos.keep("a", b"3", seen=first) is None
        assert await ledger.memos.keep("a", b"3", seen=None) is None
        assert await ledger.memos.keep("a", b"3", seen=msgspec.structs.replace(second, body=b"1")) is None
        assert await ledger.memos.recall("a") == second

    async def test_the_same_body_again_is_a_change_too(self, ledger: Ledger) -> None:
        first = await ledger.memos.keep("a", b"1", seen=None)
        second = await ledger.memos.keep("a", b"1", seen=first)
        assert first is not None
        assert second is not None
        assert second.version != first.version
        assert await ledger.memos.keep("a", b"2", seen=first) is None

    async def test_an_empty_body_forgets_and_old_sights_are_void(self, ledger: Ledger) -> None:
        first = await ledger.memos.keep("a", b"1", seen=None)
        assert await ledger.memos.keep("a", b"", seen=first) is not None
        assert await ledger.memos.recall("a") is None
        assert await ledger.memos.under("a") == []
        assert await ledger.memos.keep("a", b"2", seen=first) is None
        again = await ledger.memos.keep("a", b"1", seen=None)
        assert again is not None
        assert await ledger.memos.keep("a", b"2", seen=first) is None
        assert await ledger.memos.recall("a") == again

    async def test_they_are_listed_by_the_start_of_their_names_page_by_page(self, ledger: Ledger) -> None:
        for name in ("b/2", "a/1", "b/1", "b", "c/1", "b/10", "b_/1"):
            await ledger.memos.keep(name, name.encode(), seen=None)
        found = await ledger.memos.under("b/")
        assert [memo.name for memo in found] == ["b/1", "b/10", "b/2"]
        assert [memo.body for memo in found] == [b"b/1", b"b/10", b"b/2"]
        first = await ledger.memos.under("b/", limit=2)
        assert [memo.name for memo in first] == ["b/1", "b/10"]
        assert [memo.name for memo in await ledger.memos.under("b/", after="b/10")] == ["b/2"]
        assert [memo.name for memo in await ledger.memos.under("b%")] == []

    async def test_any_bytes_come_back_as_they_were(self, ledger: Ledger) -> None:
        body = bytes(range(256)) * 700
        await ledger.memos.keep("a", body, seen=None)
        found = await ledger.memos.recall("a")
        assert found is not None
        assert found.body == body

    async def test_what_no_store_could_hold_is_refused(self, ledger: Ledger) -> None:
        for name, body in (("", b"x"), ("n" * 501, b"x"), ("n\n", b"x"), ("\u00e9", b"x"), ("n", b"x" * 200_001)):
            with pytest.raises(BadInput):
                await ledger.memos.keep(name, body, seen=None)

    async def test_of_many_at_once_one_wins(self, reopen: OpenLedger) -> None:
        ledgers = [await reopen() for _ in range(4)]
        before = await ledgers[0].memos.keep("a", b"0", seen=None)
        kept = await asyncio.gather(*(ledgers[n % 4].memos.keep("a", b"%d" % n, seen=before) for n in range(1, 13)))
        (winner,) = [one for one in kept if one is not None]
        assert await ledgers[0].memos.recall("a") == winner
