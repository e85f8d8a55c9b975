"""The county as something that can be started and stopped: on loopback, on a free port, in a test or as a process."""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from aiohttp import web

from scrapeyard.demo.county import control
from scrapeyard.demo.county.faults import Faults
from scrapeyard.demo.county.parcels import Parcel, parcel
from scrapeyard.demo.county.portals import alder, birch, cedar, dogwood, elm, fir, ginkgo, hazel, plain
from scrapeyard.demo.county.proxies.pool import Pools, opened
from scrapeyard.demo.county.site import CountyOptions, Site
from scrapeyard.demo.county.visitors import Origin

MOST_FORM_BYTES = 64 * 1024
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class County:
    """A running county."""

    def __init__(self, site: Site, pools: Pools, port: int, closing: AsyncExitStack) -> None:
        self._site = site
        self._closing = closing
        self.pools = pools
        self.port = port
        self.base_url = f"http://{site.options.host}:{port}"

    @property
    def options(self) -> CountyOptions:
        """What this county was started with."""
        return self._site.options

    def url(self, path: str) -> str:
        """The whole address of a path of this county."""
        return self.base_url + path

    def parcel(self, index: int) -> Parcel:
        """The truth about a parcel, to compare with what was scraped."""
        return parcel(self.options.seed, index)

    def turn(self, faults: Faults, seconds: float | None = None) -> None:
        """Behave like this from now on, or only for so many seconds."""
        self._site.dial.turn(faults, seconds)

    @property
    def served(self) -> dict[str, int]:
        """How many faults of each kind it has served."""
        return dict(self._site.dial.served)

    @property
    def requests(self) -> dict[str, int]:
        """How many requests it has had, per route."""
        return dict(self._site.requests)

    @property
    def visitors(self) -> dict[str, int]:
        """How many requests it has had, by where they came from."""
        return dict(self._site.visitors.requests)

    async def close(self) -> None:
        """Stop at once, open connections included; a second time does nothing."""
        await self._closing.aclose()


async def start(options: CountyOptions, now: Callable[[], float] = time.monotonic) -> County:
    """Start a county; whoever starts it must close it."""
    site = Site(options, now)
    async with AsyncExitStack() as closing:
        counts = {Origin.DATACENTER: options.datacenter, Origin.RESIDENTIAL: options.residential}
        pools = await closing.enter_async_context(opened(counts, options.password, site.visitors))
        runner = web.AppRunner(_application(site, pools), access_log=None, shutdown_timeout=0.2)
        await runner.setup()
        closing.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, options.host, options.port, backlog=1024).start()
        return County(site, pools, int(runner.addresses[0][1]), closing.pop_all())


@asynccontextmanager
async def serve(options: CountyOptions, now: Callable[[], float] = time.monotonic) -> AsyncGenerator[County]:
    """A county for as long as the block lasts."""
    county = await start(options, now)
    try:
        yield county
    finally:
        await county.close()


async def _robots(_: web.Request) -> web.Response:
    """What a county asks of robots."""
    return web.Response(text=f"User-agent: *\nDisallow: {control.PLACE}\n")


def _application(site: Site, pools: Pools) -> web.Application:
    requests = site.requests

    @web.middleware
    async def counted(request: web.Request, handler: Handler) -> web.StreamResponse:
        resource = request.match_info.route.resource
        requests[resource.canonical if resource else "(no such page)"] += 1
        if request.path.startswith((control.PLACE, "/robots.txt")):
            return await handler(request)
        return site.turned_away(request) or await handler(request)

    app = web.Application(client_max_size=MOST_FORM_BYTES, middlewares=[counted])
    app.add_routes(control.routes(site, pools))
    app.router.add_get("/robots.txt", _robots)
    for room in (plain, alder, birch, cedar, dogwood, elm, fir, ginkgo, hazel):
        app.add_routes(room.routes(site))
    return app
