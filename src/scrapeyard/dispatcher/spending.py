"""What a job has spent, known between two looks at the ledger.

The ledger's sums are exact but late, and a budget must not wait for them; what workers tell is quick but may be told
twice or be lost. So the larger figure counts, and it is put right whenever nothing is under way.
"""

from scrapeyard.decisions.budget import Spending
from scrapeyard.model.fleet import OutcomeNote
from scrapeyard.model.job import Tally
from scrapeyard.model.states import VisitState


class Spent:
    """Money and bytes of one job."""

    def __init__(self) -> None:
        self._counted = (0, 0)
        self._base: tuple[int, int] | None = None
        self._heard = (0, 0)
        self.each: tuple[float, float] | None = None

    def heard(self, note: OutcomeNote) -> None:
        """A try has ended."""
        micros, size = self._heard
        self._heard = (micros + note.cost_micros, size + note.wire_bytes)

    def recounted(self, tally: Tally) -> None:
        """The ledger's sums."""
        self._counted = (tally.cost_micros, tally.wire_bytes)
        if self._base is None or not tally.count(VisitState.OFFERED, VisitState.RUNNING):
            self._base, self._heard = self._counted, (0, 0)

    def spending(self) -> Spending:
        """For the gate."""
        base = self._base or (0, 0)
        micros, size = (
            max(counted, begun + heard) for counted, begun, heard in zip(self._counted, base, self._heard, strict=True)
        )
        return Spending(micros, size, *(self.each or (0.0, 0.0)))
