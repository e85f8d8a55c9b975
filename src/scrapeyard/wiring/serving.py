"""The controller as a server: the API and the dashboard over this yard's service, until it is told to stop.

Bound to another address than this machine's own, it refuses to start while no key was made: a service that anybody can
reach and nobody has to name himself to would be found within the hour.
"""

import asyncio
import socket
from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import version
from ipaddress import ip_address
from threading import Event

import uvicorn

from scrapeyard.controller.access.keys import Keys
from scrapeyard.controller.access.tries import Tries
from scrapeyard.controller.api.app import create_app
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.dashboard.site import add_dashboard
from scrapeyard.model.errors import Refused
from scrapeyard.model.metric import Role
from scrapeyard.wiring.yard import Yard


class Controller:
    """One server. `address` is where it listens, known once it was opened."""

    def __init__(self, yard: Yard) -> None:
        self._yard = yard
        self._server: uvicorn.Server | None = None
        self._socket: socket.socket | None = None
        self._closing = Event()

    @property
    def address(self) -> str:
        """Where it is reached."""
        assert self._socket is not None
        host, port = self._socket.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    async def open(self) -> None:
        """Take the address, or say why it cannot be had."""
        settings = self._yard.settings.api
        keys = Keys(self._yard.ledger.memos, self._yard.clock)
        if not _is_here(settings.host) and not await keys.any():
            raise Refused(
                f"Without a key only this machine is served, and {settings.host} is more than that: "
                "make one with `scrapeyard keys create NAME --scope admin`."
            )
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((settings.host, settings.port))
            self._socket.listen(2048)
        except OSError as error:
            raise Refused(
                f"{settings.host}:{settings.port} cannot be listened at: {error.strerror}; choose another --port."
            ) from error
        yard = self._yard
        figures = None if yard.metering is None else yard.metering.text
        office = Office(
            yard.service,
            yard.scrapers,
            keys,
            yard.ledger.memos,
            yard.clock,
            figures,
            Tries(settings.wrong_keys),
            self._closing,
        )
        app = create_app(office, version("scrapeyard"))
        add_dashboard(app, office)
        config = uvicorn.Config(
            app if yard.metering is None else yard.metering.app(app),
            http="httptools",
            loop="none",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=10,
        )
        self._server = _Server(config)

    async def run(self) -> None:
        """Serve until stopped."""
        assert self._server is not None
        assert self._socket is not None
        clerk = self._yard.clerk(self.address)
        acting = asyncio.create_task(clerk.run())
        try:
            async with self._yard.telling(Role.CONTROLLER):
                await self._server.serve([self._socket])
        finally:
            clerk.stop()
            await acting

    def stop(self) -> None:
        """End what is under way, then stop. May be called from a signal handler."""
        if self._server is not None:
            self._closing.set()
            self._server.should_exit = True


class _Server(uvicorn.Server):
    """Leaves signals to whoever runs it."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
