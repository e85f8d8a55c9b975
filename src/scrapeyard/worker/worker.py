"""One worker: takes offers, leases them, gives them to its children, settles what comes back, and stops well.

The parent runs no author code, so whatever a scraper does, the worker goes on beating, settling and killing.
It stops in three ways. Drained (SIGTERM, Ctrl-C): it takes nothing new, lets what runs end within the grace period,
gives the rest back without spending an attempt, and leaves. Retired (the fleet shrinks): the same, but what runs has
all the time that it needs. Fenced off (it could not give a sign of life in time):
it kills its children at once and records nothing more, because its items belong to others by now.
"""

import asyncio
import random
import secrets
import socket

import msgspec
import structlog

from scrapeyard.decisions.retry import Moment
from scrapeyard.model.errors import LeaseLost, StorageError
from scrapeyard.model.fleet import Orders
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.ledger import Ledger
from scrapeyard.ports.queue import Queue, Wants
from scrapeyard.ports.scrapers import Scrapers
from scrapeyard.ports.sessions import Shelf
from scrapeyard.worker.crew import Crew, CrewEvents
from scrapeyard.worker.heart import Heart
from scrapeyard.worker.intake import Intake
from scrapeyard.worker.machine import Machine, ThisMachine
from scrapeyard.worker.options import WorkerOptions
from scrapeyard.worker.policies import Policies
from scrapeyard.worker.settle import Settler
from scrapeyard.worker.voice import Voice

log = structlog.get_logger(__name__)

_LONGEST_UPKEEP = 5.0
_LOOK = 1.0


class Outside(msgspec.Struct, frozen=True):
    """Everything that a worker meets."""

    ledger: Ledger
    queue: Queue
    fleet: Fleet
    scrapers: Scrapers
    shelf: Shelf
    clock: Clock


class Worker:
    """One incarnation of a worker. After `run` has returned it is used up."""

    def __init__(self, outside: Outside, options: WorkerOptions, machine: Machine | None = None) -> None:
        self.id = f"{socket.gethostname()[:32]}-{secrets.token_hex(4)}"
        self._outside = outside
        self._options = options
        clock, ledger = outside.clock, outside.ledger
        self._policies = Policies(ledger.jobs)
        self._heart = Heart(self.id, ledger.leases, clock, ttl=options.ttl, fence_share=options.fence_share)
        self._settler = Settler(self.id, ledger.leases, self._policies.of, self._moment, clock)
        self._voice = Voice(self.id, options.lane, outside.fleet, clock, self._settler.troubled)
        wants = Wants(options.lane, outside.scrapers.digests())
        machine = machine or ThisMachine(options)
        self._intake = Intake(self.id, wants, ledger.leases, outside.queue, clock, machine.refusal)
        self._intake.arriving = self._policies.learn
        self._settler.settled = self._intake.settled
        events = CrewEvents(
            self._settler.ended, self._settler.released, self._settler.crashed, self._voice.noted, outside.shelf
        )
        self._crew = Crew(self.id, options, clock, machine, events)
        self._stop = asyncio.Event()
        self._hurry = asyncio.Event()

    def stop(self) -> None:
        """Drain, then end. May be called from a signal handler; a second call stops what still runs at once."""
        if self._hurry.is_set():
            self._crew.drain(now=True)
        self._hurry.set()
        self._stop.set()

    def retire(self) -> None:
        """Take nothing more, and end when what runs has ended."""
        self._stop.set()

    async def run(self) -> None:
        """Work until stopped. `LeaseLost` if the worker was fenced off; its children are dead by then."""
        options = self._options
        await self._heart.first()
        await self._crew.open()
        intake = asyncio.create_task(self._intake.run(self._crew, self._heart, tick=options.tick, batch=options.batch))
        chores = [
            intake,
            asyncio.create_task(self._heart.run()),
            asyncio.create_task(self._settler.run(self._heart, batch=options.batch, pause=options.settle_every)),
            asyncio.create_task(
                self._voice.run(self._crew, self._intake, self._heart, every=options.report_every, told=self._told)
            ),
            asyncio.create_task(self._upkeep()),
        ]
        log.info("worker started", worker=self.id, processes=options.processes, concurrency=options.concurrency)
        stop = asyncio.create_task(self._stop.wait())
        try:
            done, _ = await asyncio.wait([stop, *chores], return_when=asyncio.FIRST_COMPLETED)
            for chore in done:
                chore.result()  # a chore that failed ends the worker with its error
            if self._stop.is_set():
                await self._drain(intake)
            if self._heart.stopped is not None:
                raise LeaseLost(f"worker {self.id} was fenced off: {self._heart.stopped}")
        finally:
            self._crew.kill()
            for chore in (stop, *chores):
                chore.cancel()
            await asyncio.gather(stop, *chores, return_exceptions=True)
            await self._crew.gone()

    async def _drain(self, intake: asyncio.Task[None]) -> None:
        """Let what runs end, give the rest back, leave."""
        self._intake.open = False
        await intake  # what it is taking at this moment must be given back too
        self._voice.draining = True
        running = len(self._crew.census.under_way())
        log.info("worker drains", worker=self.id, running=running, grace=self._options.grace)
        self._crew.drain(now=False)
        await self._patience()
        try:
            async with asyncio.timeout(self._options.grace):
                await self._crew.gone()
        except TimeoutError:
            self._crew.drain(now=True)
            async with asyncio.timeout(self._options.stall_limit):
                await self._crew.gone()
        await self._settler.commit(self._heart, self._options.batch)
        if not self._heart.alive():
            return  # what could not be recorded is for others to do again
        try:
            await self._voice.last_words(self._crew, self._intake)
            await self._outside.ledger.leases.leave(self.id)
        except StorageError as error:
            log.warning("nobody hears the good-bye; the lease lapses by itself", worker=self.id, error=str(error))
        log.info("worker left", worker=self.id, recorded=self._settler.recorded, late=self._settler.late)

    async def _patience(self) -> None:
        """Until nothing runs any more, or somebody is in a hurry, or nothing may be recorded any more."""
        gone, hurry = asyncio.create_task(self._crew.gone()), asyncio.create_task(self._hurry.wait())
        try:
            while not gone.done() and not hurry.done() and self._heart.alive():
                await asyncio.wait({gone, hurry}, timeout=_LOOK, return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            hurry.cancel()
            await asyncio.gather(gone, hurry, return_exceptions=True)

    def _told(self, orders: Orders) -> None:
        if orders.drain and not self._hurry.is_set():
            self.stop()
        else:
            self.retire()

    async def _upkeep(self) -> None:
        """Now and then: learn changed policies, keep deliveries alive, end when children cannot be started."""
        clock = self._outside.clock
        pause = min(_LONGEST_UPKEEP, self._options.ttl / 4)
        while self._heart.alive():
            try:
                await self._policies.refresh({lease.offer.job for lease in self._crew.census.held()})
            except StorageError as error:
                log.warning("cannot learn of changed policies now", worker=self.id, error=str(error))
                if error.final:
                    raise
            await self._intake.keep(self._options.ttl)
            if self._crew.broken is not None:
                raise self._crew.broken
            await clock.sleep(pause)

    def _moment(self) -> Moment:
        return Moment(self._outside.clock.now(), random.random())  # noqa: S311 - jitter, not a secret
