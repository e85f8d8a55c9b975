"""A yard: everything that one process of Scrapeyard uses, opened once, taken from the settings, closed in order."""

import os
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import msgspec

from scrapeyard.backends.ecs.protection import VARIABLE as VARIABLE_OF_AGENT
from scrapeyard.backends.ecs.protection import TaskProtection
from scrapeyard.backends.system.clock import SystemClock
from scrapeyard.backends.wrapped.around import wrapped
from scrapeyard.client.service import RestService
from scrapeyard.controller.audit.audited import AuditedService
from scrapeyard.controller.clerk.clerk import Clerk
from scrapeyard.controller.service import LocalService
from scrapeyard.controller.service.alerts import NoChannels
from scrapeyard.controller.service.service import Settled
from scrapeyard.dispatcher.dispatcher import Dispatcher, DispatcherOptions
from scrapeyard.dispatcher.dispatcher import Outside as DispatcherOutside
from scrapeyard.dispatcher.scaler import Lane, Scaler
from scrapeyard.model.errors import Refused
from scrapeyard.model.ladder import Price
from scrapeyard.model.metric import Role
from scrapeyard.model.policy import SitePolicy, Window
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.ledger import Ledger
from scrapeyard.ports.notify import Channels
from scrapeyard.ports.scrapers import Scrapers
from scrapeyard.ports.service import Service
from scrapeyard.scraping.http.client import Limits, Timeouts
from scrapeyard.scraping.http.options import HttpOptions
from scrapeyard.scraping.proxies.options import Provided, ProxyOptions
from scrapeyard.scraping.proxies.pool import ProxyPool, open_pool
from scrapeyard.scraping.secrets import Secrets
from scrapeyard.scraping.sessions.options import SessionOptions
from scrapeyard.scraping.sessions.shelf import MemoShelf
from scrapeyard.settings import Settings, SiteSettings
from scrapeyard.wiring.blobs import MEMORY, commit_window
from scrapeyard.wiring.channels import SettingsChannels
from scrapeyard.wiring.clerk import keeping, open_clerk
from scrapeyard.wiring.garbage import seldom_searched
from scrapeyard.wiring.metering import Metering
from scrapeyard.wiring.scaling import Processes, lane_here, lanes
from scrapeyard.wiring.scraping import VARIABLE, ScrapingSetup, encoded
from scrapeyard.wiring.storage import Storage, open_storage, pace, resolved
from scrapeyard.wiring.work import Hired, Work
from scrapeyard.worker.options import WorkerOptions
from scrapeyard.worker.worker import Outside as WorkerOutside
from scrapeyard.worker.worker import Worker

_MIB = 1 << 20

_ALLOCATOR = {
    "MALLOC_TRIM_THRESHOLD_": "268435456",
    "MALLOC_MMAP_THRESHOLD_": "268435456",
    "MALLOC_TOP_PAD_": "67108864",
}
"""Keeps glibc from giving each page tree's memory back and faulting it in again; other platforms ignore it."""


class Yard:
    """What `open_yard` gives. Roles are made on demand, because a command that only asks needs none.

    With a controller elsewhere there is no storage here, and nothing but the service can be used.
    """

    def __init__(
        self, settings: Settings, here: "Here | None", service: Service, scrapers: Scrapers, clock: Clock
    ) -> None:
        self.settings = settings
        self.clock = clock
        self.service = service
        self.scrapers = scrapers
        self._here = None if here is None else here.storage
        self.metering = None if here is None else here.metering
        self._channels = NoChannels() if here is None or here.channels is None else here.channels

    @property
    def _storage(self) -> Storage:
        if self._here is None:
            raise Refused(
                f"That is done where the storage is, not from afar: leave out --server {self.settings.server} there, "
                "or `submit` and follow with `status --watch` from here."
            )
        return self._here

    @property
    def ledger(self) -> Ledger:
        """The ledger, if it is here."""
        return self._storage.ledger

    @property
    def fleet(self) -> Fleet:
        """The live channel, if it is here."""
        return self._storage.fleet

    @property
    def blobs(self) -> Blobs:
        """The store of blobs, if it is here."""
        return self._storage.blobs

    def dispatcher(self) -> Dispatcher:
        """A dispatcher; it waits while another one is active."""
        store, options = self._storage, self.settings.dispatcher
        often = pace(resolved(self.settings))
        outside = DispatcherOutside(store.ledger, store.queue, store.fleet, store.blobs, self.clock)
        return Dispatcher(
            outside,
            DispatcherOptions(
                tick=max(options.tick, often.tick),
                look=often.look,
                offer_ttl=options.offer_ttl,
                window=max(options.window, often.window),
                lease=self.settings.worker.lease,
                sites=site_policies(self.settings),
                prices=prices(self.settings),
            ),
        )

    def worker(self) -> Worker:
        """One incarnation of a worker."""
        if resolved(self.settings).blobs == MEMORY:
            raise Refused("Blobs in memory cannot be written by scraping processes: use file:///path for blobs.")
        # each scraping process looks its secrets up by itself; a missing one is better told before the first starts
        proxy_pool(self.settings, Secrets(self.settings.secrets_dir, os.environ), self.clock)
        store = self._storage
        shelf = MemoShelf(store.ledger.memos, self.clock)
        fleet = store.fleet
        if agent := os.environ.get(VARIABLE_OF_AGENT):
            fleet = wrapped(fleet, "fleet", TaskProtection(agent, self.clock))
        outside = WorkerOutside(store.ledger, store.queue, fleet, self.scrapers, shelf, self.clock)
        return Worker(outside, worker_options(self.settings))

    def clerk(self, base: str = "") -> Clerk:
        """What does by itself what nobody asks for; it waits while another one is active. `base` is where people find
        the dashboard, if this process shows it."""
        return open_clerk(self._storage, self.scrapers, self._channels, self.settings, base)

    def scaler(self, dispatcher: Dispatcher, lanes: Sequence[Lane]) -> Scaler:
        """What keeps as many workers as there is work for, as long as this dispatcher leads."""
        if self.metering is not None:
            lanes = [self.metering.scaling(lane) for lane in lanes]
        return Scaler(self._storage.fleet, self.clock, lanes, lambda: dispatcher.leads)

    @asynccontextmanager
    async def working(
        self, *, worker: bool = True, dispatcher: bool = True, clerk: bool = False, processes: Processes | None = None
    ) -> AsyncGenerator[Work]:
        """Run roles in this process; on leaving they drain. With `processes` the workers are others than this one."""
        leader = self.dispatcher() if dispatcher else None
        hire: Callable[[], Hired] | None = self.worker if worker else None
        if leader is not None:
            scaled = lanes(self.settings)
            if processes is not None:
                worker = False
                scaled = [lane_here(self.settings, processes, data_folder(self.settings) / "logs")]
            if scaled and not worker:
                scaler = self.scaler(leader, scaled)
                hire = lambda: scaler  # noqa: E731 - there is one only
        work = Work(hire, leader, self.clerk() if clerk else None)
        roles = [role for role, here in ((Role.WORKER, worker), (Role.DISPATCHER, dispatcher)) if here]
        async with self.telling(*roles):
            with seldom_searched():
                async with work:
                    yield work

    @asynccontextmanager
    async def telling(self, *roles: Role) -> AsyncGenerator[None]:
        """Let others read the figures of these roles for as long as the block lasts, if any are taken."""
        async with AsyncExitStack() as closing:
            if self.metering is not None:
                await closing.enter_async_context(self.metering.telling(*roles))
            yield


class Here(msgspec.Struct, frozen=True):
    """What is in this process, if no controller elsewhere is asked instead."""

    storage: Storage
    metering: Metering | None = None
    channels: Channels | None = None


@asynccontextmanager
async def open_yard(settings: Settings, *, measured: bool = False) -> AsyncGenerator[Yard]:
    """Open everything that the settings name: storage here, or a line to a controller. Figures are taken if the
    settings say so, or if it is to be `measured`."""
    clock = SystemClock()
    scrapers: Scrapers = scraping_setup(settings).registry()
    async with AsyncExitStack() as closing:
        if settings.server:
            service: Service = RestService(settings.server, settings.key.get_secret_value())
            here = None
        else:
            measured = measured or bool(settings.metrics.listen) or settings.metrics.emf
            metering = Metering(settings.metrics, clock) if measured else None
            storage = await open_storage(settings, closing)
            storage = storage if metering is None else metering.around(storage)
            channels = SettingsChannels(settings, clock)
            closing.push_async_callback(channels.close)
            here = Here(storage, metering, channels)
            settled = Settled(site_policies(settings), channels, keeping(settings))
            local = LocalService(storage.ledger, storage.fleet, storage.blobs, scrapers, clock, settled)
            service = AuditedService(local, local.audit)
        closing.push_async_callback(service.close)
        yield Yard(settings, here, service, scrapers, clock)


def scraping_setup(settings: Settings) -> ScrapingSetup:
    """What scraping processes are told."""
    data = data_folder(settings)
    blobs = resolved(settings).blobs
    return ScrapingSetup(
        settings.scrapers,
        data / "cache",
        blobs,
        http_options(settings),
        prices(settings),
        proxy_options(settings),
        SessionOptions(settings.sessions.share),
        settings.log.level,
        settings.log.format,
    )


def http_options(settings: Settings) -> HttpOptions:
    """How scrapers talk to sites."""
    http = settings.http
    return HttpOptions(
        client=http.client,
        user_agent=http.user_agent,
        timeouts=Timeouts(http.connect_timeout, http.idle_timeout, http.total_timeout),
        limits=Limits(wire=http.wire_mb * _MIB, decoded=http.decoded_mb * _MIB, download=http.download_mb * _MIB),
        contact=http.contact,
        robots={name: site.robots for name, site in settings.sites.items() if site.robots is not None},
        ports=frozenset(http.ports),
        allow=http.allow,
        downloads=data_folder(settings) / "downloads",
    )


def proxy_options(settings: Settings) -> ProxyOptions:
    """Proxies as scraping processes are told of them; secrets stay references."""
    sets = {name: section.model_dump(mode="json") for name, section in settings.proxies.items()}
    return ProxyOptions(
        msgspec.convert(sets, dict[str, Provided]),
        {name: tier.proxies for name, tier in settings.tiers.items() if tier.proxies},
        settings.secrets_dir,
    )


def proxy_pool(settings: Settings, secrets: Secrets, clock: Clock) -> ProxyPool:
    """The proxies of the settings, as one process uses them. `Refused` if a secret is missing."""
    return open_pool(proxy_options(settings), secrets, clock, http_options(settings))


def worker_options(settings: Settings) -> WorkerOptions:
    """How a worker works, and how its scraping processes are started."""
    options = settings.worker
    folder = data_folder(settings) / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    often = pace(resolved(settings))
    commit_every, commit_items = commit_window(resolved(settings).blobs, options.lease)
    return WorkerOptions(
        child_command=(sys.executable, "-m", "scrapeyard.wiring.child"),
        child_env={**_ALLOCATOR, **os.environ, VARIABLE: encoded(scraping_setup(settings))},
        log=folder / "scraping.log",
        lane=options.lane,
        processes=options.processes,
        concurrency=options.concurrency,
        quarantine=options.quarantine,
        ttl=options.lease,
        stall_limit=options.stall_limit,
        grace=options.grace,
        child_memory=options.memory_mb * _MIB,
        memory_share=options.memory_share,
        commit_every=commit_every,
        commit_items=commit_items,
        tick=often.take,
        ahead=often.ahead,
        settle_every=often.settle,
    )


def prices(settings: Settings) -> dict[str, Price]:
    """What each tier costs."""
    return {name: Price(tier.usd_per_gb, tier.usd_per_request) for name, tier in settings.tiers.items()}


def site_policies(settings: Settings) -> dict[str, SitePolicy]:
    """The operator's limits by site."""
    return {name: _policy(name, site) for name, site in settings.sites.items()}


def _policy(name: str, site: SiteSettings) -> SitePolicy:
    always = site.start == "00:00" and site.end == "24:00" and set(site.days) == set(range(7))
    window = None if always else Window(site.timezone, site.days, site.start, site.end)
    return SitePolicy(name, site.rate, site.concurrency, window)


def data_folder(settings: Settings) -> Path:
    """Where everything of this machine is kept."""
    return settings.data.expanduser().absolute()
