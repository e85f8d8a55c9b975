"""Sites that a person holds shut or has let go, over all of their jobs."""

from collections.abc import Iterable

import msgspec

from scrapeyard.dispatcher.breakers import Breakers
from scrapeyard.dispatcher.live import LiveJob
from scrapeyard.model.gate import ClosedGate, GateName
from scrapeyard.model.site import SAID, Hold, said_of
from scrapeyard.ports.memos import MemoBook

_MOST = 1_000


class Holds:
    """What people have said of sites."""

    def __init__(self, memos: MemoBook, breakers: Breakers) -> None:
        self._memos = memos
        self._breakers = breakers

    async def look(self, jobs: Iterable[LiveJob]) -> None:
        """Learn it, and tell it to the jobs that visit them."""
        live = list(jobs)
        if not live:
            return
        holds: dict[str, Hold] = {}
        released: dict[str, float] = {}
        for memo in await self._memos.under(SAID, limit=_MOST):
            what, site = said_of(memo.name)
            if what == "hold":
                holds[site] = msgspec.json.decode(memo.body, type=Hold)
            else:
                released[site] = msgspec.json.decode(memo.body, type=float)
        for each in live:
            site = each.job.site.name
            hold = holds.get(site)
            each.shut = None if hold is None else _gate(site, hold)
            if hold is None and site in released:
                self._breakers.released(each, released[site])


def _gate(site: str, hold: Hold) -> ClosedGate:
    why = f": {hold.reason.rstrip('.')}" if hold.reason else ""
    return ClosedGate(GateName.SITE_HELD, f"The site {site} is held by {hold.by}{why}.")
