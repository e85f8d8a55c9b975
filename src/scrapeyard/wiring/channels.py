"""The channels of the settings, each opened when something is first sent through it.

A mistake in one of them is told where alerts are: it must not keep a controller from starting.
"""

import os
from collections.abc import Mapping

from scrapeyard.backends.webhook.channel import WebhookChannel
from scrapeyard.model.errors import NotSent, Refused, VisitError
from scrapeyard.model.secret import Redaction
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.notify import Channel, Notice
from scrapeyard.scraping.egress import Egress, permitted
from scrapeyard.scraping.http.aiohttp_client import AiohttpClient
from scrapeyard.scraping.http.client import Request
from scrapeyard.scraping.secrets import Secrets
from scrapeyard.settings import Settings
from scrapeyard.wiring.blobs import extra


class SettingsChannels:
    """Fulfils `scrapeyard.ports.notify.Channels`."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._egress = Egress(frozenset(settings.http.ports), settings.http.allow)
        self._client = AiohttpClient(egress=self._egress)
        self._open: dict[str, tuple[Channel, Redaction]] = {}

    @property
    def names(self) -> frozenset[str]:
        """All channels that can be named."""
        return frozenset(self._settings.channels)

    async def send(self, name: str, notice: Notice) -> None:
        """Through one of them."""
        if name not in self.names:
            raise NotSent(f"There is no channel {name!r} in the settings here: add [channels.{name}].")
        if name not in self._open:
            self._open[name] = self._opened(name)
        channel, redaction = self._open[name]
        try:
            await channel.send(notice)
        except NotSent as error:
            raise NotSent(redaction.text(str(error)), final=error.final) from error

    async def close(self) -> None:
        """Let go of connections."""
        for channel, _ in self._open.values():
            await channel.close()
        await self._client.close()

    def _opened(self, name: str) -> tuple[Channel, Redaction]:
        section = self._settings.channels[name]
        secrets = Secrets(self._settings.secrets_dir, os.environ)
        try:
            if section.kind == "webhook":
                word = secrets.resolve(section.secret).reveal()
                return WebhookChannel(section.url, word, self._post, self._clock), secrets.redaction
            url = secrets.resolve(section.url).reveal()
            return extra("scrapeyard.backends.apprise.channel", "alerts").AppriseChannel(url), secrets.redaction
        except Refused as refused:
            raise NotSent(str(refused)) from refused

    async def _post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        """Guarded as scrapers' requests are: what is not public is reached only where `http.allow` says so."""
        try:
            address = permitted(url, self._egress)
            reply = await self._client.send(Request("POST", address.url, headers, body, total=30.0))
        except VisitError as error:
            raise NotSent(str(error)) from error
        await reply.close()
        return reply.status
