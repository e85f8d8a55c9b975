"""The bytes a form becomes on the wire, as a browser makes them.

The character set is that of the page, because an old site reads what it wrote; signs it cannot hold become
numeric references. The multipart boundary is made from the content: the same form gives the same bytes.
"""

import hashlib
from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import urlencode, urlsplit, urlunsplit

URLENCODED: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"


class Encoded(NamedTuple):
    """A request as a form asks for it. A GET has neither content type nor body."""

    method: str
    url: str
    content_type: str
    body: bytes


class Part(NamedTuple):
    """One name and value; a file field is sent as a file without name or content."""

    name: str
    value: str
    is_file: bool = False


def as_query(url: str, parts: Sequence[Part], codec: str) -> Encoded:
    """A GET: the fields take the place of the address's query, and its fragment goes."""
    split = urlsplit(url)
    return Encoded("GET", urlunsplit((split.scheme, split.netloc, split.path, _pairs(parts, codec), "")), "", b"")


def as_urlencoded(url: str, parts: Sequence[Part], codec: str) -> Encoded:
    """A POST of the usual kind."""
    return Encoded("POST", url, URLENCODED, _pairs(parts, codec).encode("ascii"))


def as_multipart(url: str, parts: Sequence[Part], codec: str) -> Encoded:
    """A POST in parts, as forms with file fields ask for."""
    bodies = [_part(part, codec) for part in parts]
    boundary = "----ScrapeyardForm" + hashlib.sha256(b"\0".join(bodies)).hexdigest()[:24]
    line = boundary.encode("ascii")
    body = b"".join(b"--" + line + b"\r\n" + part + b"\r\n" for part in bodies) + b"--" + line + b"--\r\n"
    return Encoded("POST", url, f"{MULTIPART}; boundary={boundary}", body)


def _pairs(parts: Sequence[Part], codec: str) -> str:
    pairs = [(_lines(part.name), "" if part.is_file else _lines(part.value)) for part in parts]
    return urlencode(pairs, safe="*", encoding=codec, errors="xmlcharrefreplace").replace("~", "%7E")


def _part(part: Part, codec: str) -> bytes:
    name = _lines(part.name).replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    head = b'Content-Disposition: form-data; name="' + name.encode(codec, "xmlcharrefreplace") + b'"'
    if part.is_file:
        return head + b'; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n'
    return head + b"\r\n\r\n" + _lines(part.value).encode(codec, "xmlcharrefreplace")


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
