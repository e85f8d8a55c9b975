"""One scraping child as its parent sees it: the process, the conversation, and the leases it was given.

The parent must be able to say, when a child is gone, which of its items were under way and which had only been
handed over. Items start in the order in which they were given, so the oldest unfinished ones are the suspects.
"""

import asyncio
import contextlib
import os
import socket
from collections.abc import Sequence
from typing import Protocol

import msgspec

from scrapeyard.model.fleet import NO_ANSWERS, Answers, Permit
from scrapeyard.model.item import Lease
from scrapeyard.ports.sessions import Shelf
from scrapeyard.worker.channel import Channel, parent_end
from scrapeyard.worker.messages import Cancel, Done, Down, Drain, Ended, Grant, Pulse, Returned, Run, Shelving, Up
from scrapeyard.worker.options import ChildOptions, WorkerOptions
from scrapeyard.worker.shelving import shelved

Key = tuple[str, int]


class Crash(msgspec.Struct, frozen=True):
    """A child is gone. `suspects` were under way, `alone` says that there was only room for one; a `culprit`
    was seen red-handed; `innocent` ones had not started or were done with."""

    cause: str
    suspects: tuple[Lease, ...]
    innocent: tuple[Lease, ...]
    alone: bool
    culprit: Key | None = None


class Process(Protocol):
    """As much of a child process as its parent needs."""

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None: ...

    def kill(self) -> None:
        """End it at once; `ProcessLookupError` if it has ended."""
        ...

    async def wait(self) -> int: ...


class Hand:
    """A child process and what it holds. From `watch`, if it has one, its watchdog's words can be read."""

    def __init__(self, slots: int, process: Process, channel: Channel[Down, Up], watch: int | None = None) -> None:
        self.slots = slots
        self.process = process
        self.channel = channel
        self.watch = watch
        self.leases: dict[Key, Lease] = {}
        self.finished = 0
        self.demand: dict[str, int] = {}
        self.ahead: dict[str, int] = {}
        self.unspent: dict[str, int] = {}
        self.answers: dict[str, Answers] = {}
        self.pulsed: float | None = None
        self.lag = 0.0
        self.culprit: Key | None = None
        self.cause = ""
        self.draining = False
        self.cell = False
        self._noted: set[Key] = set()
        self._shelving = asyncio.Lock()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    @property
    def busy(self) -> int:
        """How many of its leases are still to be worked on; others may be over and wait for their commit."""
        return len(self.leases) - len(self._noted)

    def give(self, leases: Sequence[Lease]) -> None:
        """Hand leases over."""
        for lease in leases:
            self.leases[lease.offer.job, lease.offer.seq] = lease
        self.channel.send(Run(tuple(leases)))

    def grant(self, permits: Sequence[Permit]) -> None:
        """Pass permits on."""
        self.channel.send(Grant(tuple(permits)))

    def cancel(self, jobs: frozenset[str]) -> None:
        """Stop the items of these jobs."""
        self.channel.send(Cancel(jobs))

    async def shelve(self, shelf: Shelf, wish: Shelving) -> None:
        """Do what the child wishes of the shelf of sessions, in the order of its wishes."""
        async with self._shelving:
            answer = await shelved(shelf, wish)
        if answer is not None:
            self.channel.send(answer)

    def drain(self, *, now: bool) -> None:
        """Ask for what has not started, or for everything."""
        self.draining = True
        self.channel.send(Drain(now))

    def pulse(self, pulse: Pulse, now: float) -> None:
        """The child's loop turns."""
        self.pulsed = now
        self.demand, self.ahead = pulse.demand, pulse.ahead
        for site, count in pulse.unspent.items():
            self.unspent[site] = self.unspent.get(site, 0) + count
        self.lag = max(self.lag, pulse.lag)
        for site, answers in pulse.answers.items():
            self.answers[site] = self.answers.get(site, NO_ANSWERS).plus(answers)
        noted = ((note.job, note.seq) for note in pulse.notes)
        self._noted.update(key for key in noted if key in self.leases)
        self.finished += len(pulse.notes)
        if pulse.stuck and self.culprit is None:
            self.kill(f"an item outlived its deadline and did not stop: {pulse.stuck[0][1]}", pulse.stuck[0])

    def wants(self, site: str) -> int:
        """How many permits it can use, now and soon."""
        return self.demand.get(site, 0) + self.ahead.get(site, 0)

    def done(self, done: Done) -> list[tuple[Lease, Ended]]:
        """What ended, with the leases it was done under."""
        pairs: list[tuple[Lease, Ended]] = []
        for ended in done.ended:
            key = (ended.job, ended.seq)
            self._noted.discard(key)
            lease = self.leases.pop(key, None)
            if lease is not None and lease.fence == ended.fence:
                pairs.append((lease, ended))
        return pairs

    def returned(self, returned: Returned) -> list[Lease]:
        """What came back unfinished."""
        back = (self.leases.pop((job, seq), None) for job, seq, _ in returned.items)
        return [lease for lease in back if lease is not None]

    def under_way(self) -> list[Lease]:
        """The leases that are being worked on, as far as the parent can know."""
        open_ones = [lease for key, lease in self.leases.items() if key not in self._noted]
        return open_ones[: self.slots]

    def kill(self, cause: str, culprit: Key | None = None) -> None:
        """End the process at once. Its conversation then breaks off, and the crash is dealt with there."""
        self.cause = cause
        self.culprit = culprit
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()

    def crash(self) -> Crash:
        """What its end means for the items that it held."""
        suspects = self.under_way()
        if self.culprit is not None and self.culprit in self.leases:
            suspects = [self.leases[self.culprit]]
        names = {(lease.offer.job, lease.offer.seq) for lease in suspects}
        innocent = tuple(lease for key, lease in self.leases.items() if key not in names)
        cause = self.cause or f"its process ended with code {self.process.returncode}"
        alone = self.cell or self.slots == 1 or self.culprit is not None
        self.leases, self._noted = {}, set()
        return Crash(cause, tuple(suspects), innocent, alone, self.culprit)


async def start(options: WorkerOptions, child: ChildOptions) -> Hand:
    """Start a child."""
    ours, theirs = socket.socketpair()
    watch_read, watch_write = os.pipe()
    try:
        with options.log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *options.child_command,
                str(theirs.fileno()),
                str(watch_write),
                msgspec.json.encode(child).decode(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(theirs.fileno(), watch_write),
                env=options.child_env,
                start_new_session=True,  # Ctrl-C reaches the parent alone, which then drains
            )
    finally:
        theirs.close()
        os.close(watch_write)
    return Hand(child.slots, process, await parent_end(ours), watch_read)
