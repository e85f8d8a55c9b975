"""A site that bears less than it allows: from a moment on it answers 429 with a Retry-After to everything beyond that.

Nobody tells Scrapeyard how much it bears. Everybody waits as long as the site asks, then asks at a slower pace, and
what was refused is asked again; so the share of refusals falls, and every item gets its answer.
"""

from typing import NamedTuple

import msgspec

from scrapeyard.demo.outside import Ground
from scrapeyard.demo.scene import QUICK, Ending, Play, Scene
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.failures import Kind
from scrapeyard.model.policy import BreakerPolicy
from scrapeyard.model.states import FINAL_VISITS

_BEARS = 60.0
_FROM = 0.2
_LATE = 0.6
_RETRY_AFTER = 1


class Count(NamedTuple):
    """What the site itself has counted: requests in all, and those that it refused as too many."""

    requests: int = 0
    refused: int = 0

    def share(self, since: "Count") -> float:
        """The share of refusals since then."""
        return (self.refused - since.refused) / max(1, self.requests - since.requests)


async def counted(play: Play) -> Count:
    """As the site's own books say at this moment."""
    stats = await play.outside.stats()
    return Count(sum(stats["visitors"].values()), stats["faults"].get("over_limit", 0))


async def _script(play: Play) -> Ending:
    before = await play.done(_FROM * play.total)
    begun = await counted(play)
    await play.outside.turn(limit=_BEARS, retry_after=_RETRY_AFTER)
    play.say(
        f"The site bears {_BEARS:.0f} requests a second from now on, and says no to the rest with "
        f"429 and Retry-After: {_RETRY_AFTER}. Until now it was asked {_pace(before)}."
    )
    slowed = await play.until(lambda status: any(gate.gate in {"site_slowed", "site_wait"} for gate in status.gates))
    if slowed.gates:
        play.say(f"{slowed.gates[0].reason}")
    await play.done(_LATE * play.total)
    middle = await counted(play)
    status = await play.end()
    ended = await counted(play)
    early, late = middle.share(begun), ended.share(middle)
    again, first = await _asked_again(play)
    words = (
        (
            f"The site refused {ended.refused:,} of {ended.requests:,} requests: {early:.1%} of them up to the middle "
            f"of the work, {late:.1%} after it, at a pace that nobody told."
        ),
        f"{again:,} items were refused once or more and asked again; {_failed(status)}.",
    )
    figures = {"refused": ended.refused, "refused_share": ended.share(begun), "early": early, "late": late}
    figures |= {"again": again, "answered": status.tally.answered / max(1, play.total)}
    look = ("status {job}", "why {job}", *([f"item {first} --job {{job}}"] if first else []))
    return Ending(words, figures, look)


async def _asked_again(play: Play) -> tuple[int, str]:
    """How many items were refused as too many, and the first of them."""
    found, first, after = 0, "", -1
    while page := await play.yard.ledger.items.page(play.job.id, after=after):
        after = page[-1].seq
        for item in page:
            attempts = await play.yard.ledger.items.attempts(play.job.id, item.seq)
            if any(attempt.kind == Kind.RATE_LIMITED for attempt in attempts):
                found, first = found + 1, first or item.key
    return found, first


def _pace(status: JobStatus) -> str:
    ended = status.tally.count(*FINAL_VISITS)
    took = max(0.1, status.at - status.job.changed)
    return f"{status.tally.requests / took:.0f} times a second, for {ended:,} items"


def _failed(status: JobStatus) -> str:
    failed = sum(status.tally.failed.values())
    return f"{failed:,} of them failed in the end" if failed else "none of them failed in the end"


SCENE = Scene(
    name="throttling",
    title="A site that asks to be asked less (429, Retry-After): everybody slows down, and no item is lost",
    scraper="county.alder",
    ground=Ground(parcels=1_500),
    script=_script,
    policy=msgspec.structs.replace(QUICK, breaker=BreakerPolicy(open_times=(3.0, 5.0, 10.0))),
)
