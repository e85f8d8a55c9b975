"""Fair turns among the processes that write to one file.

SQLite lets whoever asks at the right moment write next; a process that loads a long list asks again at once, and
the others would hardly ever come at the right moment. So a writer goes through a turnstile first: only one at a
time stands behind it and waits for SQLite's lock, and whoever has just written finds the turnstile taken.
The turnstile is a lock on an empty file beside the database, so a process that dies lets go of it.
"""

import fcntl
import os
import random
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


class Turnstile:
    """One process's way to its turn. A hanging process holds it up for a while, never for good."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(f"{path}-turn", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    @contextmanager
    def turn(self, patience: float) -> Generator[None]:
        """Stand behind the turnstile; after so many seconds go on without."""
        deadline = time.monotonic() + patience
        while not (got := self._try()) and time.monotonic() < deadline:
            time.sleep(random.uniform(0.0002, 0.002))  # noqa: S311 - spreads those who wait, hides nothing
        try:
            yield
        finally:
            if got:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)

    def _try(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
