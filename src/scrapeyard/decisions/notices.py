"""Pages that stand in place of the one that was asked for, and are no walls: slow down, closed for the night, broken,
log in first, start again.

County sites send all of these with status 200. What a title or a first heading says counts always; what the text
says counts only where content was missed or refused, because a parcel page may name any of it in passing.
"""

import re
from typing import Final

from scrapeyard.decisions import languages, phrases
from scrapeyard.decisions.observation import Observation
from scrapeyard.decisions.signs import Rule, both, either, entitled, headed, matches, says, status
from scrapeyard.model.failures import Kind

_FAST: Final = (
    b"too many requests", b"rate limit exceeded", b"you are being rate limited", b"rate limited", b"request limit",
)  # fmt: skip
_TOO_FAST: Final = (
    *_FAST, b"slow down", b"exceeded the maximum number", b"exceeded your daily", b"daily limit", b"search limit",
    b"quota exceeded", b"limit exceeded", b"request was throttled", b"reduce your request rate", *languages.TOO_FAST,
)  # fmt: skip
_IN_LINE: Final = (b"you are now in line", b"your estimated wait time is", b"your place in line")
_CLOSED: Final = (
    b"site maintenance", b"system maintenance", b"scheduled maintenance", b"planned maintenance",
    b"nightly maintenance", b"routine maintenance", b"under maintenance", b"undergoing maintenance",
    b"down for maintenance", b"performing maintenance", b"maintenance mode", b"maintenance window",
    b"temporarily unavailable",
)  # fmt: skip
_SHUT: Final = (
    *_CLOSED, b"currently unavailable", b"be back soon", b"be back shortly", b"is offline", b"scheduled backup",
    b"temporarily offline", b"temporarily closed", b"temporarily down", b"scheduled downtime",
    b"not available at this time", b"upgrading our", *languages.CLOSED,
)  # fmt: skip
_SERVER: Final = (
    b"runtime error", b"server error in ", b"internal server error", b"bad gateway", b"gateway time-out",
    b"gateway timeout", b"http status 500", b"critical error", b"service unavailable",
    b"service temporarily unavailable", b"establishing a database connection", b"error occurred while processing",
)  # fmt: skip
_TORN: Final = (
    b"server error in '/", b"internal server error", b"critical error", b"unhandled exception",
    b"nullpointerexception", b"object reference not set", b"sqlexception", b"sqlstate[", b"mysqli_connect",
    b"pg_connect", b"odbc sql server driver", b"ole db provider", b"adodb.", b"vbscript runtime", b"fatal error:",
    b"allowed memory size of", b"maximum execution time of", b"error executing database query",
    b"timeout period elapsed prior", b"stack trace:", b"whitelabel error page", b"server error (500)",
    b"backend fetch failed", b"database connection", b"err-7620",
)  # fmt: skip
_UNFURNISHED: Final = (
    b"welcome to nginx!", b"iis windows server", b"apache2 ubuntu default page: it works",
    b"apache2 debian default page: it works", b"test page for the apache http server",
)  # fmt: skip
_ORACLE = re.compile(rb"\bora-\d{5}\b")
_LOG_IN = re.compile(rb"\b(?:log ?in|log on|logon|sign ?in)\b")
_STATE: Final = (
    b"viewstate mac failed", b"state information is invalid for this page", b"invalid postback or callback argument",
    b"viewexpiredexception", b"csrf verification failed", b"anti-forgery", b"antiforgery",
    b"session state protection violation", b"the change you wanted was rejected",
)  # fmt: skip
"""What frameworks say of a form whose page they no longer know."""
_OVER: Final = (
    b"session expired",
    b"session has expired",
    b"session timeout",
    b"session timed out",
    b"session has ended",
)
_TERMS: Final = (b"disclaimer", b"terms of use", b"terms of service", b"terms and conditions", b"user agreement")
_AHEAD = re.compile(rb"\bwill be (?:down|offline|closed|unavailable|undergoing|performing|unreachable)\b")
_RECORD: Final = 2
"""So many labelled values make a record, whatever else the page says."""
_AGREE = re.compile(rb"(?:value\s*=\s*[\"']?|>)\s*(?:i )?(?:accept|agree)\b")
_GONE: Final = (b"page not found", b"file not found", b"404 not found", b"404 error")


def _maintained(seen: Observation) -> bool:
    """ "Service temporarily unavailable" is how an overloaded web server puts it; that is no plan."""
    overloaded = b"service temporarily unavailable" in seen.title or b"service temporarily unavailable" in seen.heading
    return _planned(seen) and not overloaded


_planned = either(headed(*_CLOSED), both(entitled(b"maintenance"), says(b"unavailable", b"be back", *_CLOSED)))


def _closed(seen: Observation) -> bool:
    overloaded = b"service temporarily" in seen.text
    if seen.labels >= _RECORD and _AHEAD.search(seen.text) is not None:
        return False  # what will be stands above a record
    return not overloaded and (says(*_SHUT)(seen) or matches(phrases.CLOSED)(seen))


def _forbids(seen: Observation) -> bool:
    """A refusal that lost its status, and says nothing else."""
    if not 200 <= (seen.status or 200) < 400 or not seen.brief(300):
        return False
    return seen.text.startswith((b"403 forbidden", b"forbidden", b"request forbidden"))


def _torn(seen: Observation) -> bool:
    if not seen.brief(4000):
        return False
    if any(word in seen.text for word in _TORN) or _ORACLE.search(seen.text) is not None:
        return True
    return b"<faultstring" in seen.head


def _login(seen: Observation) -> bool:
    """A page that is there to log in: it says so above all else, and has a field for the password."""
    if not seen.small or b'type="password"' not in seen.head.replace(b"'", b'"'):
        return False
    if _LOG_IN.search(seen.title) is not None:
        return seen.brief(2500)
    return _LOG_IN.search(seen.heading) is not None and seen.brief()


def _guarded(seen: Observation) -> bool:
    """A page that wants to know who asks before it shows anything: no record, and no form to search with."""
    if matches(phrases.GUARDED, 200)(seen):
        return True
    return matches(phrases.BARRED)(seen) and seen.labels < _RECORD


def _asks_to_agree(seen: Observation) -> bool:
    """A page of conditions with a button to accept them: a session that had accepted them is gone."""
    return headed(*_TERMS, most=8000)(seen) and _AGREE.search(seen.head) is not None


def _gone(seen: Observation) -> bool:
    """A page that says "not found" in its title, although the status says that it was."""
    if not 200 <= (seen.status or 200) < 400 or not seen.brief():
        return False
    return seen.title.startswith((b"404 ", b"error 404")) or any(word in seen.title for word in _GONE)


PLAIN: Final[tuple[Rule, ...]] = (
    ("state_lost", Kind.SESSION_EXPIRED, says(*_STATE, most=4000)),
    ("title_throttled", Kind.RATE_LIMITED, headed(*_FAST, most=300)),
    ("text_throttled", Kind.RATE_LIMITED, both(lambda seen: len(seen.body) <= 4096, says(*_FAST, most=120))),
    ("waiting_room", Kind.RATE_LIMITED, says(*_IN_LINE)),
    ("title_maintenance", Kind.MAINTENANCE, _maintained),
    ("title_session", Kind.SESSION_EXPIRED, headed(*_OVER)),
    ("title_server_error", Kind.SITE_5XX, both(headed(*_SERVER), lambda seen: (seen.status or 200) < 400)),
    (
        "words_of_a_broken_server",
        Kind.SITE_5XX,
        both(says(b"critical error on this website", most=200), lambda seen: (seen.status or 200) < 400),
    ),
)
"""Notices that count also where nobody complained."""

TOLD: Final[tuple[Rule, ...]] = (
    ("told_server_error", Kind.SITE_5XX, both(_torn, lambda seen: (seen.status or 200) < 500)),
    ("told_too_fast", Kind.RATE_LIMITED, either(says(*_TOO_FAST, most=400), matches(phrases.TOO_FAST, 400))),
    ("told_session", Kind.SESSION_EXPIRED, either(says(*languages.FORGOTTEN), matches(phrases.FORGOTTEN))),
    ("told_maintenance", Kind.MAINTENANCE, _closed),
    ("told_of_an_error", Kind.SITE_5XX, both(matches(phrases.BROKEN), lambda seen: (seen.status or 200) < 500)),
    ("told_forbidden", Kind.FORBIDDEN, _forbids),
    ("login_page", Kind.AUTH_REQUIRED, _login),
    ("told_to_log_in", Kind.AUTH_REQUIRED, _guarded),
    ("login_status", Kind.AUTH_REQUIRED, status(401)),
    ("session_status", Kind.SESSION_EXPIRED, status(419, 440)),
    ("terms_again", Kind.SESSION_EXPIRED, _asks_to_agree),
    ("server_without_a_site", Kind.SITE_5XX, entitled(*_UNFURNISHED)),
    ("title_not_found", Kind.HTTP_STATUS, _gone),
)
"""Notices that count only where content was missed or refused."""
