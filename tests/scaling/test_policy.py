"""How many workers there should be: from none to enough and back, without wavering, for workloads of many shapes."""

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scaling.simulated import Site, best_fixed, lived
from scrapeyard.decisions.scaling import Habits, Load, Plan, load, per_worker, planned
from scrapeyard.model.gate import ClosedGate, GateName, JobView
from scrapeyard.model.pace import Pace

HABITS = Habits(slots=4, least=0, most=10, start=30.0)
SIZES = (1, 2, 3, 4, 6, 8, 10)

SHAPES = {
    "a long list": [Site("a", [(0, 1600)], seconds=40)],
    "a site that takes one request in two seconds": [Site("a", [(0, 700)], seconds=12, rate=0.5)],
    "a site that takes three items at once": [Site("a", [(0, 400)], seconds=10, at_once=3)],
    "two lists half an hour apart": [Site("a", [(0, 1200), (4_000, 1200)], seconds=40)],
    "a trickle": [Site("a", [(second, 1) for second in range(0, 3_000, 2)], seconds=10)],
    "twelve polite sites with lists of all lengths": [
        Site(f"site{n}", [(60 * n, 60 + 35 * n)], seconds=15, at_once=3) for n in range(12)
    ],
    "a tide": [
        Site("a", [(second, round(6 + 5 * math.sin(second / 600))) for second in range(0, 5_400, 10)], seconds=40)
    ],
    "a long list beside polite ones": [
        Site("big", [(0, 1200)], seconds=30), Site("slow", [(0, 400)], seconds=8, rate=0.3),
        Site("late", [(900, 300)], seconds=20, at_once=6),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_a_fleet_that_scales_is_nearly_as_quick_and_as_cheap_as_the_best_fixed_one(name):
    sites = SHAPES[name]
    scaled, best = lived(sites, HABITS), best_fixed(sites, HABITS, SIZES)
    print(
        f"{name}: {scaled.finished} s and {scaled.worker_seconds:.0f} worker-s against {best.finished} s and "
        f"{best.worker_seconds:.0f}; most wanted {max(count for _, count in scaled.wanted)}, "
        f"{len(scaled.reversals())} reversals"
    )
    assert scaled.wanted[1][1] > 0, "it grows at once"
    assert (scaled.wanted[-1][1], scaled.left) == (0, 0), "and is gone when nothing is left"
    assert scaled.finished <= 1.3 * best.finished
    assert scaled.worker_seconds <= 1.1 * best.worker_seconds
    assert scaled.most_in(600) <= 1


def test_work_that_is_over_before_a_worker_has_started_gets_one_worker():
    ended = lived([Site("a", [(0, 30)], seconds=2)], HABITS)
    assert max(count for _, count in ended.wanted) == 1
    assert ended.wanted[-1][1] == 0


def view(site: str = "a", waiting: int = 0, *gates: GateName, lane: str = "http", **pace: object) -> JobView:
    closed = tuple(ClosedGate(gate, "") for gate in gates)
    return JobView("j", 0.0, closed, pace=msgspec.convert(pace, Pace), lane=lane, site=site, waiting=waiting)


@pytest.mark.parametrize(
    "gate",
    [GateName.PAUSED, GateName.WINDOW, GateName.BREAKER, GateName.BUDGET, GateName.RETRY_WAIT, GateName.SITE_WAIT],
)
def test_what_no_worker_could_start_asks_for_none(gate):
    assert load([view("a", 400_000, gate, seconds=5.0)], "http").slots == 0


def test_jobs_of_one_site_share_what_it_can_be_fed():
    views = [view("a", 1000, seconds=10.0, site_rate=2.0, held=8) for _ in range(2)]
    assert load(views, "http").slots == pytest.approx(22)  # 2/s × 10 s, and a tenth more
    other = view("b", 1000, seconds=10.0, site_at_once=8)
    assert load([*views, other], "http").slots == pytest.approx(30)
    five = [msgspec.structs.replace(one, requests=5.0) for one in views]
    assert load(five, "http").slots == pytest.approx(4.4)
    fresh = [view("a", 1000, seconds=10.0, site_rate=2.0)]
    assert load(fresh, "http").slots == 1  # the first shows how long they take


def test_an_item_that_waits_for_its_worker_is_seen_whatever_its_site_allows():
    slow = view("a", 3, GateName.NO_WORKER, seconds=0.0, site_rate=0.01)
    assert load([slow], "http").slots == 1
    assert planned(Plan(), load([slow], "http"), HABITS, 0.0).wanted == 1


def test_a_version_that_nobody_has_asks_for_no_more_of_those_who_have_it_not():
    views = [view("a", 400, GateName.NO_WORKER, seconds=5.0)]
    assert load(views, "http", ready=0).slots == 400
    assert load(views, "http", ready=2).slots == 0


def test_a_site_at_its_limit_is_given_no_more_workers_than_run_for_it():
    busy = view("a", 100_000, GateName.SITE_RATE, held=6, seconds=60.0, site_rate=5.0)
    assert load([busy], "http").slots == 6


def test_a_lane_has_only_its_own_jobs():
    views = [view("a", 50, seconds=1.0), view("b", 70, lane="browser", seconds=1.0)]
    assert (load(views, "http").waiting, load(views, "browser").waiting) == (50, 70)
    assert per_worker(load(views, "browser"), 0) == 70
    assert per_worker(load(views, "browser"), 7) == 10


@given(
    st.lists(st.tuples(st.floats(0, 500), st.integers(1, 120)), min_size=1, max_size=120),
    st.integers(0, 3),
)
def test_whatever_comes_the_fleet_stays_within_its_bounds_and_does_not_waver(steps, least):
    habits = Habits(slots=8, least=least, most=12, start=20.0)
    plan, now, turns, rising = Plan(), 0.0, 0, None
    for slots, seconds in steps:
        for _ in range(seconds):
            before, plan = plan, planned(plan, Load(slots, slots * 60), habits, now)
            assert least <= plan.wanted <= 12 or before == Plan()
            if plan.wanted != before.wanted:
                turns += rising is not None and rising != (plan.wanted > before.wanted)
                rising = plan.wanted > before.wanted
            now += 5.0
    assert turns <= 2 + now / 600
