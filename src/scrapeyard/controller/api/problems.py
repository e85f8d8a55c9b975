"""What went wrong, as problem+json (RFC 9457): a stable code, the field if one is to blame, and what to do.

Our own errors carry a sentence that says what to do, so it is passed on. Anything else is a fault of ours: the caller
gets a number by which it is found in the log, and no word of what is inside.
"""

import secrets

import msgspec
import structlog
from fastapi import Request, Response

from scrapeyard.model.errors import BadInput, Conflict, NotFound, Refused, ScrapeyardError, StorageError

log = structlog.get_logger(__name__)

TYPE = "application/problem+json"


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """One problem. `code` never changes for the same thing; `detail` is for people; `field` is where it lies."""

    title: str
    status: int
    code: str
    detail: str = ""
    field: str = ""
    instance: str = ""


class Answered(Exception):
    """Ends a request with this problem."""

    def __init__(self, problem: Problem, headers: dict[str, str] | None = None) -> None:
        super().__init__(problem.detail)
        self.problem = problem
        self.headers = headers or {}


CODES: dict[str, tuple[int, str]] = {
    "bad_input": (422, "Something in the request cannot be accepted."),
    "bad_json": (400, "The body is not the JSON that is wanted here."),
    "conflict": (409, "It is not in a state that allows this."),
    "gone_on": (409, "The upload stands at another offset."),
    "key_reused": (409, "The idempotency key belongs to another request."),
    "internal": (500, "Something went wrong here."),
    "no_key": (401, "A key is wanted."),
    "not_allowed": (403, "The key does not allow this."),
    "not_found": (404, "There is no such thing."),
    "method": (405, "This address does not know that method."),
    "refused": (409, "The request is refused."),
    "storage": (503, "Storage does not answer; try again."),
    "too_large": (413, "The body is too large."),
    "too_many": (429, "Too many wrong keys; wait."),
    "checksum": (460, "The bytes are not those that were sent."),
}
"""Every code with its status and its title; the documentation is made from here."""


def problem(code: str, detail: str = "", field: str = "") -> Problem:
    """A problem of this code."""
    status, title = CODES[code]
    return Problem(title, status, code, detail, field)


def answer(told: Problem, headers: dict[str, str] | None = None) -> Response:
    """The problem as a response."""
    return Response(msgspec.json.encode(told), told.status, headers, TYPE)


def of_error(error: ScrapeyardError) -> Problem:
    """The problem that one of our own errors is to a caller."""
    match error:
        case NotFound():
            return problem("not_found", str(error))
        case Conflict():
            return problem("conflict", str(error))
        case BadInput():
            return problem("bad_input", str(error))
        case Refused():
            return problem("refused", str(error))
        case StorageError():
            log.warning("storage failed under a request", error=str(error))
            return problem("storage", "What was asked for was not done, or only in part; ask again.")
        case _:
            return of_fault(error)


def of_fault(error: Exception) -> Problem:
    """The problem that a fault of ours is to a caller: a number, and nothing else."""
    number = secrets.token_hex(6)
    log.error("a request failed", number=number, exc_info=error)
    told = problem("internal", f"It is in the log under {number}; tell whoever runs this service.")
    return msgspec.structs.replace(told, instance=number)


async def on_answered(_: Request, error: Exception) -> Response:
    """See `Answered`."""
    assert isinstance(error, Answered)
    return answer(error.problem, error.headers)


async def on_ours(_: Request, error: Exception) -> Response:
    """Our own errors."""
    assert isinstance(error, ScrapeyardError)
    return answer(of_error(error))


async def on_fault(_: Request, error: Exception) -> Response:
    """All others."""
    return answer(of_fault(error))
