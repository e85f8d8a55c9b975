"""How many things happened in the last second."""

from collections import deque

_HORIZON = 1.0


class Tempo:
    """A count that forgets."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque()
        self._sum = 0

    def add(self, count: int, now: float) -> None:
        """So many, now."""
        if count:
            self._marks.append((now, count))
            self._sum += count

    def rate(self, now: float) -> float:
        """Per second."""
        while self._marks and self._marks[0][0] <= now - _HORIZON:
            self._sum -= self._marks.popleft()[1]
        return self._sum / _HORIZON
