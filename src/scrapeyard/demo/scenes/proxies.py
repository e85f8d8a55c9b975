"""Eight of ten proxies die in the middle of the work, and come back a little later.

That is a fault of the proxies and of nobody else: no item pays for it with an attempt, the job does not stop, and what
is dead is noticed within seconds and left alone until it lives again.
"""

import asyncio
from typing import NamedTuple

import msgspec

from scrapeyard.demo.county import Origin
from scrapeyard.demo.outside import Ground
from scrapeyard.demo.scene import QUICK, Ending, Play, Scene
from scrapeyard.demo.scenes.proxied import proxied
from scrapeyard.model.failures import VERDICTS, Fault, Kind
from scrapeyard.model.states import FINAL_VISITS, VisitState

TIER = "datacenter"
_DEAD = 0.8
_SECONDS = 9.0
_PROXY_FAULTS = frozenset(kind.value for kind in Kind if VERDICTS[kind].fault is Fault.PROXY)


class Toll(NamedTuple):
    """What went down with the proxies: tries that they refused, and tries that broke off in the middle, which may be
    anybody's fault; how long after the death the last of them began; and an item of them."""

    refused: int = 0
    broken: int = 0
    seconds: float = 0.0
    key: str = ""


async def toll(play: Play, died: float, back: float) -> Toll:
    """What the ledger says of the time in which they were dead."""
    found = Toll()
    after = -1
    while page := await play.yard.ledger.items.page(play.job.id, after=after):
        after = page[-1].seq
        for item in page:
            for attempt in await play.yard.ledger.items.attempts(play.job.id, item.seq):
                ended = attempt.started + attempt.ms / 1000
                if attempt.kind is None or ended < died or attempt.started >= back:
                    continue
                refused = attempt.kind in _PROXY_FAULTS
                late = max(found.seconds, attempt.started - died)
                found = Toll(found.refused + refused, found.broken + (not refused), late, found.key or item.key)
    return found


async def _script(play: Play) -> Ending:
    await play.done(0.25 * play.total)
    await play.outside.upset(_SECONDS, **{TIER: {"dead": _DEAD}})
    died = play.yard.clock.now()
    before = await play.status()
    play.say(f"8 of 10 proxies die: they refuse every connection, for {_SECONDS:.0f} seconds.")
    await asyncio.sleep(_SECONDS)
    carried, status = await _carried(play), await play.status()
    done = status.tally.count(*FINAL_VISITS) - before.tally.count(*FINAL_VISITS)
    play.say(f"They live again. Meanwhile the other two did {done:,} items.")
    status = await play.end()
    again = sum(now > then for now, then in zip(await _carried(play), carried, strict=True))
    lost = await toll(play, died, died + _SECONDS)
    answered = status.tally.count(VisitState.SUCCEEDED, VisitState.ABSENT) / max(1, play.total)
    words = (
        (
            f"Tries that dead proxies refused: {lost.refused:,}, at no item's expense; that broke off as they died: "
            f"{lost.broken:,}. The last of them began {lost.seconds:.1f} s after the death."
        ),
        f"After they came back {again} of the 10 were used again. {answered:.1%} of the items have an answer.",
    )
    figures = {"refused": lost.refused, "broken": lost.broken, "out_of_use_s": lost.seconds}
    figures |= {"used_again": again, "answered": answered, "trips": await _trips(play)}
    return Ending(words, figures, ("status {job}", f"item {lost.key} --job {{job}}", "events {job}"))


async def _trips(play: Play) -> int:
    """How often a breaker tripped, as the ledger remembers."""
    events = await play.yard.ledger.events.page(job=play.job.id)
    return sum(event.name == "breaker_tripped" for event in events)


async def _carried(play: Play) -> list[int]:
    """How many requests each proxy has carried."""
    return [proxy["requests"] for proxy in await play.outside.proxies(TIER)]


SCENE = Scene(
    name="proxies",
    title="Eight of ten proxies die in the middle of the work and come back: no item pays for it",
    scraper="county.alder",
    ground=Ground(parcels=2_500, datacenter=10),
    script=_script,
    policy=msgspec.structs.replace(QUICK, tiers=(TIER,)),
    dial={"walls": {Origin.DIRECT.value: 1}, "latency": 0.05},
    settings=proxied,
    opening=("Everything goes through ten datacenter proxies, because nobody gets in directly.",),
)
