"""An SQS of one's own. No real one can be had, so this is an emulator; nothing but the queue is asked of it."""

import os
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from scrapeyard.testing.servers.process import ServerProcess, missing, program


class SqsServer(ServerProcess):
    """One server that keeps everything in memory; every `fresh` address has a prefix that nobody has used."""

    name = "ministack"

    def __init__(self) -> None:
        super().__init__()
        self._numbers = count()

    def command(self) -> Sequence[str]:
        """It is told by its environment where to listen."""
        found = program("ministack", str(Path(sys.executable).parent))
        if found is None:
            raise missing("ministack")
        env = program("env", "/usr/bin")
        folder = str(self.folder)
        words = {"BIND_HOST": "127.0.0.1", "GATEWAY_PORT": str(self.port), "HOME": folder, "TMPDIR": folder}
        return [env or "env", *(f"{name}={word}" for name, word in words.items()), found]

    def ready(self) -> bool:
        """It listens before it answers."""
        if not super().ready():
            return False
        try:
            urllib.request.urlopen(f"{self.endpoint}/_ministack/health", timeout=5)  # noqa: S310 - our own server
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False
        return True

    @property
    def endpoint(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def env(self) -> dict[str, str]:
        """What a process needs in its environment to use it; any identity will do."""
        return {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "testsecret", "AWS_EC2_METADATA_DISABLED": "true"}

    def fresh(self) -> str:
        """An address with nothing in it yet."""
        return f"sqs://us-east-1/test-{os.getpid()}-{next(self._numbers)}?endpoint={self.endpoint}&wait=0"
