"""A setting that somebody turns, for good or for a while; after that while it is again what it was before."""

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Setting(Generic[T]):
    """One value and, while it is replaced, the one that comes back."""

    def __init__(self, value: T, now: Callable[[], float]) -> None:
        self._lasting = value
        self._passing: T | None = None
        self._until = 0.0
        self._now = now

    @property
    def value(self) -> T:
        """The value now."""
        if self._passing is not None and self._now() < self._until:
            return self._passing
        self._passing = None
        return self._lasting

    def turn(self, value: T, seconds: float | None = None) -> None:
        """Take this value from now on; with `seconds`, only for so long."""
        if seconds is None:
            self._lasting, self._passing = value, None
        else:
            self._passing, self._until = value, self._now() + seconds
