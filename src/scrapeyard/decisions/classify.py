"""Which kind of failure was that?

A visit ends with an exception, a status, some headers and a page, and only one of the closed list of kinds
decides what happens next. The rules stand in one table, most specific first, and the name of the rule that
matched is kept with the attempt, so that a wrong verdict can be traced to one line.
"""

import errno
from collections.abc import Sequence
from typing import Final

import msgspec

from scrapeyard.decisions.answers import ANSWERS
from scrapeyard.decisions.blocks import STRONG, WEAK
from scrapeyard.decisions.notices import PLAIN, TOLD
from scrapeyard.decisions.observation import HEAD, Observation, observe
from scrapeyard.decisions.proxied import PROXY
from scrapeyard.decisions.signs import Rule, between, matched, raised, status
from scrapeyard.model.failures import Kind
from scrapeyard.model.rules import SiteRule

__all__ = ["HEAD", "RULES", "Diagnosis", "Observation", "SiteRule", "diagnose", "observe"]


class Diagnosis(msgspec.Struct, frozen=True):
    """The kind of a failure and the name of the rule that found it."""

    kind: Kind
    rule: str


def diagnose(seen: Observation, own: Sequence[SiteRule] = ()) -> Diagnosis | None:
    """The kind of this failure. None for a page that was asked for: nothing was raised, its status is no error (or is
    one that the scraper allows), and it shows no strong sign of a failure.

    `own` are the rules that an author adds for the site; they go before all of ours but those for our own faults.
    """
    if own and (found := _own(seen, own)) is not None:
        return found
    for rule, kind, holds in _RULES if seen.failed else _SIGNS:
        if holds(seen):
            return Diagnosis(kind or seen.declared or Kind.UNKNOWN, rule)
    return None


def _own(seen: Observation, own: Sequence[SiteRule]) -> Diagnosis | None:
    if any(holds(seen) for _, _, holds in _OURS) or seen.declared is Kind.STORAGE_ERROR:
        return None
    return next((Diagnosis(rule.kind, rule.name) for rule in own if matched(rule, seen)), None)


_SHALLOW: Final = frozenset(
    {
        Kind.FORBIDDEN, Kind.RATE_LIMITED, Kind.SITE_5XX, Kind.HTTP_STATUS,
        Kind.PARSE_EMPTY, Kind.SCHEMA_INVALID, Kind.WRONG_ITEM,
    }
)  # fmt: skip
"""Declared kinds that say only what is missing or what the status was; what the page itself shows goes deeper."""

_STARVED: Final = frozenset({errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EDQUOT})


def _knows(seen: Observation) -> bool:
    return seen.declared is not None and seen.declared is not Kind.UNKNOWN


def _knows_better(seen: Observation) -> bool:
    return _knows(seen) and seen.declared not in _SHALLOW


def _throttled(seen: Observation) -> bool:
    return seen.status == 429 or (seen.status == 503 and "retry-after" in seen.headers)


_OURS: Final[tuple[Rule, ...]] = (
    ("memory", Kind.RESOURCE_EXHAUSTED, raised("MemoryError")),
    ("disk_or_files", Kind.RESOURCE_EXHAUSTED, lambda seen: not _STARVED.isdisjoint(seen.errnos)),
)

_LIMITED: Final[Rule] = (
    "cloudflare_rate_limit",
    Kind.RATE_LIMITED,
    lambda seen: seen.small and b"1015" in seen.head and b"you are being rate limited" in seen.head,
)
"""Cloudflare puts a limit under the title of a block."""

_SIGNS: Final[tuple[Rule, ...]] = (_LIMITED, *STRONG, *PLAIN)
"""Signs so strong that they count also where nobody complained: the page is not what was asked for."""

_RULES: Final[tuple[Rule, ...]] = (
    *_OURS,
    *PROXY,
    ("declared", None, _knows_better),
    *_SIGNS,
    *ANSWERS,
    *TOLD,
    *WEAK,
    ("throttled", Kind.RATE_LIMITED, _throttled),
    ("legal_reasons", Kind.DENIED, status(451)),
    ("request_timed_out", Kind.TIMEOUT_READ, status(408)),
    ("declared_by_its_reader", None, _knows),
    ("server_error", Kind.SITE_5XX, between(500, 600)),
    ("forbidden", Kind.FORBIDDEN, status(403)),
    ("status", Kind.HTTP_STATUS, between(400, 1000)),
    ("name_not_resolved", Kind.DNS, raised("gaierror")),
    ("tls", Kind.TLS_ERROR, raised("SSLError")),
    ("timed_out", Kind.TIMEOUT_READ, raised("TimeoutError")),
    ("connection", Kind.CONN_RESET, raised("ConnectionError", "EOFError")),
    ("declared_unknown", None, lambda seen: seen.declared is not None),
    ("any_other_error", Kind.SCRAPER_BUG, lambda _: True),
)

RULES: Final = tuple(name for name, _, _ in _RULES)
"""The names of all rules, in the order in which they are asked."""
