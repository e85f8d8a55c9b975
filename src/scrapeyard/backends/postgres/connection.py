"""One database, met through a few connections that all tasks of this process share.

A connection may break at any moment. What breaks before the commit was asked for has changed nothing, and is done
again. What breaks during the commit may have happened or not; it is done again only where repeating is harmless.
"""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias, TypeVar

import asyncpg
from asyncpg.pool import Pool, PoolConnectionProxy

from scrapeyard.backends.postgres.trouble import FOREIGN, answered, in_our_words, trouble_of
from scrapeyard.model.errors import StorageError

Record: TypeAlias = asyncpg.Record
Connection: TypeAlias = "PoolConnectionProxy[Record]"
Result = TypeVar("Result")
Work = Callable[[Connection], Awaitable[Result]]

_PATIENCE = 5.0
"""Seconds for which passing trouble is met by trying again; whoever asked has plans of its own for longer ones."""

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0


class Database:
    """Work is given a connection. It must be quick, and neither begin nor end transactions itself."""

    def __init__(self, pool: "Pool[Record]", where: str, schema: str) -> None:
        self._pool = pool
        self.where = where
        self.schema = schema
        self._closed = False

    async def ask(self, statement: str, *values: object, harmless: bool = True) -> list[Record]:
        """One statement, durable when this returns if it writes. `harmless` says that it may be done twice."""

        async def once(progress: "_Progress") -> list[Record]:
            async with self._lent() as connection:
                progress.committing = True
                return await connection.fetch(statement, *values)

        return await self._patiently(once, harmless)

    async def read(self, work: Work[Result]) -> Result:
        """Several statements that write nothing, each over what was committed when it began."""

        async def once(_: "_Progress") -> Result:
            async with self._lent() as connection:
                return await work(connection)

        return await self._patiently(once, harmless=True)

    async def write(self, work: Work[Result], *, harmless: bool = False) -> Result:
        """Run `work` in a transaction; it is durable when this returns. What `work` raises undoes its changes."""

        async def once(progress: "_Progress") -> Result:
            async with self._lent() as connection:
                transaction = connection.transaction()
                await transaction.start()
                try:
                    answer = await work(connection)
                except BaseException as error:
                    if is_sound_after(error):
                        await transaction.rollback()
                    raise
                progress.committing = True
                await transaction.commit()
                return answer

        return await self._patiently(once, harmless)

    async def close(self) -> None:
        """Finish what was asked for, then let go of the connections. Closing twice is no error."""
        if self._closed:
            return
        self._closed = True
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()

    @asynccontextmanager
    async def _lent(self) -> AsyncGenerator[Connection]:
        """A connection for a while. One that may be in the middle of something is not used again."""
        if self._closed:
            raise StorageError(f"{self.where} is closed already: open it again.", final=True)
        connection = await self._pool.acquire()
        try:
            yield connection
        except BaseException as error:
            if not is_sound_after(error):
                connection.terminate()
            raise
        finally:
            await self._pool.release(connection)

    async def _patiently(self, once: Callable[["_Progress"], Awaitable[Result]], harmless: bool) -> Result:
        """Try again while the trouble is a passing one, and nothing can come of trying twice."""
        until = time.monotonic() + _PATIENCE
        pause = _FIRST_PAUSE
        while True:
            progress = _Progress()
            try:
                return await once(progress)
            except FOREIGN as error:
                undone = not progress.committing or answered(error)
                again = trouble_of(error).passing and (harmless or undone)
                if not again or time.monotonic() + pause > until:
                    raise in_our_words(error, self.where) from error
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - spreads those who try again
            pause = min(_LONGEST_PAUSE, pause * 2)


def is_sound_after(error: BaseException) -> bool:
    """Whether the connection on which this was raised can be used again."""
    return answered(error) if isinstance(error, FOREIGN) else isinstance(error, Exception)


class _Progress:
    """How far one try has come."""

    def __init__(self) -> None:
        self.committing = False
