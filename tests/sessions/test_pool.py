"""Sessions are reused while they do well, kept with their proxy, given up when worn or blocked, and never shared by
two visits unless the scraper says so."""

import asyncio

import msgspec
import pytest

from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.model.errors import LoginFailed, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.model.policy import SitePolicy
from scrapeyard.model.scraper import ScraperCard, ScraperRef
from scrapeyard.model.session import Cookie, SessionTerms
from scrapeyard.ports.proxies import Proxy
from scrapeyard.scraping.sessions.options import SessionOptions
from scrapeyard.scraping.sessions.pool import LEAVE_AFTER, SessionPool
from scrapeyard.scraping.sessions.shelf import MemoShelf
from scrapeyard.testing.clock import VirtualClock


class Street:
    """A proxy for each session, until it is moved on."""

    def __init__(self):
        self.moved = 0
        self.judgements = []
        self.trouble: VisitError | None = None

    async def lend(self, tier, session):
        if self.trouble:
            raise self.trouble
        return None if tier == "direct" else Proxy(f"set/{session}.{self.moved}", "http://10.0.0.1:1")

    def judged(self, proxy, kind):
        self.judgements.append((proxy, kind))

    async def close(self):
        pass


class World:
    """Pools of several processes over one ledger."""

    def __init__(self, options=None):
        self.clock = VirtualClock()
        self.street = Street()
        self.shelf = MemoShelf(MemoryLedger().memos, self.clock)
        self.options = options or SessionOptions()
        self.logins = 0

    def pool(self):
        return SessionPool(self.street, self.shelf, self.clock, self.options)

    async def visit(self, pool, card, kind=None, *, tier="direct", fresh=False):
        """One visit, with the opening if need be; gives the loan."""
        loan = await self.lend(pool, card, tier=tier, fresh=fresh)
        await pool.back(loan, self.after(loan), kind)
        return loan

    async def lend(self, pool, card, *, tier="direct", fresh=False):
        loan = await pool.lend(card, tier, "job/1/1", fresh=fresh)
        if card.opens and not loan.session.opened:
            self.logins += 1
            await pool.opened(loan, self.after(loan))
        return loan

    def after(self, loan):
        return msgspec.structs.replace(loan.session, cookies=(Cookie("sid", loan.session.id, "site.example"),))


def card(*, opens=True, secrets=(), terms: SessionTerms | None = None, name="test.one", **given):
    terms = terms or SessionTerms(**given)
    return ScraperCard(
        ScraperRef(name, "1", "d"), SitePolicy("site.example"), sessions=terms, opens=opens, secrets=secrets
    )


@pytest.fixture
def world():
    return World()


async def test_without_terms_every_visit_is_a_new_visitor(world):
    pool, plain = world.pool(), msgspec.structs.replace(card(opens=False), sessions=None)
    first, then = [await world.visit(pool, plain) for _ in range(2)]
    assert first.session.cookies == then.session.cookies == ()
    assert not then.used


async def test_a_session_is_opened_once_and_serves_one_visit_after_the_other(world):
    pool = world.pool()
    loans = [await world.visit(pool, card()) for _ in range(20)]
    assert world.logins == 1
    assert len({loan.session.id for loan in loans}) == 1
    assert loans[-1].session.cookies[0].value == loans[0].session.id
    assert (loans[0].used, loans[1].used) == (False, True)


async def test_visits_at_the_same_time_have_sessions_of_their_own(world):
    pool = world.pool()
    loans = [await world.lend(pool, card()) for _ in range(8)]
    assert len({loan.session.id for loan in loans}) == world.logins == 8
    for loan in loans:
        await pool.back(loan, world.after(loan), None)
    again = [await world.lend(pool, card()) for _ in range(8)]
    assert {loan.session.id for loan in again} == {loan.session.id for loan in loans}
    assert world.logins == 8


async def test_no_more_sessions_than_are_allowed_the_rest_wait(world):
    pool = world.pool()
    held = [await world.lend(pool, card(most=2)) for _ in range(2)]
    waiting = asyncio.create_task(world.lend(pool, card(most=2)))
    await world.clock.advance(1)
    assert not waiting.done()
    await pool.back(held[0], world.after(held[0]), None)
    assert (await waiting).session.id == held[0].session.id
    assert world.logins == 2


async def test_many_visits_in_one_session_if_the_scraper_says_so(world):
    pool, shared = world.pool(), card(together=True)
    first = await pool.lend(shared, "direct", "x")
    waiting = [asyncio.create_task(world.lend(pool, shared)) for _ in range(8)]
    await world.clock.advance(1)
    assert not any(task.done() for task in waiting), "the others wait for the one that opens"
    await pool.opened(first, world.after(first))
    loans = await asyncio.gather(*waiting)
    assert {loan.session.id for loan in loans} == {first.session.id}
    assert all(loan.session.cookies for loan in loans)
    assert world.logins == 0


@pytest.mark.parametrize(
    ("terms", "passes"), [({"uses": 3}, 0.0), ({"age": 100.0}, 50.0), ({"idle": 30.0}, 40.0)], ids=str
)  # fmt: skip
@pytest.mark.parametrize("together", [False, True])
async def test_a_session_is_given_up_when_it_is_worn_old_or_long_out_of_use(world, terms, passes, together):
    pool, mine = world.pool(), card(together=together, **terms)
    for _ in range(6):
        await world.visit(pool, mine)
        await world.clock.advance(passes)
    assert world.logins == {"uses": 2, "age": 3, "idle": 6}[next(iter(terms))]


@pytest.mark.parametrize("kind", [Kind.BLOCKED, Kind.FORBIDDEN, Kind.WRONG_ITEM, Kind.SESSION_EXPIRED])
async def test_a_kind_that_asks_for_a_fresh_session_ends_it(world, kind):
    pool = world.pool()
    first = await world.visit(pool, card(), kind)
    assert (await world.visit(pool, card())).session.id != first.session.id


async def test_other_failures_end_it_only_in_a_row(world):
    pool = world.pool()
    for kind in (Kind.SITE_5XX, Kind.SITE_5XX, None, Kind.SITE_5XX, Kind.SITE_5XX, Kind.INVALID_INPUT):
        await world.visit(pool, card(), kind)
    assert world.logins == 1
    await world.visit(pool, card(), Kind.SITE_5XX)
    await world.visit(pool, card())
    assert world.logins == 2


async def test_the_one_that_does_better_is_lent_first(world):
    pool = world.pool()
    bad, good = await world.lend(pool, card()), await world.lend(pool, card())
    await pool.back(good, world.after(good), None)
    await pool.back(bad, world.after(bad), Kind.SITE_5XX)
    assert (await world.lend(pool, card())).session.id == good.session.id


async def test_a_session_and_its_proxy_go_together(world):
    pool = world.pool()
    first = await world.visit(pool, card(), tier="residential")
    same = await world.visit(pool, card(), tier="residential")
    assert first.proxy == same.proxy
    assert world.street.judgements == [(first.proxy.id, None)] * 2
    world.street.moved += 1  # the proxy went out of use, and the pool of proxies lends another
    then = await world.visit(pool, card(), tier="residential")
    assert then.session.id != first.session.id
    assert not then.used
    await world.visit(pool, card(), Kind.TIMEOUT_CONNECT, tier="residential")
    after = await world.visit(pool, card(), tier="residential")
    assert after.session.id != then.session.id, "a kind that asks for another proxy asks for another session"


async def test_each_tier_has_sessions_of_its_own(world):
    pool = world.pool()
    ids = {(await world.visit(pool, card(), tier=tier)).session.id for tier in ("direct", "datacenter", "residential")}
    assert len(ids) == 3


async def test_scrapers_that_give_one_name_use_the_same_sessions(world):
    pool = world.pool()
    for name in ("test.one", "test.two"):
        await world.visit(pool, card(name=name, terms=SessionTerms(name="guest")))
    assert world.logins == 1


async def test_no_proxy_is_told_and_nothing_is_held(world):
    pool = world.pool()
    world.street.trouble = VisitError("none", kind=Kind.PROXY_EXHAUSTED)
    for _ in range(3):
        with pytest.raises(VisitError):
            await pool.lend(card(most=1), "residential", "x")
    world.street.trouble = None
    assert await world.visit(pool, card(most=1), tier="residential")


async def test_a_visit_that_was_broken_off_takes_its_session_with_it(world):
    pool = world.pool()
    loan = await world.lend(pool, card(most=1))
    await pool.back(loan, None, None)
    assert (await world.visit(pool, card(most=1))).session.id != loan.session.id
    shared = card(together=True, name="test.together")
    loan = await world.lend(pool, shared)
    await pool.back(loan, None, None)
    assert (await world.visit(pool, shared)).session.id == loan.session.id, "many visits live in this one"


async def test_a_refused_login_is_not_tried_again_at_once_by_anybody(world):
    pools = [world.pool(), world.pool()]
    loan = await pools[0].lend(card(), "direct", "x")
    await pools[0].refused(loan, Kind.LOGIN_FAILED)
    for pool in pools:
        with pytest.raises(LoginFailed, match="refused our login; the next one is tried in 60 s"):
            await pool.lend(card(), "direct", "x")
    await world.clock.advance(61)
    loan = await pools[0].lend(card(), "direct", "x")
    await pools[0].refused(loan, Kind.LOGIN_FAILED)
    await world.clock.advance(61)
    with pytest.raises(LoginFailed):
        await pools[0].lend(card(), "direct", "x")
    await world.clock.advance(60)
    await world.visit(pools[0], card())
    await world.visit(pools[1], card())


async def test_an_opening_that_failed_otherwise_is_tried_by_the_next_visit(world):
    pool, shared = world.pool(), card(together=True)
    loan = await pool.lend(shared, "direct", "x")
    waiting = asyncio.create_task(world.lend(pool, shared))
    await world.clock.advance(1)
    await pool.refused(loan, Kind.SITE_5XX)
    assert (await waiting).session.id != loan.session.id
    assert world.logins == 1


async def test_after_an_expiry_a_fresh_session_is_opened_though_others_are_at_hand(world):
    pool = world.pool()
    held = [await world.lend(pool, card(most=2)) for _ in range(2)]
    for loan in held:
        await pool.back(loan, world.after(loan), None)
    expired = await world.visit(pool, card(most=2), Kind.SESSION_EXPIRED)
    fresh = await world.visit(pool, card(most=2), fresh=True)
    assert fresh.session.id not in {loan.session.id for loan in held}
    assert expired.used
    assert not fresh.used


async def test_of_many_visits_that_find_one_session_expired_one_opens_the_next(world):
    pool, shared = world.pool(), card(together=True)
    loans = [await world.lend(pool, shared) for _ in range(6)]
    assert world.logins == 1
    for loan in loans:
        await pool.back(loan, world.after(loan), Kind.SESSION_EXPIRED)
    again = [await world.lend(pool, shared, fresh=True) for _ in range(6)]
    assert world.logins == 2
    assert len({loan.session.id for loan in again}) == 1
    other = world.pool()
    assert (await world.lend(other, shared)).session.id == again[0].session.id
    assert world.logins == 2


async def test_processes_share_what_serves_many(world):
    pools = [world.pool() for _ in range(4)]
    first = await pools[0].lend(card(together=True), "direct", "x")
    others = [asyncio.create_task(world.lend(pool, card(together=True))) for pool in pools[1:]]
    await world.clock.advance(1)
    await pools[0].opened(first, world.after(first))
    await world.clock.advance(1)
    assert {task.result().session.id for task in others} == {first.session.id}
    assert all(task.result().used for task in others)
    assert world.logins == 0


async def test_what_one_process_does_not_need_another_takes_over(world):
    pool, other, third = world.pool(), world.pool(), world.pool()
    left = await world.visit(pool, card())
    await pool.tidy()
    busy = await world.visit(other, card())
    assert busy.session.id != left.session.id, "it was used a moment ago"
    await world.clock.advance(LEAVE_AFTER + 0.1)
    await pool.tidy()
    taken = await world.visit(third, card())
    assert (taken.session.id, taken.used) == (left.session.id, True)
    assert taken.session.cookies == world.after(left).cookies
    await third.close()
    assert (await world.visit(world.pool(), card())).session.id == left.session.id
    assert world.logins == 2


@pytest.mark.parametrize(
    ("share", "secrets", "logins"),
    [("guests", (), 1), ("guests", ("secret://word",), 2), ("all", ("secret://word",), 1), ("none", (), 2)],
)  # fmt: skip
@pytest.mark.parametrize("together", [True, False])
async def test_only_what_may_be_is_stored(share, secrets, logins, together):
    world = World(msgspec.convert({"share": share}, SessionOptions))
    for _ in range(2):
        pool = world.pool()
        await world.visit(pool, card(secrets=secrets, together=together))
        await pool.close()
    assert world.logins == logins
