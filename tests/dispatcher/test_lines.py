"""Proxies that refuse us close their tier; a single item tries them now and then, and nobody's tries are spent."""

import pytest

from dispatcher.yard import UNWATCHED, Yard
from scrapeyard.decisions.lines import FIRST, IN_A_ROW, LONGEST, OPEN, heard
from scrapeyard.model.failures import Kind
from scrapeyard.model.gate import GateName
from scrapeyard.model.states import JobState, VisitState

ITEMS = 2_000


def test_a_row_of_refusals_closes_a_tier_for_longer_each_time_and_an_answer_opens_it() -> None:
    line, now = OPEN, 0.0
    for _ in range(IN_A_ROW - 1):
        line = heard(line, Kind.PROXY_AUTH, now)
    assert not line.closed(now)
    assert heard(heard(line, None, now), Kind.PROXY_AUTH, now).row == 1
    waits = []
    for _ in range(8):
        line = heard(line, Kind.PROXY_AUTH, now)
        waits.append(line.until - now)
        assert heard(line, Kind.PROXY_AUTH, now).until == line.until, "those that were under way make it no longer"
        now = line.until
        assert line.trying(now)
    assert waits[:4] == [FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST]
    assert max(waits) == LONGEST
    assert heard(line, Kind.SITE_5XX, now) == OPEN, "the site answered through it"
    assert heard(line, Kind.PROXY_ERROR, now) == line


@pytest.mark.parametrize("kind", [Kind.PROXY_AUTH, Kind.PROXY_EXHAUSTED, Kind.NO_PROXY])
async def test_a_job_whose_proxies_refuse_us_stands_behind_a_gate_and_goes_on_by_itself_when_they_serve_us(
    yard: Yard, kind: Kind
) -> None:
    job = await yard.job(ITEMS, tiers=("datacenter",), policy=UNWATCHED)
    yard.dispatcher()
    mended = False
    hand = yard.worker(slots=20, end=lambda _: VisitState.SUCCEEDED if mended else kind)
    await yard.clock.advance(20)
    gate = await yard.gate(job)
    assert gate is not None
    assert gate.gate is GateName.PROXIES
    assert "proxies of datacenter" in gate.reason
    assert gate.until is not None
    await yard.clock.advance(600)
    refused = len(hand.visits)
    assert refused <= 100, "those under way, and one at each trial"
    assert all(item.attempts == 0 for item in await yard.ledger.items.page(job, after=-1, limit=100))
    mended = True
    await yard.clock.advance(900)
    assert await yard.state(job) is JobState.COMPLETED
    tally = await yard.tally(job)
    assert (tally.answered, tally.failed) == (ITEMS, {})


async def test_the_next_way_is_taken_where_the_proxies_of_one_refuse_us(yard: Yard) -> None:
    job = await yard.job(300, tiers=("datacenter", "residential"), policy=UNWATCHED)
    yard.dispatcher()
    yard.worker(
        slots=10, rungs=2,
        end=lambda lease: Kind.PROXY_AUTH if lease.offer.tier == "datacenter" else VisitState.SUCCEEDED,
    )  # fmt: skip
    await yard.clock.advance(120)
    assert await yard.state(job) is JobState.COMPLETED
    assert (await yard.tally(job)).tiers["residential"].good == 300
