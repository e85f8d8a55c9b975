"""Cookies that mean something: a county that has forgotten a session says so politely, at status 200.

Sessions die of age, of idleness or of too many requests; the oldest go first when there are too many of them.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Session:
    """What the site remembers of one visitor between two requests."""

    key: str
    opened: float
    requests: int = 0
    number: str = ""  # the search the grid is showing
    stamp: int = 0  # the only view state the grid takes next


class Sessions:
    """The open sessions of one portal."""

    def __init__(
        self,
        now: Callable[[], float],
        most_requests: int | None = None,
        most_seconds: float | None = None,
        most_sessions: int = 20_000,
    ) -> None:
        self._now = now
        self._most_requests = most_requests
        self._most_seconds = most_seconds
        self._most_sessions = most_sessions
        self._open: dict[str, Session] = {}

    def start(self) -> Session:
        """Open a session under a new key."""
        if len(self._open) >= self._most_sessions:
            del self._open[next(iter(self._open))]
        session = Session(secrets.token_hex(12), self._now())
        self._open[session.key] = session
        return session

    def use(self, key: str | None) -> Session | None:
        """The session with this key, counted as used once more; None if it never was or is over."""
        session = self._open.get(key or "")
        if session is None:
            return None
        session.requests += 1
        worn = self._most_requests is not None and session.requests > self._most_requests
        aged = self._most_seconds is not None and self._now() - session.opened > self._most_seconds
        if worn or aged:
            del self._open[session.key]
            return None
        return session
