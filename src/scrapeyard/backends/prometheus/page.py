"""A page for Prometheus to read, `/metrics`, of a process that has no other door; and `/healthz` beside it.

Whoever reaches the address may read it. There are no names of jobs, items or sites in it, but it belongs inside the
network all the same.
"""

from collections.abc import Callable

from aiohttp import web

from scrapeyard.backends.prometheus.meter import KIND
from scrapeyard.model.errors import Refused


class FiguresPage:
    """Serves what `text` gives at `HOST:PORT`; port 0 takes a free one."""

    def __init__(self, listen: str, text: Callable[[], bytes]) -> None:
        self._host, self._port = parted(listen)
        self._text = text
        self._runner: web.AppRunner | None = None

    @property
    def address(self) -> str:
        """Where it listens, once it was opened."""
        assert self._runner is not None
        host, port = self._runner.addresses[0][:2]
        return f"http://{f'[{host}]' if ':' in str(host) else host}:{port}"

    async def open(self) -> None:
        """Begin to listen, or say why that cannot be."""
        app = web.Application(client_max_size=1)
        app.router.add_get("/metrics", self._metrics)
        app.router.add_get("/healthz", self._health)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._host, self._port).start()
        except OSError as error:
            await self.close()
            raise Refused(
                f"{self._host}:{self._port} cannot be listened at for metrics: {error.strerror}; choose another one."
            ) from error

    async def close(self) -> None:
        """Listen no more."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _metrics(self, _: web.Request) -> web.Response:
        return web.Response(body=self._text(), headers={"Content-Type": KIND})

    async def _health(self, _: web.Request) -> web.Response:
        return web.Response(text="ok\n")


def parted(listen: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`, `[ADDRESS]:PORT` or `:PORT`, which means this machine only."""
    host, colon, port = listen.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65_535:
        raise Refused(f"{listen!r} is no address for metrics: write HOST:PORT, such as 0.0.0.0:9100.")
    return host.strip("[]") or "127.0.0.1", int(port)
