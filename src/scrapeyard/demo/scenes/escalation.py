"""A site that lets nobody in directly, and shows a quarter of its parcels to visitors from homes only.

The cheap ways are tried first and passed by where they are hopeless; only what needs a dear proxy gets one. What that
saves is worked out from the county's own rules: it alone knows by which way each parcel could have been had.
"""

from typing import NamedTuple

import msgspec

from scrapeyard.demo.county import Faults, Origin, barred
from scrapeyard.demo.outside import Ground
from scrapeyard.demo.scene import QUICK, Ending, Play, Scene
from scrapeyard.demo.scenes.proxied import TIERS, USD_PER_GB, proxied
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.item import Item
from scrapeyard.model.states import VisitState

WALLS = {Origin.DIRECT: 1.0, Origin.DATACENTER: 0.25}
_ANSWERS = frozenset({VisitState.SUCCEEDED, VisitState.ABSENT})


class Bill(NamedTuple):
    """What the job cost in dollars, what it would have at the least, and with the dearest way for all."""

    spent: float
    least: float
    dearest: float


async def bill(play: Play, status: JobStatus) -> tuple[Bill, Item | None]:
    """The bill, and an item that has climbed."""
    faults = Faults(walls=WALLS)
    least = dearest = 0.0
    climber: Item | None = None
    after = -1
    while page := await play.yard.ledger.items.page(play.job.id, after=after):
        after = page[-1].seq
        for item in page:
            if item.state not in _ANSWERS:
                continue
            attempts = await play.yard.ledger.items.attempts(play.job.id, item.seq)
            size = attempts[-1].wire_bytes / 1e9
            number = item.key.replace("-", "")
            cheapest = next(tier for tier in TIERS if not barred(play.seed, faults, Origin(tier), number))
            least += size * USD_PER_GB[cheapest]
            dearest += size * USD_PER_GB[TIERS[-1]]
            if climber is None and len({attempt.tier for attempt in attempts}) > 1:
                climber = item
    return Bill(status.tally.cost_micros / 1e6, least, dearest), climber


async def _script(play: Play) -> Ending:
    status = await play.done(0.1 * play.total)
    play.say(f"{_ways(status)} Nobody gets in directly, so that is hardly tried any more.")
    status = await play.end()
    told, climber = await bill(play, status)
    share, excess = told.spent / told.dearest, told.spent / told.least
    words = (
        _ways(status),
        (
            f"That cost ${told.spent:.3f}, {share:.0%} of what residential proxies for all would have cost: "
            f"${told.dearest:.3f}. The least that was possible is ${told.least:.3f}; it was {excess:.2f} times that."
        ),
    )
    look = ("status {job}", *([f"item {climber.key} --job {{job}}"] if climber else []), "items {job} --limit 20")
    return Ending(words, {**told._asdict(), "share_of_dearest": share, "times_the_least": excess}, look)


def _ways(status: JobStatus) -> str:
    told = [f"{tier} {way.good:,} of {way.tries:,}" for tier in TIERS if (way := status.tally.tiers.get(tier))]
    return f"Tries that got in: {', '.join(told)}."


SCENE = Scene(
    name="escalation",
    title="A site that blocks direct visitors: cheap proxies where they get through, dear ones only where they must be",
    scraper="county.alder",
    ground=Ground(parcels=1_500, datacenter=5, residential=1),
    script=_script,
    policy=msgspec.structs.replace(QUICK, tiers=TIERS),
    dial={"walls": {origin.value: share for origin, share in WALLS.items()}},
    moods={"datacenter": {"flaky": 0.01}, "residential": {"errors": {"peer_lost": 0.02}}},
    settings=proxied,
    opening=(
        "A bot defence stands before the site: nobody gets in directly, and a quarter of it is for homes only.",
        f"The ladder is {' → '.join(TIERS)}; a gigabyte costs {', '.join(f'${USD_PER_GB[tier]:g}' for tier in TIERS)}.",
    ),
)
