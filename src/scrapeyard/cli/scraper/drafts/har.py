"""Read a HAR file, the recording of a browser's network panel, and pick the few requests that make the visit.

A minute of browsing is a thousand requests: pictures, scripts, trackers. What a scraper repeats are the pages that
the person went through and the JSON that a page fetched from its own site. The file is a stranger's, so it is bounded.
"""

import base64
import binascii
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

from scrapeyard.cli.scraper.drafts.asked import MOST_FIELDS, Asked, Pairs, checked_url, pairs_of, sorted_headers
from scrapeyard.model.errors import BadInput

LARGEST: Final = 64 * 1024 * 1024
MOST_ENTRIES: Final = 20_000
MOST_STEPS: Final = 25
LARGEST_ANSWER: Final = 5 * 1024 * 1024

_PAGES: Final = frozenset({"text/html", "application/xhtml+xml", "application/pdf"})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


class _Pair(msgspec.Struct):
    name: str = ""
    value: str = ""


class _PostData(msgspec.Struct, rename="camel"):
    mime_type: str = ""
    text: str = ""
    params: list[_Pair] = []


class _Request(msgspec.Struct, rename="camel"):
    method: str
    url: str
    headers: list[_Pair] = []
    post_data: _PostData | None = None


class _Content(msgspec.Struct, rename="camel"):
    mime_type: str = ""
    text: str = ""
    encoding: str = ""


class _Response(msgspec.Struct, rename="camel"):
    status: int = 0
    content: _Content = msgspec.field(default_factory=_Content)


class _Entry(msgspec.Struct, rename="camel"):
    request: _Request
    response: _Response
    resource_type: str = msgspec.field(default="", name="_resourceType")


class _Log(msgspec.Struct):
    entries: list[_Entry] = []


class _Har(msgspec.Struct):
    log: _Log


def read_har(path: Path) -> list[Asked]:
    """The visit's requests, in order. `BadInput` if the file is too large, no HAR, or has no page in it."""
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    if len(text) > LARGEST:
        raise BadInput(f"{path} is larger than {LARGEST >> 20} MiB; record only the search, or clear the panel first.")
    return parse_har(text, str(path))


def parse_har(text: bytes, name: str = "The file") -> list[Asked]:
    """The visit's requests from a HAR's text."""
    try:
        entries = msgspec.json.decode(text.removeprefix(b"\xef\xbb\xbf"), type=_Har).log.entries
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise BadInput(f"{name} is not a HAR file ({str(error)[:120]}); save it from the network panel.") from error
    if len(entries) > MOST_ENTRIES:
        raise BadInput(f"{name} has more than {MOST_ENTRIES:,} requests; record only the search.")
    pages = [entry for entry in entries if _is_web(entry) and (_is_page(entry) or _is_data(entry))]
    first = next((entry for entry in pages if _is_page(entry)), None)
    if first is None:
        raise BadInput(f"{name} has no page in it; open the panel before the first page loads, then save with content.")
    host = urlsplit(first.request.url).hostname
    mine = [entry for entry in pages if urlsplit(entry.request.url).hostname == host]
    steps = [_asked(entry) for entry in _without_redirected(mine)]
    if len(steps) > MOST_STEPS:
        raise BadInput(f"{name} has {len(steps)} pages of {host}; record one search, at most {MOST_STEPS} pages.")
    return steps


def _is_web(entry: _Entry) -> bool:
    try:
        parts = urlsplit(entry.request.url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and entry.request.method in {"GET", "POST"} and entry.response.status > 0


def _mime(entry: _Entry) -> str:
    return entry.response.content.mime_type.partition(";")[0].strip().lower()


def _is_page(entry: _Entry) -> bool:
    if entry.resource_type:
        return entry.resource_type == "document"
    return _mime(entry) in _PAGES or entry.response.status in _REDIRECTS


def _is_data(entry: _Entry) -> bool:
    return entry.resource_type in {"", "xhr", "fetch"} and _mime(entry).endswith("json")


def _without_redirected(entries: list[_Entry]) -> list[_Entry]:
    """A redirect and what it leads to are one request of ours; the last answer belongs to the first question."""
    found: list[_Entry] = []
    for entry in entries:
        before = found[-1] if found else None
        if before is not None and before.response.status in _REDIRECTS and entry.request.method == "GET":
            found[-1] = _Entry(before.request, entry.response, before.resource_type)
        else:
            found.append(entry)
    return found


def _asked(entry: _Entry) -> Asked:
    asked, content = entry.request, entry.response.content
    kept, dropped = sorted_headers(tuple((pair.name, pair.value) for pair in asked.headers))
    posted = asked.post_data or _PostData()
    fields: Pairs = tuple((pair.name, pair.value) for pair in posted.params[: MOST_FIELDS + 1])
    if len(fields) > MOST_FIELDS:
        raise BadInput(f"A request has more than {MOST_FIELDS:,} fields; that is no form.")
    if "urlencoded" in posted.mime_type and posted.text:
        fields = pairs_of(posted.text)  # some browsers leave `params` encoded
    return Asked(
        method=asked.method,
        url=checked_url(asked.url),
        fields=fields,
        body="" if fields else posted.text[:LARGEST_ANSWER],
        headers=kept,
        dropped=dropped,
        multipart="multipart" in posted.mime_type,
        answer=_body(content),
        answer_type=content.mime_type,
        status=entry.response.status,
    )


def _body(content: _Content) -> bytes:
    if len(content.text) > LARGEST_ANSWER:
        return b""
    if content.encoding == "base64":
        try:
            return base64.b64decode(content.text, validate=False)
        except (binascii.Error, ValueError):
            return b""
    return content.text.encode("utf-8", "replace")
