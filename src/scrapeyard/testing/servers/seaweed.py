"""An S3 server of one's own: SeaweedFS, whose signatures, conditions and uploads in parts are real."""

import json
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from scrapeyard.testing.servers.process import ServerProcess, free_port, missing, program

_ASIDE = (
    "master.port",
    "master.port.grpc",
    "volume.port",
    "volume.port.grpc",
    "filer.port",
    "filer.port.grpc",
    "s3.port.grpc",
)


class SeaweedServer(ServerProcess):
    """One server with an empty store; every `fresh` address is a prefix that nobody has used."""

    name = "seaweedfs"

    def __init__(self) -> None:
        super().__init__()
        self._aside = {name: free_port() for name in _ASIDE}
        self._numbers = count()

    def command(self) -> Sequence[str]:
        """Its people are written down at the first start."""
        found = program("weed", str(Path(sys.executable).parent))
        if found is None:
            raise missing("SeaweedFS")
        data, people = self.folder / "data", self.folder / "people.json"
        if not data.exists():
            data.mkdir()
            keys = {"accessKey": self.env["AWS_ACCESS_KEY_ID"], "secretKey": self.env["AWS_SECRET_ACCESS_KEY"]}
            may = ["Admin", "Read", "List", "Tagging", "Write"]
            people.write_text(json.dumps({"identities": [{"name": "us", "credentials": [keys], "actions": may}]}))
        ports = {**self._aside, "s3.port": self.port, "s3.port.iceberg": 0, "s3.port.lance": 0}
        return [
            found, "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={data}", "-volume.max=20",
            "-master.volumeSizeLimitMB=64", "-master.telemetry=false", "-s3", f"-s3.config={people}",
            *(f"-{name}={port}" for name, port in ports.items()),
        ]  # fmt: skip

    def ready(self) -> bool:
        """It refuses strangers only once it knows its own people."""
        if not super().ready():
            return False
        try:
            urllib.request.urlopen(self.endpoint, timeout=5)  # noqa: S310 - our own server
        except urllib.error.HTTPError as error:
            return error.code == 403
        except OSError:
            return False
        return False

    @property
    def endpoint(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def env(self) -> dict[str, str]:
        """What a process needs in its environment to use it."""
        return {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "testsecret", "AWS_REGION": "us-east-1"}

    def fresh(self) -> str:
        """An address with nothing in it yet. The bucket is made when it is first written to."""
        return f"s3://yard/test-{next(self._numbers)}?endpoint={self.endpoint}"
