"""As many worker processes on this machine as there is work for, and none while there is none.

Whoever is to go has been told so and ends by itself. On closing all are drained: they let what runs end within their
grace and give the rest back.
"""

import asyncio
import contextlib
import signal
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Mapping, Sequence
from pathlib import Path

import structlog

from scrapeyard.model.errors import StorageError
from scrapeyard.model.fleet import WorkerReport

log = structlog.get_logger(__name__)

_HASTY = 5.0
"""A process that ends within so many seconds of its start makes the next one wait as long."""


class ProcessScale:
    """Fulfils `scrapeyard.ports.scale.Scale`. `command` starts one worker; what it says goes to the file `log`."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], log: Path) -> None:
        self._command = command
        self._env = env
        self._log = log
        self._processes: dict[int, Process] = {}
        self._started: dict[int, float] = {}
        self._rest_until = 0.0
        self._closing = False

    async def count(self) -> int:
        """Those that live."""
        self._reap()
        return len(self._processes)

    async def ask(self, count: int, leaving: Sequence[WorkerReport]) -> None:
        """Start what is missing."""
        self._reap()
        going = {report.pid for report in leaving} & self._processes.keys()
        missing = count - (len(self._processes) - len(going))
        if asyncio.get_running_loop().time() >= self._rest_until:
            for _ in range(missing):
                await self._start()

    async def close(self, *, now: bool = False) -> None:
        """Drain them all and wait for their end. They obey a second signal at once."""
        self._closing = True
        for process in self._processes.values():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
        if not now:
            await asyncio.gather(*(process.wait() for process in self._processes.values()))
            self._reap()

    async def _start(self) -> None:
        with self._log.open("ab") as log_file:
            try:
                process = await asyncio.create_subprocess_exec(
                    *self._command, stdin=DEVNULL, stdout=log_file, stderr=log_file, env=dict(self._env),
                    start_new_session=True,  # Ctrl-C reaches us alone, and we tell them
                )  # fmt: skip
            except OSError as error:
                raise StorageError(f"No worker can be started ({error.strerror}): {self._command[0]}") from error
        self._processes[process.pid] = process
        self._started[process.pid] = asyncio.get_running_loop().time()

    def _reap(self) -> None:
        now = asyncio.get_running_loop().time()
        for pid, process in list(self._processes.items()):
            if process.returncode is None:
                continue
            del self._processes[pid]
            if process.returncode != 0 and not self._closing:
                log.warning("a worker ended by itself", pid=pid, code=process.returncode, log=str(self._log))
            if now - self._started.pop(pid) < _HASTY:
                self._rest_until = now + _HASTY
