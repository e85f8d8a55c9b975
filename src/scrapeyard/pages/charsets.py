"""Which character set a body is written in, found the way browsers find it.

A county page says latin-1 and means windows-1252, says nothing, or says something untrue. The order is that of
the standard: byte-order mark, HTTP header, `<meta>`, then a guess from the bytes. Nothing here raises for a body.
"""

import codecs
import re
from functools import lru_cache
from typing import Final

import turbohtml
from turbohtml.detect import detect  # importing it also registers the whatwg-* codecs used below

FALLBACK: Final = "windows-1252"
META_WITHIN: Final = 8192
"""Bytes in which a `<meta>` counts. The standard looks at 1,024 at least; county pages begin with long scripts."""

_MARKS: Final = ((b"\xef\xbb\xbf", "UTF-8"), (b"\xfe\xff", "UTF-16BE"), (b"\xff\xfe", "UTF-16LE"))
_COMMENT: Final = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META: Final = re.compile(
    rb"<meta\b[^>]{0,500}?\bcharset\s{0,9}=\s{0,9}[\"']?\s{0,9}([A-Za-z0-9_:.+-]{1,40})", re.IGNORECASE
)
_HEADER: Final = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([A-Za-z0-9_:.+-]{1,40})", re.IGNORECASE)


def charset_of(body: bytes, content_type: str = "") -> str:
    """The WHATWG name of the body's character set."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return name
    return (_declared(content_type) if content_type else None) or _of_meta(body) or _guessed(body)


def decoded(body: bytes, charset: str) -> str:
    """The body as text; bytes that make no sense become U+FFFD. A byte-order mark is not part of the text."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(_codec(name), "replace")
    return body.decode(_codec(charset), "replace")


def named(label: str) -> str | None:
    """The WHATWG name for a label such as `latin1`, or None for a label nobody knows."""
    try:
        return turbohtml.parse(b"", encoding=label).encoding
    except LookupError:
        return None


def writable(charset: str) -> str:
    """The codec in which a form is sent from a page of that character set; UTF-8 where there is none."""
    if charset.lower().startswith("utf-16"):
        return "utf-8"
    try:
        return codecs.lookup(charset).name
    except LookupError:
        return "utf-8"


@lru_cache(maxsize=256)
def _declared(content_type: str) -> str | None:
    found = _HEADER.search(content_type[:1000])
    return named(found[1]) if found else None


def _of_meta(body: bytes) -> str | None:
    head = body[:META_WITHIN]
    if b"<!--" in head:
        head = _COMMENT.sub(b"", head)
    found = _META.search(head)
    return _label_in_meta(found[1]) if found else None


@lru_cache(maxsize=256)
def _label_in_meta(label: bytes) -> str | None:
    name = named(label.decode("ascii"))
    # a page whose <meta> could be read as ASCII is not UTF-16, whatever it says
    return "UTF-8" if name and name.startswith("UTF-16") else name


def _guessed(body: bytes) -> str:
    if body.isascii():
        return FALLBACK
    return detect(body).encoding or FALLBACK


@lru_cache(maxsize=64)
def _codec(charset: str) -> str:
    return codecs.lookup(f"whatwg-{charset.lower()}").name
