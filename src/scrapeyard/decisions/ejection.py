"""Which proxies of a pool are left alone for a while, because they fail where their peers do not.

There are proofs and there are suspicions. That nobody opens at its address, or that it refuses our credentials, is a
proof: such a proxy is out whatever becomes of the others. A row of failures is a suspicion: they may be our own line's
or the site's doing, so on suspicion never more than half of a pool is out. Each time out is longer than the last, until
a proxy has proved itself again.
"""

from math import inf
from typing import Final

import msgspec

from scrapeyard.model.failures import VERDICTS, Fault, Kind

FAULTS: Final = 2
"""Faults of the proxy itself, in a row, that put it out."""
BAD: Final = 5
"""The same for what may be the site's answer to this proxy: blocks, broken connections."""
FIRST: Final = 10.0
"""Seconds that a proxy is out the first time; the second time twice as long, and so on."""
LONGEST: Final = 600.0
SILENCE: Final = 3.0
"""Seconds without a sign of life after which a proxy in use is knocked at."""

_PROVEN: Final = frozenset({Kind.PROXY_AUTH, Kind.PROXY_EXHAUSTED})
"""What a proxy says itself, in so many words."""
_DOUBLINGS: Final = 16


class Standing(msgspec.Struct, frozen=True):
    """How one proxy has done. `faults` are its own in a row, `bad` what may be the site's; `times` is how often it was
    put out since it last proved itself, `heard` its last sign of life, `cause` why it is out or what failed last."""

    faults: int = 0
    bad: int = 0
    times: int = 0
    out: bool = False
    proven: bool = False
    until: float = 0.0
    heard: float = -inf
    cause: Kind | None = None

    def due(self, now: float) -> bool:
        """Whether it is time to see if it can come back."""
        return self.out and now >= self.until

    def silent(self, now: float) -> bool:
        """Whether it is in use but has not been heard of for a while."""
        return not self.out and now - self.heard >= SILENCE


NEW: Final = Standing()


def judged(standing: Standing, kind: Kind | None, now: float, *, spare: bool) -> Standing:
    """After a visit through it; no kind is a success. `spare` says that the pool can do without one more on suspicion.
    What is neither its merit nor its fault changes nothing."""
    if kind is not None and VERDICTS[kind].fault is Fault.PROXY:
        faulty = msgspec.structs.replace(standing, faults=standing.faults + 1, cause=kind)
        if faulty.faults < FAULTS or not (kind in _PROVEN or spare):
            return faulty
        return _put_out(faulty, now, proven=kind in _PROVEN)
    if kind is not None and _suspicious(kind):
        shaken = msgspec.structs.replace(standing, bad=standing.bad + 1, cause=kind)
        return _put_out(shaken, now, proven=False) if shaken.bad >= BAD and spare else shaken
    if kind is None or VERDICTS[kind].fault in (Fault.SITE, Fault.ITEM):
        return _alive(standing, now)
    return standing


def knocked(standing: Standing, now: float, *, opened: bool) -> Standing:
    """After somebody knocked at its door."""
    if not opened:
        told = msgspec.structs.replace(standing, cause=Kind.PROXY_ERROR)
        return _put_out(told, now, proven=True)
    if standing.due(now):
        return msgspec.structs.replace(standing, out=False, proven=False, faults=0, bad=0, heard=now)
    return standing if standing.out else msgspec.structs.replace(standing, heard=now)


def _alive(standing: Standing, now: float) -> Standing:
    """It answered for itself: whatever the site said came through it."""
    if standing.out:  # a visit that began before
        return msgspec.structs.replace(standing, heard=now)
    return Standing(heard=now)


def _put_out(standing: Standing, now: float, *, proven: bool) -> Standing:
    """Out for a while. News of visits that began earlier do not make it longer."""
    if standing.out and now < standing.until:
        return msgspec.structs.replace(standing, proven=standing.proven or proven)
    until = now + min(LONGEST, FIRST * 2 ** min(standing.times, _DOUBLINGS))
    return msgspec.structs.replace(standing, out=True, proven=proven, until=until, times=standing.times + 1)


def _suspicious(kind: Kind) -> bool:
    """Failures that may be the site's answer to this one proxy."""
    verdict = VERDICTS[kind]
    return verdict.rotate and verdict.fault is Fault.SITE
