"""What can be raised across rooms. Foreign errors are translated into these at the boundary, cause kept.

ScrapeyardError
├── Refused                 a request that cannot be granted; the sentence says what to do
│   ├── NotFound            no such job, item, capture or scraper
│   ├── Conflict            the thing is not in a state that allows this
│   └── BadInput            a row, file, option or value that cannot be accepted
├── StorageError            our own storage failed or is unreachable (transient unless `final`)
├── NotSent                 a message was not taken by whoever should pass it on (perhaps later, unless `final`)
├── LeaseLost               this worker was fenced off and must not record anything more
└── VisitError              a visit failed with a known kind; raised by scraping, and by authors
    ├── Blocked, RateLimited, SessionExpired, LoginFailed, Maintenance, InvalidInput, Ambiguous …
Disallowed                  the site asks in its robots.txt not to be visited there: the item is skipped
Absent                      not an error of anybody: the site says there is no such record
"""

from typing import ClassVar

from scrapeyard.model.failures import Kind


class ScrapeyardError(Exception):
    """Root of everything that Scrapeyard raises on purpose."""


class Refused(ScrapeyardError):
    """A request that cannot be granted as it stands."""


class NotFound(Refused):
    """What was asked for does not exist."""


class Conflict(Refused):
    """What was asked for is not possible in the present state."""


class BadInput(Refused):
    """A row, file, option or value that cannot be accepted."""


class StorageError(ScrapeyardError):
    """Our own storage failed. `final` says that trying again will not help."""

    def __init__(self, message: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.final = final


class NotSent(ScrapeyardError):
    """A message to people was not taken. `final` says that trying again will not help."""

    def __init__(self, message: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.final = final


class LeaseLost(ScrapeyardError):
    """The worker that asks was fenced off: its items belong to others now."""


class Disallowed(ScrapeyardError):
    """The site asks in its robots.txt not to be visited there. The item is skipped, and says why."""


class Absent(Exception):
    """The site says that there is no such record."""


class VisitError(ScrapeyardError):
    """A visit failed in a way that has a kind. `retry_after` is what the site itself asked for, in seconds."""

    kind: ClassVar[Kind] = Kind.UNKNOWN

    def __init__(
        self,
        message: str,
        *,
        kind: Kind | None = None,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.failure = kind or self.kind
        self.status = status
        self.retry_after = retry_after


class Blocked(VisitError):
    """The page is a block or challenge page."""

    kind = Kind.BLOCKED


class RateLimited(VisitError):
    """The site asks us to slow down."""

    kind = Kind.RATE_LIMITED


class SessionExpired(VisitError):
    """The site forgot our session."""

    kind = Kind.SESSION_EXPIRED


class LoginFailed(VisitError):
    """The site does not let us in with what we have."""

    kind = Kind.LOGIN_FAILED


class Maintenance(VisitError):
    """The site shows a maintenance notice."""

    kind = Kind.MAINTENANCE


class InvalidInput(VisitError):
    """The site refuses this item's input as malformed."""

    kind = Kind.INVALID_INPUT


class Ambiguous(VisitError):
    """Several records answer to this item's input, and nothing says which is meant."""

    kind = Kind.AMBIGUOUS
