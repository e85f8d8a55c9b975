"""One database file, shared by every task of this process and by other processes.

SQLite admits one writer at a time and pays for every commit with a sync of the disk. So each process has one
writer thread per file, which gathers whatever work is waiting into one transaction (a group commit), and a
few readers, which see the last commit and stand in nobody's way. Open it after a fork, never before.
"""

import asyncio
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from scrapeyard.backends.sqlite.opening import PATIENCE, Synchronous, connect, migrate, patiently
from scrapeyard.backends.sqlite.trouble import storage_error
from scrapeyard.backends.sqlite.turnstile import Turnstile
from scrapeyard.model.errors import StorageError

Result = TypeVar("Result")
Work = Callable[[sqlite3.Connection], Result]

_BUDGET = 0.008
"""Seconds after which a transaction takes no further work in; with its last piece it stays below 20 ms."""

_READERS = 2


class _Errand:
    """One piece of writing that somebody waits for."""

    def __init__(self, work: Work[Any]) -> None:
        self.work = work
        self.future: Future[Any] = Future()
        self.answer: Any = None
        self.error: Exception | None = None


class Database:
    """`write` and `read` are all there is; what they are given must be quick and must not begin or end transactions."""

    def __init__(
        self, path: Path, turnstile: Turnstile, writer: sqlite3.Connection, readers: Sequence[sqlite3.Connection]
    ) -> None:
        self.path = path
        self._turnstile = turnstile
        self._writer = writer
        self._idle: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        for reader in readers:
            self._idle.put(reader)
        self._errands: SimpleQueue[_Errand | None] = SimpleQueue()
        self._pool = ThreadPoolExecutor(len(readers), thread_name_prefix="sqlite-read")
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="sqlite-write", daemon=True)
        self._thread.start()

    async def write(self, work: Work[Result]) -> Result:
        """Run `work` on the writer in a transaction; it is durable when this returns.

        What `work` raises undoes its own changes and is raised here. Work of others may share the transaction.
        """
        self._check_open()
        errand = _Errand(work)
        self._errands.put(errand)
        return await asyncio.wrap_future(errand.future)

    async def read(self, work: Work[Result]) -> Result:
        """Run `work` on a reader, over one unchanging view of the last commit."""
        self._check_open()
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._read, work)

    async def close(self) -> None:
        """Finish what was asked for, then let go of the file. Closing twice is no error."""
        if self._closed:
            return
        self._closed = True
        self._errands.put(None)
        await asyncio.to_thread(self._shut)

    def _check_open(self) -> None:
        if self._closed:
            raise StorageError(f"{self.path} is closed already: open it again.", final=True)

    def _shut(self) -> None:
        self._thread.join()
        self._pool.shutdown()
        while not self._idle.empty():
            self._idle.get().close()
        self._writer.close()
        self._turnstile.close()

    def _read(self, work: Work[Result]) -> Result:
        reader = self._idle.get()
        try:
            reader.execute("BEGIN")
            return work(reader)
        except sqlite3.Error as error:
            raise storage_error(error, self.path) from error
        finally:
            if reader.in_transaction:
                reader.execute("ROLLBACK")
            self._idle.put(reader)

    def _run(self) -> None:
        waiting: deque[_Errand] = deque()
        closing = False
        while not closing or waiting:
            if not waiting:
                errand = self._errands.get()
                if errand is None:
                    return
                waiting.append(errand)
            closing = self._gather(waiting) or closing
            self._commit(waiting)

    def _gather(self, waiting: deque[_Errand]) -> bool:
        """Take in what else is asked for; True when closing was asked for."""
        while True:
            try:
                errand = self._errands.get_nowait()
            except Empty:
                return False
            if errand is None:
                return True
            waiting.append(errand)

    def _commit(self, waiting: deque[_Errand]) -> None:
        """One transaction over as many errands as its budget allows."""
        done: list[_Errand] = []
        try:
            with self._turnstile.turn(PATIENCE):
                patiently(lambda: self._writer.execute("BEGIN IMMEDIATE"))
            self._fill(waiting, done)
            self._writer.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - handed to everybody whose work it undid
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            if not done:
                done.extend(errand for errand in waiting if errand.future.set_running_or_notify_cancel())
                waiting.clear()
            for errand in done:
                errand.future.set_exception(self._said(error))
            return
        for errand in done:
            if errand.error is None:
                errand.future.set_result(errand.answer)
            else:
                errand.future.set_exception(errand.error)

    def _fill(self, waiting: deque[_Errand], done: list[_Errand]) -> None:
        """Do the errands. One that fails is undone alone, unless SQLite gave up the whole transaction."""
        until = time.monotonic() + _BUDGET
        while waiting and (not done or time.monotonic() < until):
            errand = waiting.popleft()
            if not errand.future.set_running_or_notify_cancel():
                continue
            done.append(errand)
            self._writer.execute("SAVEPOINT errand")
            try:
                errand.answer = errand.work(self._writer)
            except Exception as error:
                if not self._writer.in_transaction:
                    raise
                self._writer.execute("ROLLBACK TO errand")
                errand.error = self._said(error)
            self._writer.execute("RELEASE errand")

    def _said(self, error: Exception) -> Exception:
        """The error in our own words, if it is SQLite's."""
        if not isinstance(error, sqlite3.Error):
            return error
        said = storage_error(error, self.path)
        said.__cause__ = error
        return said


async def open_database(path: Path, scripts: Sequence[str], synchronous: Synchronous) -> Database:
    """Open a file, made and brought up to date if need be. `FULL` keeps every commit through a power cut."""
    return await asyncio.to_thread(_open, path, scripts, synchronous)


def _open(path: Path, scripts: Sequence[str], synchronous: Synchronous) -> Database:
    with ExitStack() as cleanup:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            turnstile = Turnstile(path)
            cleanup.callback(turnstile.close)
            writer = connect(path, synchronous)
            cleanup.callback(writer.close)
            migrate(writer, path, scripts)
            readers: list[sqlite3.Connection] = []
            for _ in range(_READERS):
                readers.append(connect(path, synchronous, reader=True))
                cleanup.callback(readers[-1].close)
        except sqlite3.Error as error:
            raise storage_error(error, path) from error
        except OSError as error:
            raise StorageError(
                f"{path} cannot be opened ({error.strerror}): give this user write access to its folder, or choose "
                "another data folder.",
                final=True,
            ) from error
        cleanup.pop_all()
    return Database(path, turnstile, writer, readers)
