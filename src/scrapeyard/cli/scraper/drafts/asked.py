"""One request as a browser made it, cleaned of everything that belongs to that one browser session.

A copied request carries cookies and tokens of the person who copied it. They would work for an hour, then fail, and
until then they would lie in a file that goes into version control. So they are dropped here, and named.
"""

from typing import Final
from urllib.parse import parse_qsl, urldefrag, urlsplit

import msgspec

from scrapeyard.model.errors import BadInput

LONGEST_URL: Final = 16_384
MOST_FIELDS: Final = 2_000

_SECRET: Final = frozenset(
    {"cookie", "cookie2", "authorization", "proxy-authorization", "x-api-key", "api-key", "x-auth-token"}
)
_WORDS_OF_SECRETS: Final = ("token", "csrf", "xsrf", "secret", "session", "auth", "password", "apikey", "api-key")
_SECRET_FIELDS: Final = (
    "password",
    "passwd",
    "pwd",
    "token",
    "csrf",
    "xsrf",
    "secret",
    "sessionid",
    "api_key",
    "apikey",
)
_KEPT: Final = frozenset({"x-requested-with", "accept-language"})

Pairs = tuple[tuple[str, str], ...]


class Asked(msgspec.Struct, frozen=True):
    """A request worth repeating. `dropped` names what was left out; `answer` is the page that came, where known."""

    method: str
    url: str
    fields: Pairs = ()
    body: str = ""
    headers: Pairs = ()
    dropped: tuple[str, ...] = ()
    multipart: bool = False
    answer: bytes = b""
    answer_type: str = ""
    status: int = 0

    @property
    def address(self) -> str:
        """The address without its query."""
        return self.url.partition("?")[0]

    @property
    def query(self) -> Pairs:
        """The query's names and values."""
        return pairs_of(urlsplit(self.url).query)

    @property
    def is_json(self) -> bool:
        """Whether the body is JSON."""
        return self.body.lstrip()[:1] in {"{", "["}


def checked_url(text: str) -> str:
    """A web address without its fragment, user or password; anything else is refused."""
    url = urldefrag(text.strip())[0]
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError as error:
        raise BadInput(f"{text[:80]!r} is not an address; give one that begins with https://.") from error
    if parts.scheme not in {"http", "https"} or not host:
        raise BadInput(f"{text[:80]!r} is not a web address; give one that begins with https:// or http://.")
    if len(url) > LONGEST_URL or not url.isprintable():
        raise BadInput(f"The address is longer than {LONGEST_URL:,} characters or has control characters in it.")
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def sorted_headers(headers: Pairs) -> tuple[Pairs, tuple[str, ...]]:
    """The few headers that a site may insist on, and the names of those that hold secrets and are left out."""
    kept: list[tuple[str, str]] = []
    dropped: list[str] = []
    for name, value in headers:
        lower = name.strip().lower()
        if lower in _SECRET or any(word in lower for word in _WORDS_OF_SECRETS):
            dropped.append(name.strip()[:80])
        elif lower in _KEPT or (lower == "accept" and "json" in value):
            kept.append((name.strip(), value.strip()))
    return tuple(kept), tuple(dict.fromkeys(dropped))


def is_secret(field: str) -> bool:
    """Whether a field by that name holds what belongs to one person or one session."""
    plain = field.lower().replace("-", "_")
    return any(word in plain or word in plain.replace("_", "") for word in _SECRET_FIELDS)


def pairs_of(text: str) -> Pairs:
    """The names and values of a query or of a form body."""
    try:
        return tuple(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError as error:
        raise BadInput(f"A request has more than {MOST_FIELDS:,} fields; that is no form.") from error
