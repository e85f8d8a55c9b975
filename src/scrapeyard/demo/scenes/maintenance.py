"""A site goes away for maintenance in the middle of the work, and comes back without telling anybody.

The same telling failure again and again trips the breaker within a few items. From then on a few probes look now and
then whether the site is back, which costs their items nothing; then the pace rises step by step, and the job ends
complete. Nobody has to do anything.
"""

import asyncio

import msgspec

from scrapeyard.demo.outside import Ground
from scrapeyard.demo.scene import QUICK, Ending, Play, Scene
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.policy import BreakerPolicy
from scrapeyard.model.states import FINAL_VISITS

_FROM = 0.3
_SECONDS = 9.0
_WAIT = 3.0
_CLOSED = frozenset({"breaker"})


async def _script(play: Play) -> Ending:
    await play.done(_FROM * play.total)
    await play.outside.turn(_SECONDS, rates={"maintenance": 1.0})
    away = play.yard.clock.now()
    play.say(f"The site shows a maintenance notice to everybody, for {_SECONDS:.0f} seconds.")
    closed = await play.until(lambda status: any(gate.gate in _CLOSED for gate in status.gates))
    noticed = closed.at - away
    if closed.gates:
        play.say(closed.gates[0].reason)
    await asyncio.sleep(max(0.0, away + _SECONDS - play.yard.clock.now()))
    back = play.yard.clock.now()
    stood = await play.status()
    play.say(f"The site is back; {_ended(stood):,} of {play.total:,} items are done. Nobody tells Scrapeyard.")
    going = await play.until(lambda status: _ended(status) > _ended(stood) + 1)
    resumed = going.at - back
    play.say(f"It has noticed after {resumed:.1f} s.")
    status = await play.end()
    met, probes = await _met(play, away, back)
    words = (
        (
            f"The breaker closed {noticed:.1f} s after the site went away. Until it was back {met:,} tries met the "
            f"notice, {probes:,} of them as probes, which cost their items nothing."
        ),
        (
            f"Work went on {resumed:.1f} s after the site was back, by itself. "
            f"{status.tally.answered:,} of {play.total:,} items have an answer."
        ),
    )
    figures = {"noticed_s": noticed, "resumed_s": resumed, "met": met, "probes": probes}
    figures |= {"answered": status.tally.answered / max(1, play.total)}
    return Ending(words, figures, ("events {job}", "status {job}", "why {job}"))


async def _met(play: Play, away: float, back: float) -> tuple[int, int]:
    """Tries that began while the site was away and failed, and how many of them were probes."""
    met, probes, after = 0, 0, -1
    while page := await play.yard.ledger.items.page(play.job.id, after=after):
        after = page[-1].seq
        for item in page:
            for attempt in await play.yard.ledger.items.attempts(play.job.id, item.seq):
                if _meets(attempt, away, back):
                    met, probes = met + 1, probes + attempt.probe
    return met, probes


def _meets(attempt: Attempt, away: float, back: float) -> bool:
    return attempt.kind is not None and away <= attempt.started < back


def _ended(status: JobStatus) -> int:
    return status.tally.count(*FINAL_VISITS)


SCENE = Scene(
    name="maintenance",
    title="A site goes away for maintenance: the job stops itself, looks now and then, and goes on by itself",
    scraper="county.alder",
    ground=Ground(parcels=1_500),
    script=_script,
    policy=msgspec.structs.replace(QUICK, breaker=BreakerPolicy(open_times=(_WAIT,))),
)
