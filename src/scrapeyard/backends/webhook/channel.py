"""Telling a program: JSON in a request whose signature covers the body and the time, so that nobody can forge it, or
send it once more a day later.
"""

import hashlib
import hmac
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from scrapeyard.model.errors import NotSent
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.notify import Notice

Post = Callable[[str, Mapping[str, str], bytes], Awaitable[int]]
"""Sends a body to an address that may be reached from here, and gives the status of the answer; `NotSent` if there is
none. Redirects are not followed."""

_LATER = frozenset({408, 409, 425, 429})


class WebhookChannel:
    """Fulfils `scrapeyard.ports.notify.Channel`."""

    def __init__(self, url: str, secret: str, post: Post, clock: Clock) -> None:
        self._url = url
        self._secret = secret
        self._post = post
        self._clock = clock

    async def send(self, notice: Notice) -> None:
        """Send it. An answer of 200 to 299 says that it was taken."""
        body, stamp = _body(notice), str(int(self._clock.now()))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Scrapeyard",
            "Scrapeyard-Id": notice.id,
            "Scrapeyard-Timestamp": stamp,
            "Scrapeyard-Signature": signature(self._secret, stamp, body),
        }
        status = await self._post(self._url, headers, body)
        if not 200 <= status < 300:
            final = 400 <= status < 500 and status not in _LATER
            raise NotSent(f"The receiver answered {status}, which is not a status from 200 to 299.", final=final)

    async def close(self) -> None:
        """Nothing is held."""


def signature(secret: str, stamp: str, body: bytes) -> str:
    """HMAC-SHA256 over the time, a dot and the body."""
    return "sha256=" + hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def _body(notice: Notice) -> bytes:
    links = [*notice.links, *[""] * len(notice.alarms)]
    alarms = [
        {"subject": alarm.subject, "at": alarm.at, "words": alarm.words, "job": alarm.job, "link": link or None}
        for alarm, link in zip(notice.alarms, links, strict=False)
    ]
    return msgspec.json.encode({"id": notice.id, "rule": notice.rule, "title": notice.title, "alarms": alarms})
