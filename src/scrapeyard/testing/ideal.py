"""The ledger as it ought to be, in plain dictionaries: what the state machine holds every real one against.

It knows no transactions, indexes or counters, only what each verb means for each item, one by one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from scrapeyard.model.attempt import Attempt
from scrapeyard.model.failures import Kind
from scrapeyard.model.item import Added, Item, Lease, NewItem, Offer, Selection, Settlement
from scrapeyard.model.job import Job, Tally, TierTally
from scrapeyard.model.order import Permutation
from scrapeyard.model.policy import Order
from scrapeyard.model.states import FINAL_VISITS, JobState, ReadingState, VisitState

NOT_BEGUN = frozenset({VisitState.WAITING, VisitState.OFFERED})


@dataclass
class IdealItem:
    """One item. Only `lease` may settle it; `doubtful` is a holder that was declared dead and not yet reaped."""

    seq: int
    key: str
    state: VisitState = VisitState.WAITING
    epoch: int = 0
    attempts: int = 0
    crashes: int = 0
    losses: int = 0
    rung: int = 0
    strikes: int = 0
    kind: str | None = None
    not_before: float = 0.0
    fresh: bool = True
    offer: Offer | None = None
    lease: Lease | None = None
    doubtful: Lease | None = None
    rows: int = 0
    unreadable: bool = False
    tries: list[Attempt] = field(default_factory=list[Attempt])
    ends: Counter[int] = field(default_factory=Counter[int])
    """How many final results were recorded in each epoch."""

    def wait(self, not_before: float) -> None:
        """Nobody has it."""
        self.state, self.not_before = VisitState.WAITING, not_before
        self.offer = self.lease = self.doubtful = None

    def renew(self) -> None:
        """Redriven: everything anew but its tries."""
        self.wait(0.0)
        self.attempts = self.crashes = self.losses = self.rows = self.rung = self.strikes = 0
        self.kind, self.unreadable = None, False

    def answer(self, settlement: Settlement) -> bool | None:
        """Whether a settlement is to be recorded; None where both answers are right."""
        fits = [
            holder is not None and (holder.fence, holder.offer.epoch) == (settlement.fence, settlement.epoch)
            for holder in (self.lease, self.doubtful)
        ]
        return True if fits[0] else None if fits[1] else False

    def record(self, settlement: Settlement) -> None:
        """Take in a result."""
        self.wait(settlement.not_before)
        self.state, self.kind = settlement.state, settlement.kind
        self.attempts, self.crashes, self.losses = settlement.attempts, settlement.crashes, settlement.losses
        self.rung, self.strikes = settlement.rung, settlement.strikes
        self.rows = sum(settlement.records.counts.values()) if settlement.records else 0
        self.unreadable = settlement.reading is ReadingState.UNREADABLE
        if settlement.attempt is not None:
            self.tries.append(settlement.attempt)
        if settlement.state in FINAL_VISITS:
            self.ends[settlement.epoch] += 1


class IdealJob:
    """One job with its items in the order of the list."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.state = job.state
        self.sealed = False
        self.items: list[IdealItem] = []
        self.keys: dict[str, IdealItem] = {}
        self.duplicates = 0
        self.surely_late = 0
        self.perhaps_late = 0
        self.fences: set[int] = set()
        """Fences under which a result was recorded."""

    @property
    def cancelled(self) -> bool:
        """Whether what was not begun counts as cancelled."""
        return self.state is JobState.CANCELLED

    def add(self, items: Sequence[NewItem]) -> Added:
        """Append what is new."""
        before = len(self.items)
        for item in items:
            if item.key not in self.keys:
                self.keys[item.key] = IdealItem(len(self.items), item.key)
                self.items.append(self.keys[item.key])
        accepted = len(self.items) - before
        self.duplicates += len(items) - accepted
        return Added(accepted, len(items) - accepted)

    def check_offers(self, offers: Sequence[Offer], limit: int, now: float, again: int | None = None) -> None:
        """These, and no others, were to be offered: due retries in any order, at most `again` of them, then fresh items
        in the job's order."""
        retries = {
            item.seq
            for item in self.items
            if item.state is VisitState.WAITING and not item.fresh and item.not_before <= now
        }
        order = Permutation(len(self.items), self.job.order_key, self.job.policy.order)
        count = min(limit, len(retries), limit if again is None else again)
        seqs = [offer.seq for offer in offers]
        assert set(seqs[:count]) <= retries, "something else came before retries that are due"
        assert len(set(seqs)) == len(seqs), "an item was offered twice"
        fresh = [seq for seq in order.window(0, len(self.items)) if self.items[seq].fresh]
        assert seqs[count:] == fresh[: limit - count], "fresh items are not in the job's order"
        self._check(offers)

    def check_sample(self, offers: Sequence[Offer], seqs: Sequence[int]) -> None:
        """Those of these items that were never offered, where there is an order to sample from."""
        listed = self.job.policy.order is Order.LIST
        fresh = [seq for seq in dict.fromkeys(seqs) if seq < len(self.items) and self.items[seq].fresh and listed]
        assert [offer.seq for offer in offers] == fresh
        self._check(offers)

    def _check(self, offers: Sequence[Offer]) -> None:
        for offer in offers:
            item = self.items[offer.seq]
            assert (offer.key, offer.epoch, offer.attempt) == (item.key, item.epoch, item.attempts + 1)
            assert (offer.crashes, offer.losses, offer.last_kind) == (item.crashes, item.losses, item.kind)
            assert (offer.rung, offer.strikes) == (item.rung, item.strikes)

    def offered(self, offers: Iterable[Offer]) -> None:
        """These are out."""
        for offer in offers:
            item = self.items[offer.seq]
            item.state, item.offer, item.fresh = VisitState.OFFERED, offer, False

    def takes(self, worker: str, offer: Offer, now: float) -> bool:
        """Whether a worker gets, or has, a lease by showing this offer."""
        item = self.items[offer.seq]
        if item.offer != offer or item.doubtful is not None:
            return False
        if item.lease is not None:
            return item.lease.worker == worker
        return now < offer.until and not self.cancelled

    def take_back(self, *, until: float) -> int:
        """End the offers that expire by then and that nobody took."""
        ended = [item for item in self.items if item.state is VisitState.OFFERED and item.offer]
        ended = [item for item in ended if item.offer and item.offer.until <= until]
        for item in ended:
            item.wait(item.not_before)
        return len(ended)

    def selected(self, selection: Selection) -> list[IdealItem]:
        """What a redrive by state and kind means."""
        states = selection.states or {VisitState.FAILED, VisitState.UNCERTAIN}
        states = states & FINAL_VISITS - {VisitState.CANCELLED}
        return [
            item
            for item in self.items
            if item.state in states and (not selection.kinds or (item.kind or "") in selection.kinds)
        ]

    def next_due(self) -> float | None:
        """The earliest retry."""
        waiting = [item for item in self.items if item.state is VisitState.WAITING and not item.fresh]
        return min((item.not_before for item in waiting), default=None)

    def shown(self, item: IdealItem) -> VisitState:
        """The state that people are told."""
        return VisitState.CANCELLED if self.cancelled and item.state in NOT_BEGUN else item.state

    def tally(self) -> Tally:
        """Counted one by one."""
        tries = [attempt for item in self.items for attempt in item.tries]
        failed = [item.kind or Kind.UNKNOWN for item in self.items if item.state is VisitState.FAILED]
        return Tally(
            states=dict(Counter(self.shown(item) for item in self.items)),
            failed=dict(Counter(map(str, failed))),
            loaded=len(self.items),
            duplicates=self.duplicates,
            attempts=len(tries),
            records=sum(item.rows for item in self.items),
            unreadable=sum(item.unreadable for item in self.items),
            wire_bytes=sum(attempt.wire_bytes for attempt in tries),
            requests=sum(attempt.requests for attempt in tries),
            busy_ms=sum(attempt.ms for attempt in tries),
            cost_micros=sum(attempt.cost_micros for attempt in tries),
            tiers={tier: _tier([one for one in tries if one.tier == tier]) for tier in {one.tier for one in tries}},
        )


def _tier(tries: Sequence[Attempt]) -> TierTally:
    return TierTally(
        len(tries),
        sum(one.outcome in {VisitState.SUCCEEDED, VisitState.ABSENT} for one in tries),
        sum(one.wire_bytes for one in tries),
        sum(one.cost_micros for one in tries),
    )


def same_item(ideal: IdealJob, item: IdealItem, found: Item) -> bool:
    """Whether the ledger's row says what it should. Waiting and offered may be told as one, by backends that keep
    offers elsewhere."""
    state = ideal.shown(item)
    return (
        (found.state == state or {found.state, state} <= NOT_BEGUN)
        and (found.seq, found.key, found.epoch, found.kind) == (item.seq, item.key, item.epoch, item.kind)
        and (found.attempts, found.crashes, found.losses) == (item.attempts, item.crashes, item.losses)
        and (found.rung, found.strikes) == (item.rung, item.strikes)
    )
