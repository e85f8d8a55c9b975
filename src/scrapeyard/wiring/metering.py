"""Figures of one process: what takes them, who reads them, and the storage around which they are read off."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import msgspec
import structlog

from scrapeyard.backends.cloudwatch.meter import CloudMeter
from scrapeyard.backends.wrapped.around import wrapped
from scrapeyard.dispatcher.scaler import Lane
from scrapeyard.model.metric import API_REQUESTS, API_SECONDS, METRICS, Metric, Role, Shape
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.meter import Meter
from scrapeyard.settings import MetricsSettings
from scrapeyard.wiring.blobs import extra
from scrapeyard.wiring.figures import Figures
from scrapeyard.wiring.storage import Storage

log = structlog.get_logger(__name__)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Meters:
    """Several meters as one."""

    def __init__(self, meters: Iterable[Meter]) -> None:
        self._meters = tuple(meters)

    def count(self, metric: Metric, amount: float = 1, *labels: str) -> None:
        """See Meter."""
        for meter in self._meters:
            meter.count(metric, amount, *labels)

    def set(self, metric: Metric, value: float, *labels: str) -> None:
        """See Meter."""
        for meter in self._meters:
            meter.set(metric, value, *labels)

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """See Meter."""
        for meter in self._meters:
            meter.observe(metric, value, *labels)


class Metering:
    """Everything about figures in this process."""

    def __init__(self, settings: MetricsSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._prometheus: Any = extra("scrapeyard.backends.prometheus.meter", "metrics").PrometheusMeter()
        self._cloud = CloudMeter(_printed, clock) if settings.emf else None
        self.meter: Meter = Meters([self._prometheus, *([self._cloud] if self._cloud is not None else [])])
        self.address = ""

    def text(self) -> bytes:
        """All figures, as Prometheus reads them."""
        page: bytes = self._prometheus.text()
        return page

    def around(self, storage: Storage) -> Storage:
        """The same storage, with figures read off it."""
        figures = Figures(self.meter, self._clock)
        return msgspec.structs.replace(
            storage,
            ledger=wrapped(storage.ledger, "ledger", figures),
            queue=wrapped(storage.queue, "queue", figures),
            fleet=wrapped(storage.fleet, "fleet", figures),
            blobs=wrapped(storage.blobs, "blobs", figures),
        )

    def scaling(self, lane: Lane) -> Lane:
        """The same lane, with what is wanted of it read off."""
        figures = Figures(self.meter, self._clock, lane.name)
        return msgspec.structs.replace(lane, scale=wrapped(lane.scale, "scale", figures))

    def app(self, inner: App) -> App:
        """The same web application, with its answers counted."""
        meter, clock = self.meter, self._clock

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            began = clock.monotonic()

            async def sent(message: MutableMapping[str, Any]) -> None:
                if message["type"] == "http.response.start":
                    meter.count(API_REQUESTS, 1, f"{message['status'] // 100}xx")
                    meter.observe(API_SECONDS, clock.monotonic() - began)
                await send(message)

            await inner(scope, receive, sent if scope["type"] == "http" else send)

        return counted

    @asynccontextmanager
    async def telling(self, *roles: Role) -> AsyncGenerator[None]:
        """For as long as the block lasts, let others read the figures, and write them if that was asked for."""
        for metric in METRICS:  # what has never happened is 0, not unknown
            if metric.shape is Shape.COUNTER and not metric.labels and set(roles) & set(metric.roles):
                self.meter.count(metric, 0)
        async with AsyncExitStack() as closing:
            if self._settings.listen:
                module = extra("scrapeyard.backends.prometheus.page", "metrics")
                page = module.FiguresPage(self._settings.listen, self.text)
                await page.open()
                closing.push_async_callback(page.close)
                self.address = f"{page.address}/metrics"
                log.info("figures are shown", address=self.address)
            if self._cloud is not None:
                closing.callback(self._cloud.flush)
                writing = asyncio.create_task(self._write(self._cloud))
                closing.callback(writing.cancel)
            yield

    async def _write(self, cloud: CloudMeter) -> None:
        while True:
            await self._clock.sleep(self._settings.emf_every)
            cloud.flush()


def _printed(line: str) -> None:
    """Standard output is free: a role logs to standard error."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
