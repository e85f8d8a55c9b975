"""Notices, from a thread, that the child's event loop has stopped turning, and says whose code stopped it.

A scraper that blocks its process cannot be asked anything. This thread can still look which task the loop is
in, so that the parent can kill the process and blame the guilty item alone. If the blocking code holds the
interpreter's lock, this thread stands still too; then the parent falls back on running all suspects alone.
"""

import asyncio
import os
import threading
import time


class Watchdog:
    """A thread that writes the name of the task that blocks the loop to a pipe, once per stall."""

    def __init__(self, loop: asyncio.AbstractEventLoop, pipe: int, limit: float) -> None:
        self._loop = loop
        self._pipe = pipe
        self._limit = limit
        self._parent = os.getppid()
        self._last = time.monotonic()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def beat(self) -> None:
        """The loop turns."""
        self._last = time.monotonic()

    def _watch(self) -> None:
        told = 0.0
        while True:
            time.sleep(min(0.5, self._limit / 4))
            if os.getppid() != self._parent:
                os._exit(1)  # the parent is gone; nobody will ever hear of what this process does
            last = self._last
            if time.monotonic() - last > self._limit and told != last:
                told = last
                task = asyncio.current_task(self._loop)
                name = task.get_name() if task else ""
                os.write(self._pipe, f"{name}\n".encode())
