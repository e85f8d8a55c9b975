"""Things to keep, and a way to see what a writer made of them."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec
from warcio.checker import Checker

from scrapeyard.model.capture import Kept

BODY = b"<html><body>" + b"<p>One parcel, one bill.</p>" * 200 + b"</body></html>"
HEADERS = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("Server", "county/1.0"),
    ("Date", "Wed, 18 Nov 2026 10:00:00"),
)


def a_page(body: bytes = BODY, **changes: Any) -> Kept:
    """A page as a visit brings it home."""
    page = Kept(
        "detail", "https://tax.example/p?id=1", 200, HEADERS, "text/html; charset=utf-8", 1_750_000_000.25, body
    )
    return msgspec.structs.replace(page, **changes)


def a_row(n: int) -> tuple[str, bytes]:
    """A record as the reading gives it."""
    return "Bill", b'{"parcel_id":"P-%06d","owner":"OWNER %d","amount":"%d.50"}' % (n, n, n)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def segments_in(root: Path) -> list[Path]:
    """All segments of pages below a folder."""
    return sorted(root.rglob("*.warc.gz"))


class _Inputs:
    """What the checker's command line would have parsed."""

    verbose = False

    def __init__(self, inputs: list[str]) -> None:
        self.inputs = inputs


def warcio_check(root: Path) -> int:
    """`warcio check` on every segment below a folder; gives how many there were."""
    segments = [str(path) for path in segments_in(root)]
    assert Checker(_Inputs(segments)).process_all() == 0
    return len(segments)
