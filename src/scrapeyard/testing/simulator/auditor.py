"""Sits at the ledger's own desk and writes down what it did, whether or not the answer arrived.

So the invariants are judged by what happened, not by what anybody believes: I2 (one live token per item), I3 (what is
final stays final but for a redrive), I4 (one result per item and epoch), I5 (tries and crashes are bounded), and I7
(nothing starts while a person holds the job).
"""

from collections.abc import Sequence
from typing import Any

from scrapeyard.model.failures import POISON_AT, VERDICTS
from scrapeyard.model.item import Item, Lease, Settlement
from scrapeyard.model.job import Job
from scrapeyard.model.states import FINAL_VISITS, VisitState
from scrapeyard.testing.faults.wrapping import Call, Going

Place = tuple[str, int]

_ALLOWED = max(verdict.attempts for verdict in VERDICTS.values())
"""The tries of one item may fail in different ways, so the most patient kind sets the bound."""


class Violation(AssertionError):
    """An invariant does not hold."""


class Auditor:
    """A fault that does no harm: it notes every lease and every settlement."""

    def __init__(self) -> None:
        self.recorded: dict[tuple[str, int, int], VisitState] = {}
        self.stale = 0
        self._tokens: dict[Place, tuple[int, str]] = {}
        self._final: dict[Place, tuple[int, VisitState]] = {}
        self.begun: list[tuple[str, int]] = []

    async def around(self, call: Call, go: Going) -> Any:
        """Ask, and look at what was done."""
        answer = await go()
        if call.name == "ledger.leases.begin":
            self._took(answer)
        elif call.name == "ledger.leases.fence":
            for lease in answer or ():  # they pass to whoever fenced, under new tokens
                self._tokens[lease.offer.job, lease.offer.seq] = (lease.fence, lease.worker)
        elif call.name == "ledger.leases.settle":
            self._settled(call.values[0], answer)
        return answer

    def _took(self, leases: Sequence[Lease]) -> None:
        for lease in leases:
            place = (lease.offer.job, lease.offer.seq)
            live = self._tokens.get(place)
            if live is not None and live[0] != lease.fence:
                raise Violation(f"I2: {place} was given to {lease.worker} while {live[1]} holds it.")
            if live is None:
                self.begun.append(place)
            self._tokens[place] = (lease.fence, lease.worker)

    def _settled(self, settlements: Sequence[Settlement], answers: Sequence[bool]) -> None:
        for settlement, accepted in zip(settlements, answers, strict=True):
            place = (settlement.job, settlement.seq)
            if not accepted:
                self.stale += 1
                continue
            if self._tokens.pop(place, (None, ""))[0] != settlement.fence:
                raise Violation(f"I2: {place} was settled by a token that is not the live one.")
            if settlement.state in FINAL_VISITS:
                end = (settlement.job, settlement.seq, settlement.epoch)
                if end in self.recorded:
                    raise Violation(f"I4: {end} was recorded twice: {self.recorded[end]}, {settlement.state}.")
                self.recorded[end] = settlement.state

    def looked(self, job: Job, items: Sequence[Item]) -> None:
        """All items of a job at one moment."""
        for item in items:
            place = (item.job, item.seq)
            before = self._final.get(place)
            now = (item.epoch, item.state)
            if before is not None and now != before and item.epoch <= before[0]:
                raise Violation(f"I3: {place} was {before} for good and is {now}.")
            if item.state in FINAL_VISITS:
                self._final[place] = now
                self._bounded(job, item)

    def _bounded(self, job: Job, item: Item) -> None:
        most = max(_ALLOWED, job.policy.attempts or 0)
        if item.attempts > most or item.crashes > POISON_AT:
            raise Violation(f"I5: {item.key} ended after {item.attempts} tries and {item.crashes} crashes.")
        recorded = self.recorded.get((item.job, item.seq, item.epoch))
        if item.state not in (VisitState.CANCELLED, VisitState.SKIPPED) and recorded is not item.state:
            raise Violation(f"I4: {item.key} is {item.state}, but {recorded} was recorded.")
