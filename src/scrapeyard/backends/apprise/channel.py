"""Telling people through a service that the library knows: mail, Slack, Teams, Telegram, SNS and a hundred more.

An address of such a service has its password in it, so nothing that the library says of it is passed on but whether the
message was taken.
"""

from typing import Any, cast

import apprise

from scrapeyard.model.errors import NotSent
from scrapeyard.ports.notify import Notice

_TIMEOUT = 60.0


class AppriseChannel:
    """Fulfils `scrapeyard.ports.notify.Channel`."""

    def __init__(self, url: str) -> None:
        self._services = cast("Any", apprise.Apprise())  # its types are known in part only
        if not self._services.add(url):
            raise NotSent("The address is none that apprise knows; see its documentation for how they are written.")

    async def send(self, notice: Notice) -> None:
        """Hand it over. The library tells no more than that it failed, so trying again may always help."""
        sent = await self._services.async_notify(
            title=notice.title, body=notice.text, body_format=apprise.NotifyFormat.TEXT, timeout=_TIMEOUT
        )
        if not sent:
            raise NotSent("The service did not take it: check its address, and whether it can be reached from here.")

    async def close(self) -> None:
        """Nothing is held."""
