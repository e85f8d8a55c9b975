"""A machine that is not there: processes that are tasks, and pipes between them that are buffers.

A process that is killed does nothing more, whatever its code would still do on its way out: it may be stopped in the
middle of everything, and whoever talks to it hears that the line is dead.
"""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any

import msgspec

from scrapeyard.testing.faults.wrapping import Call, Going
from scrapeyard.worker.channel import Channel
from scrapeyard.worker.child import Child
from scrapeyard.worker.hand import Hand
from scrapeyard.worker.messages import Down, Up
from scrapeyard.worker.options import ChildOptions, WorkerOptions

_LIMIT = 1 << 20
_KILLED = -9
_PULSE = 0.5
"""Seconds between two pulses of a child: seldom, because each of them costs this process time."""


class Life:
    """Whether a process lives. It is a fault around everything that the process asks for."""

    def __init__(self) -> None:
        self.dead = False

    async def around(self, call: Call, go: Going) -> Any:  # noqa: ARG002 - the same for all
        """Ask while it lives. What was asked for before is done, but nobody is there for the answer."""
        self._check()
        answer = await go()
        self._check()
        return answer

    def _check(self) -> None:
        if self.dead:
            raise asyncio.CancelledError


class Pipe(asyncio.Transport):
    """One direction of a conversation: what one end writes, in pieces, to the reader of the other."""

    def __init__(self, life: Life) -> None:
        super().__init__()
        self._life = life
        self._loop = asyncio.get_running_loop()
        self._waiting: list[bytes] = []
        self.broken = False
        self.reader = asyncio.StreamReader(_LIMIT, self._loop)
        self.protocol = asyncio.StreamReaderProtocol(self.reader, loop=self._loop)
        self.peer: Pipe | None = None

    def write(self, data: "bytes | bytearray | memoryview[Any]") -> None:
        """On its way; unless the writer is dead."""
        if not self._life.dead and not self.broken:
            if not self._waiting:
                self._loop.call_soon(self._flush)
            self._waiting.append(bytes(data))

    def is_closing(self) -> bool:
        """Whether it is over."""
        return self.broken

    def close(self) -> None:
        """Send what was written, then hang up."""
        self._loop.call_soon(self.break_off)

    def break_off(self) -> None:
        """Hang up, on both ends."""
        self._flush()
        for end in (self, self.peer):
            if end is not None and not end.broken:
                end.broken = True
                end.protocol.connection_lost(None)

    def pause_reading(self) -> None:
        """There is room."""

    def resume_reading(self) -> None:
        """It never paused."""

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        if self.peer is not None and not self.peer.broken and not self.broken:
            for piece in waiting:
                self.peer.reader.feed_data(piece)


def pipes(one: Life, other: Life) -> tuple[Pipe, Pipe]:
    """Both ends of a conversation."""
    ends = Pipe(one), Pipe(other)
    ends[0].peer, ends[1].peer = ends[1], ends[0]
    for end in ends:
        end.protocol.connection_made(end)
    return ends


def spoken(end: Pipe, decoder: msgspec.msgpack.Decoder[Any]) -> Channel[Any, Any]:
    """A channel over one end."""
    writer = asyncio.StreamWriter(end, end.protocol, end.reader, asyncio.get_running_loop())
    return Channel(end.reader, writer, decoder)


class ChildProcess:
    """A scraping process that is a task. Fulfils `scrapeyard.worker.hand.Process`."""

    def __init__(self, pid: int, parent: Life) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.life = Life()
        self._parent = parent
        self._ended = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._end: Pipe | None = None

    def begin(self, task: asyncio.Task[None], end: Pipe) -> None:
        """It runs."""
        self._task, self._end = task, end
        task.add_done_callback(self._over)

    def kill(self) -> None:
        """As its parent does it; a dead one does nothing."""
        if not self._parent.dead:
            self.die()

    def die(self, code: int = _KILLED) -> None:
        """At this moment."""
        if self.returncode is None and self._task is not None:
            self.returncode = code
            self.life.dead = True
            self._task.cancel()
            self._gone()

    async def wait(self) -> int:
        """Until it is over; gives its code."""
        await self._ended.wait()
        return self.returncode or 0

    def _over(self, task: asyncio.Task[None]) -> None:
        failed = task.cancelled() or task.exception() is not None
        if self.returncode is None:
            self.returncode = int(failed)
            self._gone()

    def _gone(self) -> None:
        self._ended.set()
        if self._end is not None:
            self._end.break_off()


class Machine:
    """Fulfils `scrapeyard.worker.machine.Machine` for one worker. `bear` makes the child of a process."""

    pids = count(5_000_000)
    """Higher than any real one."""

    def __init__(self, life: Life, bear: Callable[[ChildProcess, ChildOptions, Channel[Up, Down]], Child]) -> None:
        self.life = life
        self.children: list[ChildProcess] = []
        self._bear = bear
        self._lines: list[Pipe] = []

    async def start(self, options: WorkerOptions, child: ChildOptions) -> Hand:  # noqa: ARG002 - nothing is started
        """A new scraping process, which needs a moment."""
        await asyncio.sleep(0.3)
        process = ChildProcess(next(self.pids), self.life)
        ours, theirs = pipes(self.life, process.life)
        born = self._bear(
            process, msgspec.structs.replace(child, pulse_every=_PULSE), spoken(theirs, msgspec.msgpack.Decoder(Down))
        )
        process.begin(asyncio.create_task(born.run(process.pid)), theirs)
        self.children = [one for one in self.children if one.returncode is None] + [process]
        self._lines.append(ours)
        return Hand(child.slots, process, spoken(ours, msgspec.msgpack.Decoder(Up)))

    def refusal(self) -> str | None:
        """There is always room."""
        return None

    def resident(self, pid: int) -> int:  # noqa: ARG002 - all alike
        """Nothing weighs anything."""
        return 0

    def kill(self) -> None:
        """The worker's own process dies; its children find out when they read from it."""
        self.life.dead = True
        for line in self._lines:
            line.break_off()
