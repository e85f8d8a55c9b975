"""An event loop that never waits: when nothing can be done now, it is at once as late as the next thing is due.

Everything that measures time by the loop (sleeps, time-outs) agrees with the clock of it. There are no sockets and no
threads, so what happens next depends on nothing but what happened before.
"""

import asyncio
import random
import secrets
import selectors
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeVar
from unittest import mock

Result = TypeVar("Result")

START = 1_750_000_000.0
"""The wall clock at the beginning of every history."""


class Luck(random.Random):
    """Luck with a seed; nothing here is a secret."""


class StandsStill(Exception):
    """Everybody waits for somebody else."""


class _NoWaiting(selectors.SelectSelector):
    """Lets the time pass that it was told to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.time = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Nothing ever comes from outside."""
        if timeout is None:
            raise StandsStill("Nothing is due and nothing will ever happen again.")
        self.time += max(0.0, timeout)
        return []


class SkippingLoop(asyncio.SelectorEventLoop):
    """The loop."""

    def __init__(self) -> None:
        self._passing = _NoWaiting()
        super().__init__(self._passing)
        self.unended: set[asyncio.Task[Any]] = set()
        """Tasks are held here, for one of a killed process waits for what nobody else knows of, and would vanish."""

    def time(self) -> float:
        """Virtual seconds since the beginning."""
        return self._passing.time

    def create_task(self, coro: Any, **named: Any) -> "asyncio.Task[Any]":
        """As ever, and nobody is lost sight of."""
        task: asyncio.Task[Any] = super().create_task(coro, **named)
        self.unended.add(task)
        task.add_done_callback(self.unended.discard)
        return task

    def run_in_executor(  # type: ignore[override] - threads would make the order of things a matter of luck
        self, executor: Any, func: Callable[..., Result], *args: Any
    ) -> "asyncio.Future[Result]":
        """Do it here and now."""
        del executor
        done: asyncio.Future[Result] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - whoever waits gets it
            done.set_exception(error)
        return done


class LoopClock:
    """Fulfils `scrapeyard.ports.clock.Clock`. `skew` is by how much its wall clock is wrong."""

    def __init__(self, skew: float = 0.0) -> None:
        self.skew = skew

    def now(self) -> float:
        """Seconds since the epoch, as this one believes."""
        return START + self.monotonic() + self.skew

    def monotonic(self) -> float:
        """The loop's time."""
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(max(0.0, seconds))


@contextmanager
def luck_of(seed: int) -> Generator[Luck]:
    """Everything that is left to chance in this process depends on the seed from here on."""
    luck, names = Luck(seed), Luck(seed + 1)
    random.seed(seed)
    with (
        mock.patch.object(secrets, "token_hex", lambda size=32: names.randbytes(size).hex()),
        mock.patch.object(secrets, "randbits", names.getrandbits),
    ):
        yield luck
