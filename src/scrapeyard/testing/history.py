"""One history of a ledger: each step is taken there and in the ideal, and the answers are held against each other.

The random machine (`scrapeyard.testing.machine`) decides what happens; how it happens, and what must come of it, is
written here.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from scrapeyard.decisions.retry import Asked, Moment, after_crash, after_failure, after_loss, after_release, settle
from scrapeyard.model.failures import POISON_AT, VERDICTS, Kind
from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.model.item import Lease, Offer, Settlement
from scrapeyard.model.job import JobId, Tally
from scrapeyard.model.states import JobState, ReadingState, VisitState
from scrapeyard.ports.ledger import Ledger
from scrapeyard.testing.ideal import NOT_BEGUN, IdealItem, IdealJob, same_item
from scrapeyard.testing.scenes import NOW, TTL, ended, succeeded, tried

Answer = TypeVar("Answer")

MOST_TRIES = max(verdict.attempts for verdict in VERDICTS.values())
ENDINGS = (
    "succeeded", "unreadable", "absent", "released", "cancelled", "skipped", "crashed alone", "crashed together",
)  # fmt: skip


@dataclass
class IdealWorker:
    """A worker as it stands in the ledger."""

    version: int = 0
    fenced: bool = False
    gone: bool = False


class History:
    """A ledger, its ideal, and what was said so far. `sound` is false from a step until its outcome was checked."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._now = NOW
        self._jobs: list[IdealJob] = []
        self._workers: dict[str, IdealWorker] = {}
        self._offers: list[Offer] = []
        self._leases: list[Lease] = []
        self._sent: list[Settlement] = []
        self._touched: list[IdealJob] = []
        self.sound = True
        self._ledger = self._do(self.open())

    async def open(self) -> Ledger:
        """The ledger of this history; asked again after it was closed, it gives the same one."""
        raise NotImplementedError

    def discard(self) -> None:
        """The history has ended and its ledger is closed."""

    def _do(self, asked: Coroutine[Any, Any, Answer]) -> Answer:
        self.sound = False
        return self._loop.run_until_complete(asked)

    def _touch(self, *ideals: IdealJob) -> None:
        self._touched.extend(ideals)

    def _job(self, pick: int) -> IdealJob:
        ideal = self._jobs[pick % len(self._jobs)]
        self._touch(ideal)
        return ideal

    def _ideal(self, job: JobId) -> IdealJob:
        ideal = next(ideal for ideal in self._jobs if ideal.job.id == job)
        self._touch(ideal)
        return ideal

    def _item(self, offer: Offer) -> IdealItem:
        return self._ideal(offer.job).items[offer.seq]

    def _worker(self, pick: int, *, fresh: bool = False) -> str:
        here = [name for name, worker in self._workers.items() if not worker.gone]
        if here and not fresh:
            return here[pick % len(here)]
        name = f"w{len(self._workers)}"
        assert self._do(self._ledger.leases.beat(WorkerBeat(name, 0, NOW)))
        self._workers[name] = IdealWorker()
        return name

    def _beat(self, name: str) -> bool:
        worker = self._workers[name]
        alive = self._do(self._ledger.leases.beat(WorkerBeat(name, worker.version + 1, NOW)))
        assert alive is not worker.fenced
        worker.version += alive
        return alive

    def _held(self) -> list[Lease]:
        return [item.lease for ideal in self._jobs for item in ideal.items if item.lease is not None]

    def _move(self, ideal: IdealJob, to: JobState, *only_from: JobState) -> bool:
        """Move a job, and try to do so twice."""
        self._touch(ideal)
        moved = self._do(self._ledger.jobs.advance(ideal.job.id, to, only_from, now=self._now))
        assert (moved is not None) == (ideal.state in only_from)
        if moved is not None:
            ideal.state = to
            assert self._do(self._ledger.jobs.advance(ideal.job.id, to, only_from, now=self._now)) is None
        return moved is not None

    def _withdraw(self, ideal: IdealJob) -> None:
        self._touch(ideal)
        assert self._do(self._ledger.offers.withdraw(ideal.job.id, now=self._now)) == ideal.take_back(until=1e12)

    def _offer(self, ideal: IdealJob, limit: int, again: int | None = None) -> list[Offer]:
        """Make offers. No two are made at the very same moment, so that each can be told from all others."""
        self._touch(ideal)
        self._now += 0.001
        until = self._now + TTL
        offers = self._do(self._ledger.offers.offer(ideal.job.id, limit, now=self._now, until=until, again=again))
        if ideal.cancelled:
            assert not offers, "I7: a cancelled job made offers"
            return []
        ideal.check_offers(offers, limit, self._now, again)
        ideal.offered(offers)
        self._offers += offers
        return offers

    def _sample(self, ideal: IdealJob, seqs: Sequence[int]) -> None:
        """Make offers out of turn."""
        self._touch(ideal)
        self._now += 0.001
        offers = self._do(self._ledger.offers.sample(ideal.job.id, seqs, now=self._now, until=self._now + TTL))
        if ideal.cancelled:
            assert not offers, "I7: a cancelled job made offers"
            return
        ideal.check_sample(offers, seqs)
        ideal.offered(offers)
        self._offers += offers

    def _begin(self, worker: str, offers: Sequence[Offer], now: float) -> None:
        fenced = self._workers[worker].fenced
        if not self._ledger.leases.exclusive:
            offers = [offer for offer in offers if not self._is_held(offer, besides=worker)]
        expected = {
            (offer.job, offer.seq)
            for offer in offers
            if not fenced and self._ideal(offer.job).takes(worker, offer, now)
        }
        leases = self._do(self._ledger.leases.begin(worker, offers, now=now))
        assert len(leases) == len(expected), "I2, I7: an item was taken that must not be, or none where one must"
        assert {(lease.offer.job, lease.offer.seq) for lease in leases} == expected
        for lease in leases:
            item = self._item(lease.offer)
            assert lease.offer in offers
            assert item.lease in (None, lease), "I2: the same holder got another lease"
            item.state, item.lease = VisitState.RUNNING, lease
            if lease not in self._leases:
                self._leases.append(lease)

    def _is_held(self, offer: Offer, *, besides: str) -> bool:
        """Whether another worker has the item at this moment. Where leases are not exclusive it would be given too, and
        what runs twice is in two places at once; that is not for the ideal, but for tests of the backend's own."""
        lease = self._item(offer).lease
        return lease is not None and lease.worker != besides

    def _fence(self, name: str) -> list[Lease]:
        worker = self._workers[name]
        leases = self._do(self._ledger.leases.fence(name, worker.version))
        held = [lease for lease in self._held() if lease.worker == name]
        assert leases is not None
        assert {lease.offer for lease in leases} == {lease.offer for lease in held}
        worker.fenced = True
        for lease in leases:
            item = self._item(lease.offer)
            if item.lease is not None and item.lease.fence != lease.fence:
                item.doubtful = item.lease
            item.lease = lease
        return leases

    def _settle(self, settlements: Sequence[Settlement]) -> None:
        """Send a call, and predict the answer to each part of it in turn."""
        answers = self._do(self._ledger.leases.settle(settlements, now=self._now))
        for settlement, answer in zip(settlements, answers, strict=True):
            ideal = self._ideal(settlement.job)
            item = ideal.items[settlement.seq]
            expected = item.answer(settlement)
            assert expected in (None, answer), f"I3, I4: the answer to {settlement} should be {expected}"
            if answer:
                item.record(settlement)
                ideal.fences.add(settlement.fence)
                self._sent.append(settlement)
                continue
            ideal.perhaps_late += 1
            ideal.surely_late += settlement.fence not in ideal.fences

    def _loss(self, lease: Lease) -> Settlement:
        """What the dispatcher settles for a dead worker."""
        turn = after_loss(lease.offer, self._ideal(lease.offer.job).job.policy, Moment(self._now, 0.5))
        return settle(lease, turn, tried(lease, "lost", Kind.WORKER_LOST))

    def _ending(self, lease: Lease, ending: str, luck: float) -> Settlement:
        """What a worker settles."""
        policy, moment = self._ideal(lease.offer.job).job.policy, Moment(self._now, luck)
        match ending:
            case "succeeded":
                return succeeded(lease)
            case "unreadable":
                return succeeded(lease, records=None, reading=ReadingState.UNREADABLE, reason="no such column")
            case "absent":
                return ended(lease, VisitState.ABSENT)
            case "cancelled":
                return ended(lease, VisitState.CANCELLED)
            case "skipped":
                return ended(lease, VisitState.SKIPPED, reason="robots.txt forbids it")
            case "released":
                return settle(lease, after_release(lease.offer, self._now))
            case "crashed alone" | "crashed together":
                turn = after_crash(lease.offer, policy, moment, alone=ending == "crashed alone")
                return settle(lease, turn, tried(lease, "lost", Kind.WORKER_LOST))
            case _:
                turn = after_failure(lease.offer, Kind(ending), policy, moment, Asked(rungs=3))
                return settle(lease, turn, tried(lease, turn.state, ending))

    def _check(self, ideal: IdealJob) -> None:
        job = self._do(self._ledger.jobs.get(ideal.job.id))
        assert job is not None
        assert (job.state, job.total is not None) == (ideal.state, ideal.sealed)
        found = self._do(self._ledger.items.page(job.id))
        assert [item.seq for item in found] == list(range(len(ideal.items))), "I1: items are missing or doubled"
        for item, row in zip(ideal.items, found, strict=True):
            assert same_item(ideal, item, row), f"I1, I3: {row} should be {item}"
            assert max(item.ends.values(), default=0) <= 1, "I4: two results in one epoch"
            assert item.attempts <= (job.policy.attempts or MOST_TRIES), "I5: too many attempts"
            assert item.crashes <= POISON_AT, "I5: too many crashes"
        tally = self._do(self._ledger.jobs.tally(job.id))
        assert tally == self._do(self._ledger.jobs.recount(job.id)), "I6: the counters are not what a recount finds"
        assert _comparable(tally) == _comparable(ideal.tally()), "I6: the counters are wrong"
        assert ideal.surely_late <= tally.stale <= ideal.perhaps_late

    def _check_workers(self) -> None:
        held = {lease.worker for lease in self._held()}
        known = {one.worker: (one.version, one.fenced) for one in self._do(self._ledger.leases.workers())}
        assert known == {
            name: (worker.version, worker.fenced)
            for name, worker in self._workers.items()
            if not worker.gone and (not worker.fenced or name in held)
        }


def _comparable(tally: Tally) -> Tally:
    """With waiting and offered as one, and without the stale ones, which are judged apart."""
    states = {state: count for state, count in tally.states.items() if state not in NOT_BEGUN}
    return msgspec.structs.replace(tally, states=states | {VisitState.WAITING: tally.count(*NOT_BEGUN)}, stale=0)
