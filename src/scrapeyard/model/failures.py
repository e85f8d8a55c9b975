"""What can go wrong with a visit, from one closed list, and what each kind of failure asks for.

Retry, back-off, breaker, blame and documentation all follow from this table, so no part of the system
guesses from an exception's type what to do. Whose fault it was decides who pays: a fault of ours or of a
proxy never spends an item's attempts.
"""

from enum import StrEnum

import msgspec


class Fault(StrEnum):
    """Who is to blame for a failure."""

    SITE = "site"
    ITEM = "item"
    SCRAPER = "scraper"
    PROXY = "proxy"
    OURS = "ours"


FAULT_MEANING: dict[Fault, str] = {
    Fault.SITE: "the site's fault",
    Fault.ITEM: "the item's fault",
    Fault.SCRAPER: "the scraper's fault",
    Fault.PROXY: "the proxy's fault",
    Fault.OURS: "our own fault",
}


class Kind(StrEnum):
    """The closed list of failures. The strings are stable: they stand in ledgers, exports and scripts."""

    INVALID_INPUT = "invalid_input"
    AMBIGUOUS = "ambiguous"
    AUTH_REQUIRED = "auth_required"
    FORBIDDEN = "forbidden"
    BLOCKED = "blocked"
    RATE_LIMITED = "rate_limited"
    SITE_5XX = "site_5xx"
    HTTP_STATUS = "http_status"
    MAINTENANCE = "maintenance"
    SESSION_EXPIRED = "session_expired"
    LOGIN_FAILED = "login_failed"
    TIMEOUT_CONNECT = "timeout_connect"
    TIMEOUT_READ = "timeout_read"
    CONN_RESET = "conn_reset"
    DNS = "dns"
    TLS_ERROR = "tls_error"
    PROXY_ERROR = "proxy_error"
    PROXY_AUTH = "proxy_auth"
    PROXY_EXHAUSTED = "proxy_exhausted"
    NO_PROXY = "no_proxy"
    DENIED = "denied"
    PARSE_EMPTY = "parse_empty"
    SCHEMA_INVALID = "schema_invalid"
    WRONG_ITEM = "wrong_item"
    TOO_LARGE = "too_large"
    BAD_BODY = "bad_body"
    SCRAPER_BUG = "scraper_bug"
    DEADLINE = "deadline"
    WORKER_LOST = "worker_lost"
    RESOURCE_EXHAUSTED = "resource_exhausted"
    STORAGE_ERROR = "storage_error"
    POISON = "poison"
    UNKNOWN = "unknown"


class Verdict(msgspec.Struct, frozen=True):
    """What one kind of failure asks for.

    `attempts` is how many tries an item gets in total when it fails this way (1 = no retry); `backoff` is
    the base of the exponential back-off in seconds; `counts` says whether a breaker counts it; `spends` is
    false where the failure costs the item no attempt. `rotate` asks for another proxy next time; `escalate` is
    how many such failures of an item on one tier move it up a tier (0 = never). `weight` is how much of a
    failure it is to a breaker; `streak` in a row, with nothing good between, trip it at once (0 = never).
    """

    fault: Fault
    attempts: int
    backoff: float
    counts: bool
    meaning: str
    spends: bool = True
    fresh_session: bool = False
    rotate: bool = False
    escalate: int = 0
    weight: float = 1.0
    streak: int = 0


_SITE, _ITEM, _SCRAPER, _PROXY, _OURS = Fault.SITE, Fault.ITEM, Fault.SCRAPER, Fault.PROXY, Fault.OURS

VERDICTS: dict[Kind, Verdict] = {
    Kind.INVALID_INPUT: Verdict(_ITEM, 1, 0, False, "The site or the scraper refuses this input as malformed."),
    Kind.AMBIGUOUS: Verdict(
        _ITEM, 1, 0, False, "Several records answer to this input, and nothing says which is meant."
    ),
    Kind.AUTH_REQUIRED: Verdict(
        _SITE, 2, 60, True, "A 401, or a login page in place of the record.", fresh_session=True
    ),
    Kind.FORBIDDEN: Verdict(_SITE, 2, 10, True, "A bare 403.", fresh_session=True, rotate=True, escalate=2),
    Kind.BLOCKED: Verdict(
        _SITE, 3, 30, True, "A block or challenge page of a bot defence.", fresh_session=True, rotate=True, escalate=1
    ),
    Kind.RATE_LIMITED: Verdict(
        _SITE, 6, 30, True, "429, or 503 with Retry-After: the site asks us to slow down.", weight=0.5
    ),
    Kind.SITE_5XX: Verdict(_SITE, 3, 15, True, "The site answered with a server error."),
    Kind.HTTP_STATUS: Verdict(_SITE, 2, 15, True, "An unexpected status below 500 that no other kind names."),
    Kind.MAINTENANCE: Verdict(_SITE, 6, 900, True, "The site shows a maintenance notice.", streak=5),
    Kind.SESSION_EXPIRED: Verdict(_SITE, 3, 1, True, "The site forgot our session.", fresh_session=True),
    Kind.LOGIN_FAILED: Verdict(
        _SITE, 5, 60, True, "The site refuses our login, or a secret for it is missing.", spends=False, streak=10
    ),
    Kind.TIMEOUT_CONNECT: Verdict(_SITE, 3, 5, True, "No connection within the connect time-out.", rotate=True),
    Kind.TIMEOUT_READ: Verdict(
        _SITE, 2, 10, True, "The answer stopped or did not come in time.", rotate=True, escalate=2
    ),
    Kind.CONN_RESET: Verdict(_SITE, 3, 5, True, "The connection broke, or the body was cut short.", rotate=True),
    Kind.DNS: Verdict(_SITE, 2, 60, True, "The site's name does not resolve."),
    Kind.TLS_ERROR: Verdict(_SITE, 1, 0, True, "The site's certificate or TLS handshake is not acceptable."),
    Kind.PROXY_ERROR: Verdict(_PROXY, 5, 2, False, "The proxy failed, not the site.", spends=False, rotate=True),
    Kind.PROXY_AUTH: Verdict(_PROXY, 5, 60, False, "The proxy or its provider refuses our credentials.", spends=False),
    Kind.PROXY_EXHAUSTED: Verdict(
        _PROXY, 5, 60, False, "The provider has no proxy for us now, or our quota is used up.", spends=False
    ),
    Kind.NO_PROXY: Verdict(
        _PROXY, 5, 60, False, "No proxy in the settings serves this tier or place; none is used instead.", spends=False
    ),
    Kind.DENIED: Verdict(
        _OURS, 1, 0, False, "Our own rules, the provider's or the law (451) forbid this address; no other way is tried."
    ),
    Kind.PARSE_EMPTY: Verdict(
        _SCRAPER, 2, 30, True, "A required part of the page is missing: often a redesign.", rotate=True, escalate=1
    ),
    Kind.SCHEMA_INVALID: Verdict(_SCRAPER, 1, 0, True, "The page has the field, but not as a value of its type."),
    Kind.WRONG_ITEM: Verdict(_SITE, 3, 5, True, "The site returned another item's page.", fresh_session=True),
    Kind.TOO_LARGE: Verdict(_SITE, 1, 0, False, "A body passed the size cap, on the wire or decoded."),
    Kind.BAD_BODY: Verdict(_SITE, 2, 5, True, "A body cannot be decoded as its headers promise."),
    Kind.SCRAPER_BUG: Verdict(_SCRAPER, 1, 0, True, "The scraper's own code raised an unforeseen error.", streak=10),
    Kind.DEADLINE: Verdict(_SITE, 2, 10, True, "The visit did not end within the item's deadline."),
    Kind.WORKER_LOST: Verdict(_OURS, 10, 5, False, "The worker died while it ran the item.", spends=False),
    Kind.RESOURCE_EXHAUSTED: Verdict(_OURS, 5, 30, False, "The worker ran out of memory, disk or files.", spends=False),
    Kind.STORAGE_ERROR: Verdict(_OURS, 10, 1, False, "Our own storage failed to keep the result.", spends=False),
    Kind.POISON: Verdict(_ITEM, 1, 0, False, "This item alone killed its process again and again."),
    Kind.UNKNOWN: Verdict(_SITE, 2, 15, True, "None of the others; a labelled example is welcome.", rotate=True),
}
"""One verdict for every kind; a test holds the two equal."""

POISON_AT = 3
"""Crashes after which an item is poison; shared crashes count once, only crashes of the item alone add up."""
