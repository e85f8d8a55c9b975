"""A Redis, or a Valkey, of one's own."""

import socket
from collections.abc import Sequence
from itertools import count

from scrapeyard.testing.servers.process import ServerProcess, missing, program


class RedisServer(ServerProcess):
    """One server that keeps everything in memory; every `fresh` address has a prefix that nobody has used."""

    name = "redis"

    def __init__(self) -> None:
        super().__init__()
        self._numbers = count()

    def command(self) -> Sequence[str]:
        """Nothing of it reaches the disk."""
        words = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        found = program("redis-server") or program("valkey-server")
        if found is None:
            raise missing("Redis")
        return [found, *words, "--dir", str(self.folder)]

    @property
    def address(self) -> str:
        """The server itself."""
        return f"redis://127.0.0.1:{self.port}/0"

    def fresh(self) -> str:
        """An address with nothing in it yet."""
        return f"{self.address}?prefix=test_{next(self._numbers)}"

    def flush(self) -> None:
        """Everything is lost, at this moment."""
        with socket.create_connection(("127.0.0.1", self.port)) as wire:
            wire.sendall(b"FLUSHALL\r\n")
            assert wire.recv(100).startswith(b"+OK")
