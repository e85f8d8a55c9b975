"""Breakers that many share: all jobs of a site, and all that our own machinery does.

Jobs too small to be judged one by one, and jobs that each fail a little less than would stop them, can tell together
that their site is down. But one job must not stop the others: a bad list or a scraper that asks for the wrong page
fails alone. So before a shared breaker trips, it is asked whether a single one of those who share it explains it all.
"""

from collections.abc import Mapping

from scrapeyard.decisions.marks import FAILURE, SUCCESS, Mark, Outcome, mark
from scrapeyard.decisions.peers import Score
from scrapeyard.model.breaker import Told
from scrapeyard.model.failures import VERDICTS, Fault, Kind
from scrapeyard.model.fleet import OutcomeNote
from scrapeyard.model.ladder import DIRECT
from scrapeyard.model.policy import BreakerPolicy

SITE = BreakerPolicy(canary=0)
"""How a site's own breaker judges: as that of a job does, but without a canary."""
OURS = BreakerPolicy(canary=0, open_times=(15.0, 30.0, 60.0, 120.0, 300.0))
"""What fails at ours is mended sooner than a site, and probing it disturbs nobody."""
FALTERING = Mark(Told.BAD, FAILURE, probe=True)
WORKING = Mark(Told.GOOD, SUCCESS, probe=True)
_ALIKE = 1 / 3
"""The share of failures above which the others fail too."""
_OTHERS_FAILED = 5
_OTHERS_HEARD = 10


def site_mark(note: OutcomeNote, *, probe: bool) -> Mark | None:
    """What an outcome tells of its site, whichever job it belongs to; None if it tells nothing."""
    if note.kind is not None and VERDICTS[Kind(note.kind)].fault is not Fault.SITE:
        return None
    first = note.attempt == 1 and not note.probe
    found = mark(Outcome(note.state, note.kind, first=first, probe=probe, proxied=note.tier != DIRECT))
    return found if found.points or probe else None


def is_ours(kind: str | None) -> bool:
    """Whether a failure is our own machinery's: storage, memory, a process that died."""
    return kind in (Kind.WORKER_LOST, Kind.RESOURCE_EXHAUSTED, Kind.STORAGE_ERROR)


def lonely_job(run: Mapping[str, Score]) -> bool:
    """Whether one job explains the failures at a site: the others, if there are any, hardly fail."""
    others = _without_worst(run)
    return others.failed < _OTHERS_FAILED or others.failed <= _ALIKE * others.size


def lonely_worker(run: Mapping[str, Score]) -> str | None:
    """The worker that alone has trouble, if others were heard that have none."""
    others = _without_worst(run)
    if others.size < _OTHERS_HEARD or others.failed > _ALIKE * others.size:
        return None
    return _worst(run)


def _worst(run: Mapping[str, Score]) -> str:
    return max(run, key=lambda name: (run[name].failed, name))


def _without_worst(run: Mapping[str, Score]) -> Score:
    left = [score for name, score in run.items() if name != _worst(run)]
    return Score(sum(score.failed for score in left), sum(score.size for score in left))
