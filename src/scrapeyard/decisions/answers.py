"""A program's answer that failed, although its status says 200.

Map services and portals' interfaces answer `{"error": {"code": 498}}` or `{"status": 500, "error": …}`, in which the
number is the status that the answer should have had. A number without an error beside it is a number in a record.
"""

from typing import Any, Final, cast

import msgspec

from scrapeyard.decisions.observation import Observation
from scrapeyard.decisions.signs import Rule
from scrapeyard.model.failures import Kind

_LONGEST: Final = 8192
_NUMBERS: Final = ("code", "status", "statusCode", "status_code", "httpStatus", "errorCode")
_KINDS: Final = {
    401: Kind.AUTH_REQUIRED,
    403: Kind.FORBIDDEN,
    419: Kind.SESSION_EXPIRED,
    429: Kind.RATE_LIMITED,
    440: Kind.SESSION_EXPIRED,
    498: Kind.SESSION_EXPIRED,
    499: Kind.AUTH_REQUIRED,
}
"""498 and 499 are how map services say that a token is invalid, and that one is missing."""


def answered(seen: Observation) -> Kind | None:
    """What the error in a JSON answer stands for; None if there is none, or its number says nothing."""
    if len(seen.body) > _LONGEST or seen.body[:64].lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        answer = msgspec.json.decode(seen.body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    answer = _first(answer)
    if answer is None:
        return None
    error = answer.get("error") or answer.get("errors")
    number = _number(_first(error)) or (_number(answer) if error else None)
    if number is None:
        return None
    return Kind.SITE_5XX if 500 <= number < 600 else _KINDS.get(number)


def _first(value: object) -> dict[str, Any] | None:
    if isinstance(value, list) and value:
        value = cast("list[object]", value)[0]
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _number(answer: dict[str, Any] | None) -> int | None:
    for name in _NUMBERS:
        said = str((answer or {}).get(name, ""))[:4]
        if said.isascii() and said.isdigit():
            return int(said)
    return None


def _rule(kind: Kind) -> Rule:
    return (f"answer_says_{kind.value}", kind, lambda seen: answered(seen) is kind)


ANSWERS: Final[tuple[Rule, ...]] = tuple(_rule(kind) for kind in sorted({*_KINDS.values(), Kind.SITE_5XX}))
"""They count only where content was missed."""
