"""Random histories of a ledger: everything that can happen to a job, in any order, held against a plain ideal.

Workers die, come back as ghosts, repeat what they said and say it too late; the clock moves, people pause, cancel
and redrive. After every step the whole ledger must be what the ideal says (`scrapeyard.testing.ideal`), and these
must hold:

I1  every item is in exactly one state            I5  attempts and crashes stay below their caps
I2  an item has at most one live lease            I6  the states add up to what was loaded, counted either way
I3  a final state stays, but for a redrive        I7  nothing starts while its job is paused or cancelled
I4  at most one result per item and epoch         I8  once the faults stop, every item comes to an end

A backend's test subclasses `LedgerMachine`, gives `open`, and calls `run_histories`.
"""

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from scrapeyard.model.errors import Conflict
from scrapeyard.model.failures import Kind
from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.model.item import Selection
from scrapeyard.model.policy import Order, Policy
from scrapeyard.model.states import FINAL_VISITS, JobState, VisitState
from scrapeyard.testing.history import ENDINGS, History, IdealWorker
from scrapeyard.testing.ideal import IdealJob
from scrapeyard.testing.scenes import NOW, TTL, a_job, new_items

SELECTIONS = (
    Selection(),
    Selection(states=frozenset({VisitState.SUCCEEDED, VisitState.ABSENT})),
    Selection(kinds=frozenset({Kind.POISON, Kind.SCRAPER_BUG})),
    Selection(states=frozenset(FINAL_VISITS)),
)

picks = st.integers(0, 999)
often = st.sampled_from((True, True, True, False))
some = st.lists(picks, min_size=1, max_size=6)


class LedgerMachine(History, RuleBasedStateMachine):
    """Histories of one ledger. No two workers are shown an item at once where leases are not exclusive."""

    def __init__(self) -> None:
        RuleBasedStateMachine.__init__(self)
        History.__init__(self)

    # People

    @initialize(repeatable=often, order=st.sampled_from(Order), count=st.integers(1, 12))
    def begin_with_a_job(self, repeatable: bool, order: Order, count: int) -> None:
        """Every history has a job that runs from the start."""
        self._submit(Policy(order=order), repeatable=repeatable)
        self.load(0, 0, count, twice=True)
        self.seal()
        self.work(0, count, 0, count)

    @precondition(lambda self: len(self._jobs) < 2)
    @rule(repeatable=often, order=st.sampled_from(Order), attempts=st.none() | st.integers(1, 3))
    def submit(self, repeatable: bool, order: Order, attempts: int | None) -> None:
        """Another job."""
        self._submit(Policy(order=order, attempts=attempts), repeatable=repeatable)

    @precondition(lambda self: self._jobs)
    @rule(pick=picks, first=st.integers(0, 12), count=st.integers(0, 6), twice=st.booleans())
    def load(self, pick: int, first: int, count: int, twice: bool) -> None:
        """A chunk of the list, some of it known already; perhaps its answer is lost."""
        ideal = self._job(pick)
        chunk = [*new_items(count, first), *new_items(count // 3, first)]
        for _ in range(1 + twice):
            if ideal.sealed or ideal.state is not JobState.LOADING:
                with pytest.raises(Conflict):
                    self._do(self._ledger.items.add(ideal.job.id, chunk))
            else:
                assert self._do(self._ledger.items.add(ideal.job.id, chunk)) == ideal.add(chunk)

    @precondition(lambda self: any(not ideal.sealed for ideal in self._jobs))
    @rule()
    def seal(self) -> None:
        """The list is complete."""
        ideal = next(ideal for ideal in self._jobs if not ideal.sealed)
        for _ in range(2):
            assert self._do(self._ledger.items.seal(ideal.job.id)) == len(ideal.items)
        ideal.sealed = True
        self._move(ideal, JobState.RUNNING, JobState.LOADING)

    @precondition(lambda self: self._jobs)
    @rule(pick=picks)
    def pause(self, pick: int) -> None:
        """Nothing may start until it is resumed."""
        ideal = self._job(pick)
        if self._move(ideal, JobState.PAUSED, JobState.RUNNING):
            self._withdraw(ideal)
            self._begin(self._worker(pick, fresh=True), self._offers[-6:], self._now)

    @precondition(lambda self: any(ideal.state is JobState.PAUSED for ideal in self._jobs))
    @rule()
    def resume(self) -> None:
        """Go on."""
        for ideal in self._jobs:
            self._move(ideal, JobState.RUNNING, JobState.PAUSED)

    @precondition(lambda self: self._jobs)
    @rule(pick=picks, sure=st.integers(0, 7), withdraw=st.booleans())
    def cancel(self, pick: int, sure: int, withdraw: bool) -> None:
        """Stop for good. It is rare, so that other things happen too. Taking the offers back may not get done."""
        ideal = self._job(pick)
        live = (JobState.LOADING, JobState.RUNNING, JobState.PAUSED)
        if sure == 5 and self._move(ideal, JobState.CANCELLED, *live):
            if withdraw:
                self._withdraw(ideal)
            self._begin(self._worker(pick, fresh=True), self._offers[-6:], self._now)

    @precondition(lambda self: self._jobs)
    @rule(pick=picks, selection=st.sampled_from(SELECTIONS), dry_run=st.booleans())
    def redrive(self, pick: int, selection: Selection, dry_run: bool) -> None:
        """Run final items again."""
        ideal = self._job(pick)
        redrive = self._ledger.items.redrive
        if ideal.cancelled:
            with pytest.raises(Conflict):
                self._do(redrive(ideal.job.id, selection, now=self._now, dry_run=dry_run))
            return
        chosen = ideal.selected(selection)
        count = self._do(redrive(ideal.job.id, selection, now=self._now, dry_run=dry_run))
        assert count == len(chosen)
        if dry_run or not count:
            return
        assert self._do(redrive(ideal.job.id, selection, now=self._now)) == 0
        for item in chosen:
            (found,) = self._do(self._ledger.items.page(ideal.job.id, after=item.seq - 1, limit=1))
            assert found.epoch > item.epoch
            item.renew()
            item.epoch = found.epoch
        self._move(ideal, JobState.RUNNING, JobState.COMPLETED)

    # The dispatcher

    @precondition(lambda self: any(ideal.sealed for ideal in self._jobs))
    @rule(pick=picks, limit=st.integers(1, 8), again=st.none() | st.integers(0, 3))
    def offer(self, pick: int, limit: int, again: int | None) -> None:
        """Make offers, unless the job is paused or at its end: those gates are the dispatcher's own."""
        ideal = self._job(pick)
        if ideal.state in (JobState.RUNNING, JobState.CANCELLED):
            self._offer(ideal, limit, again)

    @precondition(lambda self: any(ideal.sealed for ideal in self._jobs))
    @rule(pick=picks, seqs=st.lists(st.integers(0, 15), max_size=5))
    def sample(self, pick: int, seqs: list[int]) -> None:
        """Make offers out of turn, under the same gates."""
        ideal = self._job(pick)
        if ideal.state in (JobState.RUNNING, JobState.CANCELLED):
            self._sample(ideal, seqs)

    @precondition(lambda self: any(ideal.state is JobState.RUNNING for ideal in self._jobs))
    @rule(pick=picks, limit=st.integers(1, 12), worker=picks, taken=st.integers(1, 12))
    def work(self, pick: int, limit: int, worker: int, taken: int) -> None:
        """What happens most: offers are made, and a worker takes some of them at once."""
        ideal = self._job(pick)
        if ideal.state is JobState.RUNNING and (offers := self._offer(ideal, limit)):
            self._begin(self._worker(worker, fresh=worker % 5 == 0), offers[:taken], self._now)

    @rule(seconds=st.sampled_from((0.5, 20.0, TTL + 1, 600.0, 7200.0)))
    def advance_clock(self, seconds: float) -> None:
        """Time passes."""
        self._now += seconds

    @precondition(lambda self: self._jobs)
    @rule(pick=picks)
    def retry_due(self, pick: int) -> None:
        """The time of the earliest retry comes, and it is offered."""
        ideal = self._job(pick)
        due = self._do(self._ledger.offers.next_due(ideal.job.id))
        expected = ideal.next_due()
        assert due == expected or (expected is not None and expected <= self._now and (due or 0) <= self._now)
        if expected is not None and ideal.state is JobState.RUNNING:
            self._now = max(self._now, expected)
            assert self._offer(ideal, 1)

    @precondition(lambda self: self._offers)
    @rule()
    def sweep(self) -> None:
        """Take back what expired."""
        count = sum(ideal.take_back(until=self._now) for ideal in self._jobs)
        assert self._do(self._ledger.offers.sweep(now=self._now)) == count
        assert self._do(self._ledger.offers.sweep(now=self._now)) == 0

    @precondition(lambda self: self._offers)
    @rule(pick=picks)
    def withdraw(self, pick: int) -> None:
        """Take back what nobody took."""
        self._withdraw(self._job(pick))

    @precondition(lambda self: self._workers)
    @rule(pick=picks, settled=st.integers(0, 9), twice=st.booleans())
    def fence_and_reap(self, pick: int, settled: int, twice: bool) -> None:
        """A worker is declared dead, rightly or not, and its items are given back; perhaps not all at once."""
        worker = self._worker(pick)
        leases = self._fence(worker)
        if twice:
            assert {lease.offer for lease in self._fence(worker)} == {lease.offer for lease in leases}
        self._settle([self._loss(lease) for lease in leases[:settled]])

    @precondition(lambda self: self._workers)
    @rule(pick=picks)
    def fence_too_late(self, pick: int) -> None:
        """It had beaten meanwhile."""
        name = self._worker(pick)
        worker = self._workers[name]
        if not worker.fenced and self._beat(name):
            assert self._do(self._ledger.leases.fence(name, worker.version - 1)) is None

    @precondition(lambda self: self._jobs)
    @rule(pick=picks)
    def finalize(self, pick: int) -> None:
        """A job in which nothing moves is counted, and ends only if the count adds up."""
        ideal = self._job(pick)
        if ideal.state is JobState.RUNNING and self._do(self._ledger.jobs.tally(ideal.job.id)).moving == 0:
            self._move(ideal, JobState.FINALIZING, JobState.RUNNING)
            counted = self._do(self._ledger.jobs.recount(ideal.job.id))
            assert sum(counted.states.values()) == len(ideal.items)
            self._move(ideal, JobState.COMPLETED, JobState.FINALIZING)

    # Workers

    @rule(pick=picks)
    def beats(self, pick: int) -> None:
        """A sign of life, of a worker that is here, of a new one, or of one that was declared dead."""
        self._beat(self._worker(pick, fresh=pick % 5 == 0))

    @precondition(lambda self: self._offers)
    @rule(pick=picks, offers=some, skew=st.sampled_from((0.0, 0.0, -3600.0, 3600.0)), twice=st.booleans())
    def begin(self, pick: int, offers: list[int], skew: float, twice: bool) -> None:
        """Take offers, new ones and old ones, with a clock that may be wrong."""
        shown = [self._offers[-1 - offer % min(len(self._offers), 30)] for offer in offers]
        for _ in range(1 + twice):
            self._begin(self._worker(pick, fresh=pick % 5 == 0), shown, self._now + skew)

    @precondition(lambda self: self._held())
    @rule(chosen=some, endings=st.lists(st.sampled_from(ENDINGS), min_size=1, max_size=6))
    def finish(self, chosen: list[int], endings: list[str]) -> None:
        """Leases end in their various ways, in one call."""
        held = self._held()
        leases = [held[seq] for seq in sorted({pick % len(held) for pick in chosen})]
        self._settle([self._ending(lease, endings[n % len(endings)], 0.5) for n, lease in enumerate(leases)])

    @precondition(lambda self: self._held())
    @rule(chosen=some, kind=st.sampled_from(Kind), luck=st.sampled_from((0.0, 0.5, 0.999)))
    def fail(self, chosen: list[int], kind: Kind, luck: float) -> None:
        """Visits fail: the site is down, or the proxy, or the scraper is wrong."""
        held = self._held()
        self._settle([self._ending(held[seq], kind, luck) for seq in sorted({pick % len(held) for pick in chosen})])

    @precondition(lambda self: self._held())
    @rule(pick=picks, size=st.integers(1, 3))
    def child_crashes(self, pick: int, size: int) -> None:
        """A process dies with some items of a worker in it; the worker itself lives on and says so."""
        held = self._held()
        worker = held[pick % len(held)].worker
        lost = [lease for lease in held if lease.worker == worker][:size]
        ending = "crashed together" if lost[1:] else "crashed alone"
        self._settle([self._ending(lease, ending, 0.5) for lease in lost])

    @precondition(lambda self: self._sent)
    @rule(chosen=some)
    def settle_again(self, chosen: list[int]) -> None:
        """An answer was lost, long ago or just now, and the call is repeated."""
        self._settle([self._sent[-1 - pick % len(self._sent)] for pick in chosen])

    @precondition(lambda self: self._leases)
    @rule(chosen=some, ending=st.sampled_from(ENDINGS) | st.sampled_from(Kind))
    def settle_late(self, chosen: list[int], ending: str) -> None:
        """Any worker that ever had a lease says how it ended."""
        leases = [self._leases[-1 - pick % len(self._leases)] for pick in chosen]
        self._settle([self._ending(lease, ending, 0.5) for lease in leases])

    @precondition(lambda self: self._workers)
    @rule(pick=picks)
    def leave(self, pick: int) -> None:
        """A worker with nothing left to do goes."""
        name = self._worker(pick)
        if not self._workers[name].fenced and all(lease.worker != name for lease in self._held()):
            self._do(self._ledger.leases.leave(name))
            self._workers[name].gone = True

    @rule()
    def reopen(self) -> None:
        """Our own process ends and another one goes on."""
        self._do(self._ledger.close())
        self._ledger = self._do(self.open())
        self._touch(*self._jobs)

    # What must hold

    @invariant()
    def the_ledger_is_as_it_ought_to_be(self) -> None:
        """I1 to I6, for every job that something was done to."""
        for ideal in {ideal.job.id: ideal for ideal in self._touched}.values():
            self._check(ideal)
        self._touched.clear()
        self.sound = True

    def teardown(self) -> None:
        """I8, unless the history has failed already; then everything is put away."""
        try:
            if self.sound:
                self._come_to_an_end()
                self._check_workers()
        finally:
            self._loop.run_until_complete(self._ledger.close())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()
            self.discard()

    def _submit(self, policy: Policy, *, repeatable: bool) -> None:
        """A new job, asked for twice."""
        number = len(self._jobs)
        job = a_job(number, repeatable=repeatable, policy=policy, order_key=number * 7919)
        assert self._do(self._ledger.jobs.create(job)) == job
        assert self._do(self._ledger.jobs.create(msgspec.structs.replace(job, name="again"))) == job
        self._jobs.append(IdealJob(job))
        self._touch(self._jobs[-1])

    def _come_to_an_end(self) -> None:
        """No more faults: everybody who is left is declared dead, and one good worker does the rest."""
        while any(not ideal.sealed and not ideal.cancelled for ideal in self._jobs):
            self.seal()
        self.resume()
        for name in [name for name, worker in self._workers.items() if not worker.gone]:
            self._settle([self._loss(lease) for lease in self._fence(name)])
        self._do(self._ledger.leases.beat(WorkerBeat("good", 1, NOW)))
        self._workers["good"] = IdealWorker(1)
        for _ in range(3):  # one round for what waits, one for what was offered when it began, and one to be sure
            self._now += 7200.0
            self.sweep()
            for ideal in self._jobs:
                if ideal.state is JobState.RUNNING:
                    self._begin("good", self._offer(ideal, 1000), self._now)
            self._settle([self._ending(lease, "succeeded", 0.0) for lease in self._held()])
        for pick, ideal in enumerate(self._jobs):
            self.finalize(pick)
            assert ideal.state in (JobState.COMPLETED, JobState.CANCELLED), "I8: the job does not come to an end"
            assert all(ideal.shown(item) in FINAL_VISITS for item in ideal.items), "I8: an item does not end"
            for item in ideal.items:
                assert self._do(self._ledger.items.attempts(ideal.job.id, item.seq)) == item.tries
            self._check(ideal)


def run_histories(machine: type[LedgerMachine], *, histories: int, steps: int) -> None:
    """Live through so many histories of so many steps; a failing one is shortened and shown as a program."""
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=histories,
            stateful_step_count=steps,
            deadline=None,
            print_blob=True,
            suppress_health_check=(HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large),
        ),
    )
