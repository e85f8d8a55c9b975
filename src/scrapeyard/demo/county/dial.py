"""Whether this visit goes wrong, decided so that the same run goes wrong in the same places.

The decision hangs on seed, parcel, step and how often that step was asked for, never on the order in which parcels
come; so two runs with different concurrency meet the same faults. Only `after` counts visits across parcels.
A flow of several steps is struck at one of them, chosen per parcel, so that a fault's rate is a rate per visit.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from scrapeyard.demo.county.dice import fingerprint, share
from scrapeyard.demo.county.faults import BY_PARCEL, Fault, Faults
from scrapeyard.demo.county.setting import Setting
from scrapeyard.demo.county.visitors import Origin

MOST_VISITS_KEPT = 500_000


class Verdict(NamedTuple):
    """What happens to one request that names a parcel."""

    fault: Fault | None = None
    redesigned: bool = False
    absent: bool = False


def lasting(seed: int, faults: Faults, number: str) -> Verdict:
    """What the dial does to this parcel on every visit, whatever the try."""
    return Verdict(
        _drawn(faults.sticky, share(seed, "sticky", number)) if faults.sticky else None,
        share(seed, Fault.REDESIGN, number) < faults.rates.get(Fault.REDESIGN, 0),
        share(seed, Fault.ABSENT, number) < faults.rates.get(Fault.ABSENT, 0),
    )


def barred(seed: int, faults: Faults, origin: Origin, number: str | None = None) -> bool:
    """Whether a wall stands before visitors from there: before the whole site, or before this parcel."""
    part = faults.walls.get(origin, 0)
    return part >= 1 or (number is not None and share(seed, "wall", origin, number) < part)


def _drawn(rates: Mapping[Fault, float], point: float) -> Fault | None:
    for fault in Fault:
        if fault in BY_PARCEL:
            continue
        point -= rates.get(fault, 0)
        if point < 0:
            return fault
    return None


class Dial:
    """The setting of one county, the visits it has seen, and what it has served."""

    def __init__(self, seed: int, faults: Faults, now: Callable[[], float] = time.monotonic) -> None:
        self._seed = seed
        self._now = now
        self._setting = Setting(faults, now)
        self._borne = 0.0
        self._borne_at = now()
        self._visits: dict[tuple[str, str], int] = {}
        self._seen = 0
        self.served: Counter[str] = Counter()

    @property
    def faults(self) -> Faults:
        """The setting now."""
        return self._setting.value

    def turn(self, faults: Faults, seconds: float | None = None) -> None:
        """Behave like this from now on, or only for so many seconds; visits counted so far stay counted."""
        self._setting.turn(faults, seconds)

    def reset(self) -> None:
        """Forget all visits, so that the same run meets the same faults again."""
        self._visits.clear()
        self._seen = 0
        self.served.clear()

    def walled(self, origin: Origin, number: str | None = None) -> bool:
        """Whether a request meets a wall; it is counted then."""
        walled = barred(self._seed, self.faults, origin, number)
        if walled:
            self.served["walled"] += 1
        return walled

    def bears(self) -> bool:
        """Whether the site bears one more request now: a bucket that holds one second's worth."""
        limit = self.faults.limit
        if limit is None:
            return True
        now = self._now()
        self._borne = max(0.0, self._borne - (now - self._borne_at) * limit)
        self._borne_at = now
        if self._borne + 1 > max(1.0, limit):
            self.served["over_limit"] += 1
            return False
        self._borne += 1
        return True

    def verdict(self, number: str, step: str = "record", steps: tuple[str, ...] = ("record",)) -> Verdict:
        """Decide about one more request for this parcel at this step of a flow."""
        self._seen += 1
        faults = self.faults
        if not (faults.rates or faults.sticky):
            return Verdict()
        stays = lasting(self._seed, faults, number)
        fault = None
        if len(steps) == 1 or steps[fingerprint(self._seed, "where", number) % len(steps)] == step:
            visit = self._count(number, step)
            fault = stays.fault or _drawn(faults.rates, share(self._seed, number, step, visit))
        verdict = Verdict(
            self._begun(fault),
            stays.redesigned and bool(self._begun(Fault.REDESIGN)),
            stays.absent and bool(self._begun(Fault.ABSENT)),
        )
        self._note(verdict)
        return verdict

    def _begun(self, fault: Fault | None) -> Fault | None:
        return fault if fault is not None and self._seen > self.faults.after.get(fault, 0) else None

    def _count(self, number: str, step: str) -> int:
        key = (number, step)
        visit = self._visits.get(key, 0) + 1
        if visit == 1 and len(self._visits) >= MOST_VISITS_KEPT:
            del self._visits[next(iter(self._visits))]
        self._visits[key] = visit
        return visit

    def _note(self, verdict: Verdict) -> None:
        if verdict.fault:
            self.served[verdict.fault.value] += 1
        if verdict.redesigned:
            self.served[Fault.REDESIGN.value] += 1
        if verdict.absent:
            self.served[Fault.ABSENT.value] += 1
