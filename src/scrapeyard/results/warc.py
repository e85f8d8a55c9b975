"""Kept pages as WARC/1.1 records, written with as little Python per page as can be.

Each record is one gzip member, so a page is one range read and any WARC tool can read the whole segment. The
body is stored as it was decoded, therefore headers that speak of its transfer are left out or set right. The digest
of the payload and the member's checksum guard it; a digest of the block would be a second hash of the same bytes.
"""

import hashlib
import secrets
from datetime import UTC, datetime
from http import HTTPStatus

import msgspec

from scrapeyard.model.capture import Kept
from scrapeyard.results.headers import HEADERS_LIMIT, URL_LIMIT, HeaderText, clean_words
from scrapeyard.results.members import damaged

HEAD_LIMIT = HEADERS_LIMIT * 4 + URL_LIMIT + 4_096
"""More than the heads of a record of ours can be, in bytes."""

_REASONS = {status.value: status.phrase for status in HTTPStatus}
_END = b"\r\n\r\n"


class WarcText:
    """Makes the records of one segment writer. Record ids are a random start and a counter."""

    def __init__(self) -> None:
        self._headers = HeaderText()
        start = secrets.token_hex(8)
        self._ids = f"{start[:8]}-{start[8:12]}-4{start[12:15]}-8"
        self._count = secrets.randbits(40)
        self._second = -1
        self._date = ""

    def info(self, job: str, now: float) -> bytes:
        """The record that begins a segment and says what it is."""
        body = (
            "software: scrapeyard\r\nformat: WARC File Format 1.1\r\n"
            "conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
            f"isPartOf: {clean_words(job, 200)}\r\n"
        ).encode()
        digest = hashlib.sha256(body).hexdigest()
        head = (
            f"WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: {self._id()}\r\nWARC-Date: {self._when(now)}\r\n"
            f"WARC-Block-Digest: sha256:{digest}\r\nContent-Type: application/warc-fields\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        return b"".join((head.encode(), body, _END))

    def page(self, kept: Kept, url: str, sha256: str) -> bytes:
        """One page: an HTTP response, or a resource where there was no HTTP."""
        body = kept.body
        if not (100 <= kept.status <= 999 and url.startswith(("http://", "https://"))):
            return self._resource(kept, url, sha256)
        size = len(body)
        http = (
            f"HTTP/1.1 {kept.status} {_REASONS.get(kept.status, 'Unnamed')}\r\n{self._headers.lines(kept.headers)}"
            f"Content-Length: {size}\r\n\r\n"
        ).encode("utf-8", "replace")
        head = (
            f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: {self._id()}\r\n"
            f"WARC-Date: {self._when(kept.fetched)}\r\nWARC-Target-URI: {url}\r\n"
            f"WARC-Payload-Digest: sha256:{sha256}\r\n"
            f"{_extras(kept)}Content-Type: application/http;msgtype=response\r\n"
            f"Content-Length: {len(http) + size}\r\n\r\n"
        )
        return b"".join((head.encode("utf-8", "replace"), http, body, _END))

    def _resource(self, kept: Kept, url: str, sha256: str) -> bytes:
        content_type = clean_words(kept.content_type, 200) or "application/octet-stream"
        head = (
            f"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: {self._id()}\r\n"
            f"WARC-Date: {self._when(kept.fetched)}\r\nWARC-Target-URI: {url or 'urn:scrapeyard:none'}\r\n"
            f"WARC-Payload-Digest: sha256:{sha256}\r\n"
            f"{_extras(kept)}Content-Type: {content_type}\r\nContent-Length: {len(kept.body)}\r\n\r\n"
        )
        return b"".join((head.encode("utf-8", "replace"), kept.body, _END))

    def _id(self) -> str:
        self._count += 1
        count = f"{self._count & 0xFFFFFFFFFFFFFFF:015x}"
        return f"<urn:uuid:{self._ids}{count[:3]}-{count[3:]}>"

    def _when(self, moment: float) -> str:
        second = int(moment)
        if second != self._second:
            self._second = second
            self._date = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        return f"{self._date}.{int((moment - second) * 1_000_000):06d}Z"


def _extras(kept: Kept) -> str:
    """What WARC has no word for: the name under which the page was kept, and an unusual method."""
    name = clean_words(kept.name, 200)
    if kept.method == "GET":
        return f"Scrapeyard-Name: {name}\r\n"
    return f"Scrapeyard-Name: {name}\r\nScrapeyard-Method: {clean_words(kept.method, 20)}\r\n"


class WarcPage(msgspec.Struct, frozen=True):
    """What one record says, read back."""

    headers: tuple[tuple[str, str], ...]
    body: bytes
    method: str


def parse_page(record: bytes, blob: str) -> WarcPage:
    """Read one record of ours. The caller checks the body's digest."""
    head, block = _split(record, blob)
    fields = _fields(head)
    said = dict(fields)
    length = int(said.get("Content-Length", "-1"))
    if len(block) != length + len(_END):
        raise damaged(blob, "its length is not as its head says")
    method = said.get("Scrapeyard-Method", "GET")
    block = block[:length]
    if said.get("WARC-Type") == "resource":
        return WarcPage((), block, method)
    http, body = _split(block, blob)
    return WarcPage(_fields(http), body, method)


def _split(text: bytes, blob: str) -> tuple[bytes, bytes]:
    head, end, rest = text.partition(_END)
    if not end:
        raise damaged(blob, "its head has no end")
    return head, rest


def _fields(head: bytes) -> tuple[tuple[str, str], ...]:
    lines = head.decode("utf-8", "replace").split("\r\n")[1:]
    return tuple((name, value.strip()) for name, _, value in (line.partition(":") for line in lines))
