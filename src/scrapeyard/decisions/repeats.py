"""How many retries a site may be given beside its fresh items.

When a site fails, every failure asks for another try, and the tries of a whole list would multiply the load on a
site that cannot bear what it has, and crowd out the items that were never tried. So while fresh items wait, retries
are at most one start in five over two minutes. When nothing else is left, there is nothing to crowd out, and the
site's own rate is bound enough.
"""

import msgspec

ONE_IN = 5
"""Of so many starts one may be a retry."""
SPAN = 120.0
"""The seconds over which starts are counted."""
_STEP = 5.0


class _Step(msgspec.Struct, frozen=True, array_like=True):
    number: int
    fresh: int
    again: int


class Repeats(msgspec.Struct, frozen=True):
    """The starts at one site over the last two minutes, in steps of a few seconds; the oldest step comes first."""

    steps: tuple[_Step, ...] = ()

    def started(self, now: float, *, fresh: int, again: int) -> "Repeats":
        """So many items started for the first time just now, and so many once more."""
        step = int(now // _STEP)
        kept = self._lately(now)
        if kept and kept[-1].number == step:
            *kept, last = kept
            fresh, again = last.fresh + fresh, last.again + again
        return Repeats((*kept, _Step(step, fresh, again)))

    def room(self, now: float) -> int:
        """How many retries may start now."""
        lately = self._lately(now)
        return max(0, sum(step.fresh for step in lately) // (ONE_IN - 1) - sum(step.again for step in lately))

    def _lately(self, now: float) -> list[_Step]:
        oldest = int((now - SPAN) // _STEP)
        return [step for step in self.steps if step.number > oldest]
