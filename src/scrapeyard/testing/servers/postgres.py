"""A PostgreSQL of one's own."""

import os
import shutil
import signal
from collections.abc import Sequence
from itertools import count

from scrapeyard.model.errors import Refused
from scrapeyard.testing.servers.process import ServerProcess, missing, program, run

_USER = "postgres"
"""PostgreSQL refuses to run as root; every package of it brings this user along."""

_PLACES = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
)
_HASTY = {"fsync": "off", "full_page_writes": "off"}
"""A crash of the server loses nothing all the same; a crash of the machine may."""


class PostgresServer(ServerProcess):
    """One server with an empty database; every `fresh` address is a schema that nobody has used."""

    name = "postgresql"
    user = _USER
    sudden = signal.SIGQUIT

    def __init__(self, *, durable: bool = False, **settings: str) -> None:
        super().__init__()
        self._settings = {} if durable else _HASTY
        self._settings = self._settings | {"shared_buffers": "64MB", "max_connections": "200"} | settings
        self._numbers = count()

    def command(self) -> Sequence[str]:
        """Made at the first start."""
        data = str(self.folder / "data")
        if not (self.folder / "data").exists():
            if os.geteuid() == 0:
                shutil.chown(self.folder, _USER, _USER)
            words = ["-D", data, "-A", "trust", "-U", _USER, "-E", "UTF8", "--no-sync"]
            if run([_program("initdb"), *words], self.user, self.folder):
                raise Refused(f"initdb cannot make a database in {self.folder}: see what it says there.")
        settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", **self._settings}
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return [_program("postgres"), "-D", data, "-p", str(self.port), *words]

    def ready(self) -> bool:
        """It listens before it has mended what a crash left."""
        asked = [_program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return super().ready() and run(asked) == 0

    @property
    def address(self) -> str:
        """The server itself."""
        return f"postgresql://{_USER}@127.0.0.1:{self.port}/postgres"

    def fresh(self) -> str:
        """An address with nothing in it yet. Nothing has to be removed: it goes with the server."""
        return f"{self.address}?schema=test_{next(self._numbers)}"


def _program(name: str) -> str:
    found = program(name, *_PLACES)
    if found is None:
        raise missing("PostgreSQL")
    return found
