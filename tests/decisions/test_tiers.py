"""The cheapest way that works: found, kept, doubted now and then, and paid for in simulated jobs of the real code."""

import random
from collections import Counter, deque
from collections.abc import Callable

import msgspec
import pytest

from scrapeyard.decisions.retry import Asked, Moment, after_failure
from scrapeyard.decisions.tiers import (
    BOTHER,
    LOOK,
    LOOK_SOON,
    WINDOW,
    Choice,
    Outcome,
    Step,
    Tried,
    choose,
    expected,
    inherited,
    learned,
    looked_at,
    passed_by,
)
from scrapeyard.model.failures import Kind
from scrapeyard.model.item import Offer
from scrapeyard.model.job import JobId
from scrapeyard.model.ladder import Price, Rung, price_of
from scrapeyard.model.policy import Policy
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import VisitState

REF = ScraperRef("s", "1", "d")
PRICES = {"datacenter": Price(0.5), "residential": Price(5.0), "mobile": Price(12.0)}
LADDER = ("direct", "datacenter", "residential")
GOOD, BLOCKED = Outcome("succeeded"), Outcome("failed", "blocked")
PAGE, WALL = 90_000, 8_000


def steps(*tried: Tried, tiers: tuple[str, ...] = LADDER, prices: dict[str, Price] = PRICES) -> list[Step]:
    known = [*tried, *[Tried()] * (len(tiers) - len(tried))]
    return [Step(Rung(tier, tier, REF), price_of(prices, tier), each) for tier, each in zip(tiers, known, strict=True)]


def after(*outcomes: Outcome, times: int = 1) -> Tried:
    tried = Tried()
    for _ in range(times):
        for outcome in outcomes:
            tried = learned(tried, outcome)
    return tried


def chosen(ladder: list[Step], at: int = 0, closed: frozenset[int] = frozenset()) -> Choice | None:
    return choose(ladder, expected(ladder), at, closed)


def test_an_item_begins_with_the_cheapest_way_while_nothing_is_known():
    assert chosen(steps()) == Choice(0)


def test_it_never_goes_below_the_rung_to_which_it_climbed():
    assert chosen(steps(), at=1) == Choice(1)
    assert chosen(steps(), at=9) == Choice(2), "a ladder that was shortened meanwhile has a top rung still"


def test_a_hopeless_rung_is_passed_by():
    assert chosen(steps(after(BLOCKED, times=100), after(Outcome("succeeded", None, 45, PAGE), times=30))) == Choice(1)


def test_a_cheap_rung_that_works_now_and_then_is_still_worth_a_try_before_a_dear_one():
    dear = after(Outcome("succeeded", None, 450, PAGE), times=20)
    assert chosen(steps(after(GOOD, *[BLOCKED] * 9, times=3), dear, tiers=("direct", "residential"))) == Choice(0)


def test_a_dearer_rung_that_always_works_beats_a_cheaper_one_that_seldom_does():
    datacenter = after(Outcome("succeeded", None, 45, PAGE), *[Outcome("failed", "blocked", 40, WALL)] * 29)
    residential = after(Outcome("succeeded", None, 450, PAGE), times=20)
    assert chosen(steps(after(BLOCKED, times=100), datacenter, residential)) == Choice(2)


def test_where_nothing_works_the_cheapest_failure_is_chosen():
    hopeless = [after(Outcome("failed", "blocked", micros, WALL), times=300) for micros in (0, 4, 40)]
    assert chosen(steps(*hopeless)) == Choice(0)


def test_only_failures_that_speak_of_the_way_teach_anything():
    for kind in (Kind.SITE_5XX, Kind.PROXY_ERROR, Kind.WORKER_LOST, Kind.SCRAPER_BUG, Kind.DNS):
        assert learned(Tried(), Outcome("failed", kind)) == Tried()
    assert learned(Tried(), Outcome("absent")).good == 1
    assert learned(Tried(), Outcome("failed", Kind.FORBIDDEN)).climbs == 0.5, "two of these make one climb"


def test_what_is_known_fades_so_that_a_site_may_change_its_mind():
    turned = after(GOOD, times=1_000)
    for _ in range(round(WINDOW)):
        turned = learned(turned, BLOCKED)
    assert expected(steps(turned))[0].chance < 0.4
    assert turned.stays <= WINDOW + 1e-6


def test_a_closed_rung_is_left_out_and_without_any_the_item_waits():
    assert chosen(steps(), closed=frozenset({0})) == Choice(1)
    assert chosen(steps(), at=1, closed=frozenset({1, 2})) is None


def test_a_tier_without_a_price_is_held_to_be_dearer_than_the_one_below():
    costs = [each.cost for each in expected(steps(prices={}))]
    assert costs == sorted(costs)
    assert costs[0] < costs[1] < costs[2]
    half = after(GOOD, BLOCKED, times=15)
    assert chosen(steps(half, after(GOOD, times=30), prices={})) == Choice(0), "half of the visits are saved"


def test_looks_at_a_hopeless_rung_become_rarer_and_one_answer_makes_them_frequent():
    ladder = steps(after(BLOCKED, times=100), after(Outcome("succeeded", None, 45, PAGE), times=30))
    gaps: list[int] = []
    since = 0
    for _ in range(LOOK * 20):
        choice = chosen(ladder)
        assert choice is not None
        tried = ladder[0].tried
        if choice.look:
            gaps.append(since)
            since, tried = 0, learned(looked_at(tried), BLOCKED)
        else:
            since, tried = since + 1, passed_by(tried)
        ladder[0] = msgspec.structs.replace(ladder[0], tried=tried)
    assert gaps == [LOOK, 2 * LOOK, 4 * LOOK, 8 * LOOK]
    better = learned(looked_at(ladder[0].tried), GOOD)
    for _ in range(LOOK_SOON):
        better = passed_by(better)
    ladder[0] = msgspec.structs.replace(ladder[0], tried=better)
    assert chosen(ladder) in {Choice(0), Choice(0, look=True)}


def test_a_new_job_believes_what_others_learned_but_looks_again_soon():
    taught = inherited(after(BLOCKED, times=500))
    ladder = steps(taught, inherited(after(Outcome("succeeded", None, 45, PAGE), times=30)))
    assert chosen(ladder) == Choice(1)
    for _ in range(LOOK_SOON):
        taught = passed_by(taught)
    assert chosen([msgspec.structs.replace(ladder[0], tried=taught), *ladder[1:]]) == Choice(0, look=True)


class Trial:
    """A job against a site of which only the share of tries that pass on each rung is known; 16 items at once."""

    def __init__(self, passes: Callable[[int, int], float], tiers: tuple[str, ...] = LADDER, seed: int = 7) -> None:
        self.passes = passes
        self.tiers = tiers
        self.luck = random.Random(seed)
        self.tried = [Tried() for _ in tiers]
        self.spent = 0
        self.starts = Counter[int]()
        self.answers = 0

    def run(self, items: int) -> "Trial":
        waiting = deque((seq, 0, 0, 0) for seq in range(items))
        out: deque[tuple[tuple[int, int, int, int], int]] = deque()
        while waiting or out:
            while waiting and len(out) < 16:
                item = waiting.popleft()
                out.append((item, self.way(item[1])))
            self.end(*out.popleft(), waiting)
        return self

    def way(self, at: int) -> int:
        """The rung, as the dispatcher decides it."""
        ladder = steps(*self.tried, tiers=self.tiers)
        choice = choose(ladder, expected(ladder), at, frozenset())
        assert choice is not None
        if choice.look:
            self.tried[choice.rung] = looked_at(self.tried[choice.rung])
        for rung in range(at, choice.rung):
            self.tried[rung] = passed_by(self.tried[rung])
        return choice.rung

    def end(self, item: tuple[int, int, int, int], way: int, waiting: deque[tuple[int, int, int, int]]) -> None:
        """What came of it, as the worker settles it."""
        seq, rung, strikes, attempts = item
        self.starts[way] += 1
        good = self.luck.random() < self.passes(way, seq)
        price = PRICES.get(self.tiers[way], Price())
        outcome = Outcome(
            "succeeded" if good else "failed", None if good else "blocked",
            price.micros(3 if good else 1, PAGE if good else WALL), PAGE if good else WALL,
        )  # fmt: skip
        self.spent += outcome.micros
        self.tried[way] = learned(self.tried[way], outcome)
        if good:
            self.answers += 1
            return
        offer = Offer(JobId("j"), seq, "k", b"", REF, 0, attempts + 1, 0.0, rung=rung, strikes=strikes, way=way)
        turn = after_failure(offer, Kind.BLOCKED, Policy(), Moment(0.0, 0.5), Asked(rungs=len(self.tiers)))
        if turn.state is VisitState.WAITING:
            waiting.appendleft((seq, turn.rung, turn.strikes, turn.attempts))

    @property
    def each(self) -> float:
        """Millionths of a dollar for an answer."""
        return self.spent / self.answers

    @property
    def whole(self) -> float:
        """The same with the bother of every try."""
        return (self.spent + BOTHER["http"] * self.starts.total()) / self.answers


def always(passes: Callable[[int, int], float], first: int, items: int) -> Trial:
    """Begin on that rung, climb on evidence, learn nothing."""
    trial = Trial(passes)
    trial.way = lambda at: max(first, at)
    return trial.run(items)


ITEMS = 3_000
BLOCKING = {
    "direct is blocked": lambda way, _: 1.0 if way else 0.0,
    "direct is blocked and datacenters half": lambda way, _: (0.0, 0.5, 0.99)[way],
    "blocked from the middle on": lambda way, seq: 1.0 if way or seq < ITEMS // 2 else 0.0,
}
OTHERS = {
    "direct passes now and then": lambda way, _: (0.1, 0.97, 0.99)[way],
    "datacenters are nearly all blocked": lambda way, _: (0.0, 0.03, 0.99)[way],
    "nothing is blocked": lambda *_: 1.0,
    "open again from the middle on": lambda way, seq: 1.0 if way or seq > ITEMS // 2 else 0.0,
}


@pytest.mark.parametrize("site", BLOCKING)
def test_the_learned_ladder_costs_at_most_a_tenth_more_than_the_cheapest_and_far_less_than_the_dearest(site):
    found = Trial(BLOCKING[site]).run(ITEMS)
    cheapest, *_, dearest = (always(BLOCKING[site], first, ITEMS).each for first in range(3))
    assert found.answers == ITEMS
    assert found.each <= 1.1 * cheapest, "who begins at the bottom and climbs pays least in money here"
    assert found.each <= 0.6 * dearest


@pytest.mark.parametrize("site", [*BLOCKING, *OTHERS])
def test_whatever_the_site_does_the_ladder_is_nearly_as_good_as_knowing_it_beforehand(site):
    passes = (BLOCKING | OTHERS)[site]
    found = Trial(passes).run(ITEMS)
    knowing = min(always(passes, first, ITEMS).whole for first in range(3))
    assert found.answers >= 0.99 * ITEMS
    assert found.whole <= 1.1 * knowing
