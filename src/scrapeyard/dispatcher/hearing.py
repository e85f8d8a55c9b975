"""Passes on what workers tell of outcomes: to the job that they belong to, and to all who learn from them."""

from scrapeyard.dispatcher.board import Board
from scrapeyard.dispatcher.breakers import Breakers, Told
from scrapeyard.dispatcher.ladders import Ladders
from scrapeyard.dispatcher.sentinels import Sentinels
from scrapeyard.model.fleet import WorkerReport
from scrapeyard.model.job import JobId


class Hearing:
    """Those who hear of outcomes."""

    def __init__(self, board: Board, ladders: Ladders, breakers: Breakers, sentinels: Sentinels) -> None:
        self._board = board
        self._ladders = ladders
        self._breakers = breakers
        self._sentinels = sentinels

    def hear(self, report: WorkerReport) -> None:
        """Outcomes, as a worker told them."""
        told: list[Told] = []
        for note in report.outcomes:
            live = self._board.jobs.get(JobId(note.job))
            if live is None:
                continue
            if note.seq < 0:
                self._sentinels.hear(live, note)
                continue
            out = live.note(note)
            told.append((live, note, out))
            self._ladders.hear(live.job, note)
            self._sentinels.witness(live, note, out)
        if told:
            self._breakers.hear(report.worker, told)
        self._breakers.scopes.report(report)
