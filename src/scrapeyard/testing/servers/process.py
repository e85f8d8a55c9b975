"""A server program as a child process: found, started, waited for, stopped, and never left behind."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from scrapeyard.model.errors import Refused

_PATIENCE = 30.0
_TRIES = 3


class ServerProcess:
    """One server. A subclass says how it is started on a port; `start` may be called again after `stop`."""

    name = ""
    user: str | None = None
    """Who it runs as where this process is root; None means root too."""
    sudden = signal.SIGKILL
    """The signal after which nothing more is written, in the server and in all processes that it has started."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"scrapeyard-{self.name}-"))
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def command(self) -> Sequence[str]:
        """The program with its words, for `self.port` and `self.folder`."""
        raise NotImplementedError

    def ready(self) -> bool:
        """Whether it answers: this very process, not another one that happens to have the port."""
        process = self._process
        if process is None or process.poll() is not None:
            return False
        with contextlib.suppress(psutil.Error):
            listening = [one.laddr for one in psutil.Process(process.pid).net_connections() if not one.raddr]
            return any(place.port == self.port for place in listening if place)
        return False

    def __enter__(self) -> Self:
        for turn in range(_TRIES):
            try:
                self.start()
            except Refused:
                if turn == _TRIES - 1:
                    self.close()
                    raise
                self.port = free_port()  # somebody else took it meanwhile
            else:
                break
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start it where it was, and wait until it answers."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - a program that is installed, with words of ours
                wrapped(self.command(), self.user), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                start_new_session=True,
            )  # fmt: skip
        until = time.monotonic() + _PATIENCE
        while not self.ready():
            if self._process.poll() is not None or time.monotonic() > until:
                self.stop()
                said = (self.folder / "log").read_text(errors="replace")[-1_000:]
                raise Refused(f"{self.name} does not start on port {self.port}:\n{said}")
            time.sleep(0.01)

    def stop(self) -> None:
        """End it as suddenly as a crash. What it has written stays for the next `start`."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(self.sudden)
            process.wait()

    def close(self) -> None:
        """End it and forget everything."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def free_port() -> int:
    """A port of this machine that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def program(name: str, *places: str) -> str | None:
    """A program that is installed: on the path, else in one of the places, which may be patterns of folders."""
    hits = (str(hit) for place in places for hit in sorted(Path("/").glob(f"{place.lstrip('/')}/{name}")))
    return shutil.which(name) or next(hits, None)


def run(words: Sequence[str], user: str | None = None, folder: Path | None = None) -> int:
    """Let a program do something that ends by itself; gives its exit code."""
    return subprocess.run(  # noqa: S603 - as above
        wrapped(words, user), check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=folder
    ).returncode


def missing(name: str) -> Refused:
    """A server that is not installed."""
    return Refused(f"{name} is not installed: run `scripts/setup dev`.")


def wrapped(command: Sequence[str], user: str | None) -> list[str]:
    """The command as that user where this process is root, and ended together with it where the system can do that."""
    setpriv = shutil.which("setpriv") if sys.platform == "linux" else None
    if setpriv is None:
        return list(command)
    switch = [f"--reuid={user}", f"--regid={user}", "--init-groups"] if user and os.geteuid() == 0 else []
    return [setpriv, *switch, "--pdeathsig", "KILL", *command]
