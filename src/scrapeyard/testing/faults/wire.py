"""A wire to a real server that can be cut, stalled, slowed and broken off: a TCP proxy in this process.

What the port's own faults cannot show is how a driver behaves when packets stop: it waits, it has half an answer, or
its connection is gone. So workers are given the wire's address in place of the server's.
"""

import asyncio
from types import TracebackType
from typing import Self

_PIECE = 1 << 16


class Wire:
    """Listens on a free port of this machine and passes on what it hears to `port`."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._server: asyncio.Server | None = None
        self._flow = asyncio.Event()
        self._flow.set()
        self._refusing = False
        self._slow = 0.0
        self._open: set[asyncio.StreamWriter] = set()
        self._lines: set[asyncio.Task[None]] = set()
        self.passed = 0

    @property
    def port(self) -> int:
        """Where it listens."""
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    def stall(self) -> None:
        """Nothing is passed on any more, in neither direction, and nobody is told: a cut cable."""
        self._flow.clear()

    def refuse(self) -> None:
        """New connections are broken off at once, and those that are there too: a server that is away."""
        self._refusing = True
        self.reset()

    def slow(self, seconds: float) -> None:
        """Every piece waits so long before it is passed on."""
        self._slow = seconds

    def reset(self) -> None:
        """Break off every connection that is there; new ones are welcome."""
        for writer in list(self._open):
            writer.transport.abort()

    def heal(self) -> None:
        """All is well again. What was stalled is passed on, as TCP does."""
        self._refusing = False
        self._slow = 0.0
        self._flow.set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        self.reset()
        for line in list(self._lines):
            line.cancel()
        await asyncio.gather(*self._lines, return_exceptions=True)

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = asyncio.current_task()
        assert line is not None
        self._lines.add(line)
        self._open.add(writer)
        there: asyncio.StreamWriter | None = None
        try:
            await self._flow.wait()
            if self._refusing:
                return
            answers, there = await asyncio.open_connection("127.0.0.1", self._target)
            self._open.add(there)
            async with asyncio.TaskGroup() as both:
                both.create_task(self._pass(reader, there))
                both.create_task(self._pass(answers, writer))
        except* OSError:
            pass  # one side is gone, and so is the other then
        finally:
            for end in (writer, there):
                if end is not None:
                    self._open.discard(end)
                    end.transport.abort()
            self._lines.discard(line)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(_PIECE):
            if self._slow:
                await asyncio.sleep(self._slow)
            await self._flow.wait()
            writer.write(piece)
            await writer.drain()
            self.passed += len(piece)
        raise ConnectionResetError  # the end of one direction is the end of both: nobody here speaks half-open
