"""A job's counters, kept beside its items: so that a status costs the same for a million items as for ten.

A backend notes every change here while it changes items, and writes the sum down in the same transaction.
What a cancelled job did not run is derived from the counters, never written item by item.
"""

from collections import Counter
from collections.abc import Mapping

import msgspec

from scrapeyard.model.attempt import Attempt
from scrapeyard.model.capture import RecordBatch
from scrapeyard.model.failures import Kind
from scrapeyard.model.job import Tally, TierTally
from scrapeyard.model.states import ReadingState, VisitState

_STATE = "state."
_FAILED = "failed."
_TIER = "tier."
"""Counters by tier: `tier.tries.direct`."""
_UNTOLD = ("duplicates", "stale")
_GOOD = frozenset({VisitState.SUCCEEDED, VisitState.ABSENT})
_NOT_RUN = (VisitState.WAITING, VisitState.OFFERED)


class Standing(msgspec.Struct, frozen=True):
    """As much of an item as is counted."""

    state: VisitState
    kind: str | None = None
    records: int = 0
    unreadable: bool = False


def standing(state: VisitState, kind: str | None, records: RecordBatch | None, reading: ReadingState) -> Standing:
    """The standing of an item with that result."""
    return Standing(state, kind, record_count(records), reading is ReadingState.UNREADABLE)


def record_count(records: RecordBatch | None) -> int:
    """How many rows a batch has, of all models together."""
    return sum(records.counts.values()) if records is not None else 0


class Counting:
    """Changes to one job's counters, by name, to be applied together."""

    def __init__(self) -> None:
        self.changes: Counter[str] = Counter()

    def loaded(self, accepted: int, duplicates: int) -> None:
        """New items, and those that were there already."""
        self.changes["loaded"] += accepted
        self.changes["duplicates"] += duplicates
        self.changes[_STATE + VisitState.WAITING] += accepted

    def moved(self, was: VisitState, now: VisitState, count: int = 1) -> None:
        """Items that merely changed hands."""
        self.changes[_STATE + was] -= count
        self.changes[_STATE + now] += count

    def replaced(self, was: Standing, now: Standing) -> None:
        """One item that stood so and now stands otherwise."""
        self.counted(was, -1)
        self.counted(now, 1)

    def counted(self, item: Standing, times: int) -> None:
        """So many items that stand like this."""
        self.changes[_STATE + item.state] += times
        if item.state is VisitState.FAILED:
            self.changes[_FAILED + (item.kind or Kind.UNKNOWN)] += times
        self.changes["records"] += times * item.records
        self.changes["unreadable"] += times * item.unreadable

    def tried(self, *attempts: Attempt) -> None:
        """More recorded tries."""
        for tier in {one.tier for one in attempts}:
            here = [one for one in attempts if one.tier == tier]
            wire_bytes, micros = sum([one.wire_bytes for one in here]), sum([one.cost_micros for one in here])
            self.changes["attempts"] += len(here)
            self.changes["wire_bytes"] += wire_bytes
            self.changes["requests"] += sum([one.requests for one in here])
            self.changes["busy_ms"] += sum([one.ms for one in here])
            self.changes["cost_micros"] += micros
            self.changes[f"{_TIER}tries.{tier}"] += len(here)
            self.changes[f"{_TIER}good.{tier}"] += sum([one.outcome in _GOOD for one in here])
            self.changes[f"{_TIER}wire_bytes.{tier}"] += wire_bytes
            self.changes[f"{_TIER}cost_micros.{tier}"] += micros

    def late(self, times: int = 1) -> None:
        """A result that came too late to be recorded, said so often."""
        self.changes["stale"] += times


def untold(counters: Mapping[str, int]) -> dict[str, int]:
    """The counters that a recount leaves as they are: no row tells of them, or what tells of them is packed away."""
    return {name: count for name, count in counters.items() if name in _UNTOLD or name.startswith(_TIER)}


def tally_of(counters: Mapping[str, int], *, cancelled: bool) -> Tally:
    """The counters as people read them."""
    states = {state: counters.get(_STATE + state, 0) for state in VisitState}
    if cancelled:
        states[VisitState.CANCELLED] += sum(states[state] for state in _NOT_RUN)
        states.update(dict.fromkeys(_NOT_RUN, 0))
    failed = {name.removeprefix(_FAILED): count for name, count in counters.items() if name.startswith(_FAILED)}
    return Tally(
        states={state: count for state, count in states.items() if count},
        failed={kind: failed[kind] for kind in sorted(failed) if failed[kind]},
        loaded=counters.get("loaded", 0),
        duplicates=counters.get("duplicates", 0),
        attempts=counters.get("attempts", 0),
        records=counters.get("records", 0),
        unreadable=counters.get("unreadable", 0),
        wire_bytes=counters.get("wire_bytes", 0),
        requests=counters.get("requests", 0),
        busy_ms=counters.get("busy_ms", 0),
        cost_micros=counters.get("cost_micros", 0),
        stale=counters.get("stale", 0),
        tiers={tier: _tier(counters, tier) for tier in _tiers(counters)},
    )


def _tiers(counters: Mapping[str, int]) -> list[str]:
    begin = f"{_TIER}tries."
    return sorted(name.removeprefix(begin) for name, count in counters.items() if count and name.startswith(begin))


def _tier(counters: Mapping[str, int], tier: str) -> TierTally:
    tries, good, wire_bytes, micros = (
        counters.get(f"{_TIER}{name}.{tier}", 0) for name in ("tries", "good", "wire_bytes", "cost_micros")
    )
    return TierTally(tries, good, wire_bytes, micros)


def shown_state(state: VisitState, *, cancelled: bool) -> VisitState:
    """What a person is told: in a cancelled job, whatever was not begun counts as cancelled."""
    return VisitState.CANCELLED if cancelled and state in _NOT_RUN else state
