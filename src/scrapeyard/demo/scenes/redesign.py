"""The site is redesigned in the middle of the work: its pages come, and say nothing any more.

The job notices within a few dozen items, stops by itself, says why, and tries a few items now and then at nobody's
expense. When the scraper fits the site again, here because the county takes its redesign back, it goes on by itself.
"""

import asyncio
from typing import NamedTuple

import msgspec

from scrapeyard.demo.outside import Ground
from scrapeyard.demo.scene import QUICK, Ending, Play, Scene
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.gate import GateName
from scrapeyard.model.item import Item
from scrapeyard.model.policy import BreakerPolicy
from scrapeyard.model.states import VisitState

_AT = 0.05
"""The share of the list that is done when the site breaks."""
_TRIPS = 2
"""The redesign stays until the probes have failed once."""
_ANSWERS = frozenset({VisitState.SUCCEEDED, VisitState.ABSENT})


class Toll(NamedTuple):
    """What began while the site was broken: ordinary tries, and probes; attempts that failed probes cost their items;
    and an item that was tried in vain."""

    started: int = 0
    probes: int = 0
    burned: int = 0
    key: str = ""


async def toll(play: Play, broke: float, repaired: float) -> Toll:
    """What the ledger says of the time in which nothing worked."""
    found, after = Toll(), -1
    while page := await play.yard.ledger.items.page(play.job.id, after=after):
        after = page[-1].seq
        for item in page:
            tries = await play.yard.ledger.items.attempts(play.job.id, item.seq)
            dark = [one for one in tries if broke <= one.started < repaired]
            probes = sum(one.probe for one in dark)
            failed = any(one.kind for one in dark)
            found = Toll(
                found.started + len(dark) - probes,
                found.probes + probes,
                found.burned + _burned(item, tries),
                found.key or (item.key if failed else ""),
            )
    return found


def _burned(item: Item, tries: list[Attempt]) -> int:
    """How many attempts the item is charged with beyond those that it may be: all but its probes that failed."""
    own = sum(not one.probe or one.kind is None for one in tries)
    return max(0, item.attempts - own)


async def _script(play: Play) -> Ending:
    await play.done(_AT * play.total)
    before = await play.status()
    in_flight = before.tally.count(VisitState.OFFERED, VisitState.RUNNING)
    broke = play.yard.clock.now()
    await play.outside.turn(rates={"redesign": 1})
    play.say("The site gets a new look: its pages come, but the fields have other names.")
    status = await play.until(lambda status: any(gate.gate is GateName.BREAKER for gate in status.gates))
    for gate in status.gates[:1]:
        play.say(gate.reason)
    tripped: list[float] = []
    while len(tripped) < _TRIPS:
        await asyncio.sleep(0.2)
        tripped = await _told(play, "breaker_tripped")
    repaired = play.yard.clock.now()
    await play.outside.turn(rates={})
    play.say("The old look is back. Nobody tells the job.")
    status = await play.end()
    lost = await toll(play, broke, repaired)
    resumed = (await _told(play, "breaker_recovered"))[-1] - repaired
    words = (
        (
            f"{in_flight:,} items were under way when it broke. {lost.started:,} were started after that, and "
            f"{lost.probes:,} probes, which cost their items {lost.burned:,} attempts."
        ),
        f"{resumed:.1f} s after the repair the job went on by itself. All of its {play.total:,} items were seen to.",
    )
    answered = status.tally.count(*_ANSWERS) / max(1, play.total)
    figures = {"in_flight": in_flight, "resumed_s": resumed, "answered": answered}
    figures |= {"started": lost.started, "probes": lost.probes, "burned": lost.burned}
    return Ending(words, figures, ("events {job}", f"item {lost.key} --job {{job}}", "status {job}"))


async def _told(play: Play, name: str) -> list[float]:
    """When something of that name happened."""
    events = await play.yard.service.events.find(play.job.id, limit=500)
    return [event.at for event in events if event.name == name]


SCENE = Scene(
    name="redesign",
    title="The site is redesigned in the middle: the job stops itself, probes, and goes on when it fits again",
    scraper="county.plain",
    ground=Ground(parcels=5_000),
    script=_script,
    policy=msgspec.structs.replace(QUICK, breaker=BreakerPolicy(open_times=(4.0, 6.0, 10.0))),
    opening=("After a twentieth of the list its pages will change. A real job would wait a minute before it probes.",),
)
