"""Which way does an item take to its site? The one by which an answer is expected to cost least.

A cheap way that often fails is still worth a try before a dear one, as long as what it costs is less than its chance
times what it saves. So for every rung two figures are kept, what a stay on it costs and how likely it ends with an
answer, and an item begins on the rung from which the whole climb is cheapest. Only failures that say something of the
way count (those whose kind asks for a higher rung); a site that is down says nothing of proxies. What is known fades,
because sites change their minds; and a rung that is passed by is tried again now and then, the more seldom the longer
it has been hopeless.
"""

from collections.abc import Sequence
from math import inf

import msgspec

from scrapeyard.model.failures import VERDICTS, Kind
from scrapeyard.model.ladder import DIRECT, Price, Rung
from scrapeyard.model.states import VisitState

BOTHER = {"http": 10.0, "browser": 100.0}
"""Millionths of a dollar that a try costs whatever the proxy costs: a slot, and a request that the site remembers."""
WINDOW = 30.0
"""Stays on a rung that are remembered."""
INHERITED = 10.0
"""Stays that a new job believes of what others have learned of its site."""
LOOK = 50
"""Items that pass a hopeless rung by before one tries it again; after each look in vain twice as many."""
LOOK_DOUBLINGS = 5
LOOK_SOON = 5
"""The same after a look that was not in vain."""
_REQUESTS, _BYTES = 3.0, 100_000.0
"""Of a try about which nothing is known."""
_DEARER = 5.0
"""How much dearer than the rung below a tier is held to be for which no price was given."""

_ANSWERS = frozenset({VisitState.SUCCEEDED, VisitState.ABSENT})


class Tried(msgspec.Struct, frozen=True, array_like=True):
    """What is known of one rung. `good` and `climbs` are stays that ended with an answer, or with a climb to a higher
    rung; `tries`, `micros` and `wire_bytes` are what these took; all of them fade. `misses` are climbs since the last
    answer. `passed` counts the items that passed the rung by since the last look at it, `looks` the looks in vain."""

    good: float = 0.0
    climbs: float = 0.0
    tries: float = 0.0
    micros: float = 0.0
    wire_bytes: float = 0.0
    misses: float = 0.0
    passed: int = 0
    looks: int = 0

    @property
    def stays(self) -> float:
        """How many are remembered."""
        return self.good + self.climbs


class Outcome(msgspec.Struct, frozen=True):
    """One try on a rung, as far as it bears on the choice of ways."""

    state: str
    kind: str | None = None
    micros: int = 0
    wire_bytes: int = 0


class Step(msgspec.Struct, frozen=True):
    """One rung of a job's ladder: what it is, what its tier costs if that was said, and what is known of it."""

    rung: Rung
    price: Price | None = None
    tried: Tried = Tried()


class Expected(msgspec.Struct, frozen=True):
    """A stay on a rung: its cost with the bother of it, its chance to end with an answer, and a try's own money and
    bytes, for budgets."""

    cost: float
    chance: float
    micros: float
    wire_bytes: float


class Choice(msgspec.Struct, frozen=True):
    """The rung that an item takes; a `look` is one below the best, to see whether it has become better."""

    rung: int
    look: bool = False


def learned(tried: Tried, outcome: Outcome) -> Tried:
    """The same rung after one more try; unchanged if the try says nothing of the way."""
    good = 1.0 if outcome.state in _ANSWERS else 0.0
    climb = 0.0
    if not good and outcome.kind:
        verdict = VERDICTS[Kind(outcome.kind)]
        climb = 1.0 / verdict.escalate if verdict.escalate else 0.0
    if not good and not climb:
        return tried
    stays = tried.good + tried.climbs
    kept = 1.0 if stays + good + climb <= WINDOW else max(0.0, (WINDOW - good - climb) / stays)
    return Tried(
        good=tried.good * kept + good,
        climbs=tried.climbs * kept + climb,
        tries=tried.tries * kept + 1.0,
        micros=tried.micros * kept + outcome.micros,
        wire_bytes=tried.wire_bytes * kept + outcome.wire_bytes,
        misses=0.0 if good else tried.misses + climb,
        passed=tried.passed,
        looks=0 if good else tried.looks,
    )


def inherited(tried: Tried) -> Tried:
    """What a new job believes of a rung that others have tried: less than they do, and soon to be looked at again."""
    kept = min(1.0, INHERITED / tried.stays) if tried.stays else 1.0
    return Tried(
        tried.good * kept, tried.climbs * kept, tried.tries * kept, tried.micros * kept, tried.wire_bytes * kept,
        tried.misses, passed=LOOK - LOOK_SOON,
    )  # fmt: skip


def expected(steps: Sequence[Step]) -> list[Expected]:
    """What to expect of each rung; of one that nobody has tried, what its price and the other rungs let expect."""
    size = _size(steps)
    found: list[Expected] = []
    for step in steps:
        tried = step.tried
        bother = BOTHER.get(step.rung.lane, BOTHER["http"])
        known = step.price or (Price() if step.rung.tier == DIRECT else None)
        imagined = known.micros(_REQUESTS, size) if known is not None else 0.0
        cost = (tried.micros + imagined + bother * (tried.tries + 1)) / (tried.stays + 1)
        if known is None and found:
            cost = max(cost, _DEARER * found[-1].cost)
        found.append(
            Expected(
                cost=cost,
                chance=_chance(tried),
                micros=(tried.micros + imagined) / (tried.tries + 1),
                wire_bytes=(tried.wire_bytes + size) / (tried.tries + 1),
            )
        )
    return found


def choose(steps: Sequence[Step], expectations: Sequence[Expected], at: int, closed: frozenset[int]) -> Choice | None:
    """The rung for an item that has climbed to `at`; None while every rung that it may take is closed."""
    ways = [rung for rung in range(min(at, len(steps) - 1), len(steps)) if rung not in closed]
    if not ways:
        return None
    best, _ = _cheapest(ways, expectations)
    for rung in ways[: ways.index(best)]:
        if steps[rung].tried.passed >= _gap(steps[rung].tried):
            return Choice(rung, look=True)
    return Choice(best)


def passed_by(tried: Tried) -> Tried:
    """The rung after one more item passed it by."""
    return msgspec.structs.replace(tried, passed=tried.passed + 1)


def looked_at(tried: Tried) -> Tried:
    """The rung after an item was sent to see how it is."""
    return msgspec.structs.replace(tried, passed=0, looks=tried.looks + 1)


def _cheapest(ways: Sequence[int], expectations: Sequence[Expected]) -> tuple[int, float]:
    """The rung from which an answer costs least, with all that may come after it.

    An item that is lost on the last rung costs as much as an answer bought elsewhere. So where nothing works, the
    cheapest failure is chosen, and not the dearest way for the sake of a faint hope.
    """
    lost = min(expectations[rung].cost / expectations[rung].chance for rung in ways)
    best, least, after = ways[-1], inf, lost
    for rung in reversed(ways):
        whole = expectations[rung].cost + (1.0 - expectations[rung].chance) * after
        if whole <= least:
            best, least = rung, whole
        after = least
    return best, least


def _chance(tried: Tried) -> float:
    """By Laplace's rule over what is remembered; a longer row of failures than that counts whole."""
    seen = (tried.good + 1.0) / (tried.stays + 2.0)
    return min(seen, 1.0 / (tried.misses + 2.0)) if tried.misses >= WINDOW else seen


def _gap(tried: Tried) -> int:
    """How many items pass a rung by between two looks at it."""
    if tried.tries and not tried.misses:
        return LOOK_SOON
    return LOOK << min(tried.looks, LOOK_DOUBLINGS)


def _size(steps: Sequence[Step]) -> float:
    """Bytes of a try that ends with an answer, as far as the job has shown."""
    return max((step.tried.wire_bytes / step.tried.tries for step in steps if step.tried.good >= 1), default=_BYTES)
