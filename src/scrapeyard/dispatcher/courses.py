"""The course of each live job, as its outcomes tell it: for the chart that people look at, never for a decision.

It is written down now and then, and only when it has changed; what the last seconds before a crash brought is missing
in the chart and nowhere else.
"""

from collections.abc import Collection, Sequence

import msgspec

from scrapeyard.model.fleet import OutcomeNote
from scrapeyard.model.memo import Memo
from scrapeyard.model.series import Series, series_place
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.memos import MemoBook


class Courses:
    """The courses of one term, gone on with from those of the last."""

    def __init__(self, memos: MemoBook, clock: Clock) -> None:
        self._memos = memos
        self._clock = clock
        self._heard: dict[str, list[tuple[float, dict[str, int]]]] = {}
        self._known: dict[str, tuple[Series | None, Memo | None]] = {}

    def hear(self, notes: Sequence[OutcomeNote]) -> None:
        """Outcomes, as a worker told them."""
        now = self._clock.now()
        by_job: dict[str, dict[str, int]] = {}
        for note in notes:
            counts = by_job.setdefault(note.job, {})
            name = note.state if note.state != "waiting" else "retried"
            counts[name] = counts.get(name, 0) + 1
        for job, counts in by_job.items():
            self._heard.setdefault(job, []).append((now, counts))

    async def keep(self, live: Collection[str]) -> None:
        """Write down what has changed, and forget the jobs that have ended."""
        for job in list(self._heard):
            series, memo = self._known.get(job) or await self._recall(job)
            heard = self._heard[job]
            whole = series or Series(heard[0][0])
            for at, counts in heard:
                whole = whole.heard(at, counts)
            kept = await self._memos.keep(series_place(job), msgspec.json.encode(whole), seen=memo)
            if kept is None:  # another one leads by now, or the answer to the last writing was lost
                self._known[job] = await self._recall(job)
                continue
            self._known[job] = whole, kept
            del self._heard[job]
        for job in self._known.keys() - set(live):
            del self._known[job]

    async def _recall(self, job: str) -> tuple[Series | None, Memo | None]:
        memo = await self._memos.recall(series_place(job))
        return (None if memo is None else msgspec.json.decode(memo.body, type=Series)), memo
