"""Whose turn is it? Shares by priority, over many rounds."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapeyard.decisions.shares import Claim, share

claims = st.lists(
    st.builds(
        Claim, st.sampled_from("abcdefgh"), st.integers(0, 9), st.integers(0, 40), st.floats(0.0, 100.0),
        st.sampled_from([(), ("p",), ("q",), ("p", "q")]),
    ),
    unique_by=lambda claim: claim.job, max_size=8,
)  # fmt: skip


def rounds(count: int, free: int, *wanting: Claim) -> Counter[str]:
    passes: dict[str, float] = {}
    total: Counter[str] = Counter()
    for _ in range(count):
        shares = share(free, wanting, passes, {})
        passes = shares.passes
        total.update(shares.starts)
    return total


@given(st.integers(0, 100), claims, st.dictionaries(st.sampled_from("pq"), st.integers(0, 30)))
def test_no_limit_is_passed_and_no_room_is_left_while_somebody_wants_it(
    free: int, wanting: list[Claim], pools: dict[str, int]
) -> None:
    starts = share(free, wanting, {}, pools).starts
    by_job = {claim.job: claim for claim in wanting}
    assert sum(starts.values()) <= free
    assert all(0 < count <= by_job[job].wants for job, count in starts.items())
    used = {pool: sum(count for job, count in starts.items() if pool in by_job[job].pools) for pool in "pq"}
    assert all(used[pool] <= room for pool, room in pools.items())
    if sum(starts.values()) < free:
        for claim in wanting:
            full = any(pool in pools and used[pool] == pools[pool] for pool in claim.pools)
            assert full or starts.get(claim.job, 0) == claim.wants


@pytest.mark.parametrize("free", [1, 7, 64])
def test_each_step_of_priority_doubles_the_share(free: int) -> None:
    total = rounds(6000 // free, free, Claim("low", 3, 99), Claim("middle", 4, 99), Claim("high", 5, 99))
    assert total["middle"] / total["low"] == pytest.approx(2, rel=0.2)
    assert total["high"] / total["middle"] == pytest.approx(2, rel=0.2)


def test_the_lowest_priority_comes_to_its_turn_beside_the_highest() -> None:
    assert rounds(2000, 1, Claim("last", 0, 9), Claim("first", 9, 9))["last"] >= 3


def test_time_is_shared_and_not_the_number_of_items() -> None:
    total = rounds(2000, 1, Claim("quick", 5, 9, cost=1.0), Claim("slow", 5, 9, cost=10.0))
    assert total["quick"] / total["slow"] == pytest.approx(10, rel=0.1)


def test_a_job_that_was_away_saves_up_no_turns() -> None:
    passes: dict[str, float] = {}
    busy, idle = Claim("busy", 5, 99), Claim("idle", 5, 99)
    passes = share(10, [busy, idle], passes, {}).passes
    for _ in range(1000):
        passes = share(10, [busy], passes, {}).passes
    starts = share(100, [busy, idle], passes, {}).starts
    assert starts["idle"] <= 60


def test_a_job_does_not_escape_what_it_had_by_being_away_for_a_moment() -> None:
    greedy, other = Claim("greedy", 5, 99), Claim("other", 5, 99)
    passes = share(1, [greedy, other], {}, {}).passes
    passes = share(50, [greedy], passes, {}).passes
    passes = share(1, [other], passes, {}).passes
    assert share(20, [greedy, other], passes, {}).starts == {"other": 20}


def test_a_full_pool_leaves_its_room_to_others() -> None:
    shares = share(10, [Claim("a", 9, 99, pools=("site",)), Claim("b", 0, 99)], {}, {"site": 2})
    assert shares.starts == {"a": 2, "b": 8}


def test_passes_of_jobs_that_are_gone_do_not_pile_up() -> None:
    passes: dict[str, float] = {}
    for number in range(500):
        passes = share(4, [Claim(f"job{number}", 5, 4), Claim("steady", 5, 4)], passes, {}).passes
    assert len(passes) < 20
