"""What every book of leaders promises: one holder of a role at a time, judged by versions and by no clock."""

import asyncio

import msgspec

from scrapeyard.ports.ledger import Ledger
from scrapeyard.testing.scenes import LedgerSuite, OpenLedger

ROLE = "dispatcher"


class LeadersSuite(LedgerSuite):
    """Behaviour of the `LeaderBook` port."""

    async def test_at_first_nobody_leads(self, ledger: Ledger) -> None:
        assert await ledger.leaders.leader(ROLE) is None

    async def test_a_free_role_is_taken_and_seen_by_all(self, ledger: Ledger, reopen: OpenLedger) -> None:
        mine = await ledger.leaders.claim(ROLE, "a", seen=None)
        assert mine is not None
        assert (mine.role, mine.holder) == (ROLE, "a")
        assert await (await reopen()).leaders.leader(ROLE) == mine

    async def test_a_held_role_is_not_free(self, ledger: Ledger) -> None:
        mine = await ledger.leaders.claim(ROLE, "a", seen=None)
        assert await ledger.leaders.claim(ROLE, "b", seen=None) is None
        assert await ledger.leaders.claim(ROLE, "a", seen=None) is None
        assert await ledger.leaders.leader(ROLE) == mine

    async def test_every_renewal_changes_the_version(self, ledger: Ledger) -> None:
        seen = await ledger.leaders.claim(ROLE, "a", seen=None)
        versions: list[int] = []
        for _ in range(5):
            seen = await ledger.leaders.claim(ROLE, "a", seen=seen)
            assert seen is not None
            versions.append(seen.version)
        assert len(set(versions)) == 5

    async def test_who_saw_the_present_leader_may_take_over_and_the_old_one_is_out(self, ledger: Ledger) -> None:
        old = await ledger.leaders.claim(ROLE, "a", seen=None)
        new = await ledger.leaders.claim(ROLE, "b", seen=old)
        assert new is not None
        assert new.holder == "b"
        assert await ledger.leaders.claim(ROLE, "a", seen=old) is None
        assert await ledger.leaders.leader(ROLE) == new

    async def test_who_saw_only_an_older_version_may_not_take_over(self, ledger: Ledger) -> None:
        old = await ledger.leaders.claim(ROLE, "a", seen=None)
        renewed = await ledger.leaders.claim(ROLE, "a", seen=old)
        assert await ledger.leaders.claim(ROLE, "b", seen=old) is None
        assert await ledger.leaders.leader(ROLE) == renewed

    async def test_a_sight_of_somebody_else_does_not_fit(self, ledger: Ledger) -> None:
        mine = await ledger.leaders.claim(ROLE, "a", seen=None)
        assert mine is not None
        assert await ledger.leaders.claim(ROLE, "b", seen=msgspec.structs.replace(mine, holder="c")) is None

    async def test_a_role_given_up_is_free_and_old_sights_of_it_are_void(self, ledger: Ledger) -> None:
        old = await ledger.leaders.claim(ROLE, "a", seen=None)
        await ledger.leaders.resign(ROLE, "a")
        assert await ledger.leaders.leader(ROLE) is None
        assert await ledger.leaders.claim(ROLE, "b", seen=old) is None
        back = await ledger.leaders.claim(ROLE, "a", seen=None)
        assert await ledger.leaders.claim(ROLE, "b", seen=old) is None
        assert await ledger.leaders.leader(ROLE) == back

    async def test_only_the_holder_can_give_it_up(self, ledger: Ledger) -> None:
        mine = await ledger.leaders.claim(ROLE, "a", seen=None)
        await ledger.leaders.resign(ROLE, "b")
        await ledger.leaders.resign("other", "a")
        assert await ledger.leaders.leader(ROLE) == mine

    async def test_roles_know_nothing_of_each_other(self, ledger: Ledger) -> None:
        one = await ledger.leaders.claim(ROLE, "a", seen=None)
        other = await ledger.leaders.claim("schedules", "b", seen=None)
        assert await ledger.leaders.leader(ROLE) == one
        assert await ledger.leaders.leader("schedules") == other

    async def test_of_many_at_once_one_becomes_leader(self, reopen: OpenLedger) -> None:
        ledgers = [await reopen() for _ in range(4)]
        claims = [ledgers[n % 4].leaders.claim(ROLE, f"d{n}", seen=None) for n in range(12)]
        winners = [claimed for claimed in await asyncio.gather(*claims) if claimed is not None]
        assert len(winners) == 1
        assert await ledgers[0].leaders.leader(ROLE) == winners[0]
