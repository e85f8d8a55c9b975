"""When is a site's "too many requests" a word to all of us, and when only to one request?

Many sites say it now and then to anybody: one server of ten is short of memory, or a rule counts something else. Who
slows down for each of them works such a site at a fifth of what it gladly bears. So complaints are weighed against the
answers beside them: each weighs one, each other answer takes a little away, and only what piles up counts.
"""

from typing import Final

import msgspec

_BORNE: Final = 0.05
"""The share of complaints that never piles up."""
_HEAVY: Final = 4.0


class Complaints(msgspec.Struct, frozen=True):
    """What piled up: `asked` of `answers` since it began to, and the longest wait that was asked for meanwhile."""

    score: float = 0.0
    answers: int = 0
    asked: int = 0
    wait: float | None = None

    def plus(self, others: int, asked: int, wait: float | None) -> "Complaints":
        """So many more, `others` and `asked`, in no known order."""
        left = self.score - _BORNE * others
        before = self if left > 0 else NO_COMPLAINTS
        score = max(left, 0.0) + asked
        if score <= 0:
            return NO_COMPLAINTS
        longest = max((one for one in (before.wait, wait) if one is not None), default=None)
        return Complaints(score, before.answers + others + asked, before.asked + asked, longest)

    @property
    def heavy(self) -> bool:
        """Whether they are too many to be chance."""
        return self.score >= _HEAVY

    @property
    def share(self) -> float:
        """The part of all answers that complained since they began to pile up."""
        return self.asked / self.answers if self.answers else 0.0


NO_COMPLAINTS: Final = Complaints()
