"""Do the proxies of a tier serve us at all? If not, nobody else's try will tell us more.

Wrong credentials, a spent balance and a tier without proxies fail every item in the same way, and none of them is to
blame. So after a few such failures in a row the tier is closed, for longer each time; then one item tries it. Any
answer that came through it opens it again.
"""

from typing import Final

import msgspec

from scrapeyard.decisions.gates import lasting
from scrapeyard.model.failures import VERDICTS, Fault, Kind
from scrapeyard.model.gate import ClosedGate, GateName

IN_A_ROW: Final = 5
FIRST: Final = 30.0
"""Seconds that a tier is closed the first time; the second time twice as long, and so on."""
LONGEST: Final = 600.0

_REFUSED: Final = {
    Kind.PROXY_AUTH: "refuse our user name or password: check their secret",
    Kind.PROXY_EXHAUSTED: "have nobody left for us, or the balance is spent",
    Kind.NO_PROXY: "are not named in the settings for what is demanded",
}


class Line(msgspec.Struct, frozen=True):
    """One tier: how many tries in a row its proxies refused, how often it was closed since it last served us, until
    when it is, and why."""

    row: int = 0
    times: int = 0
    until: float = 0.0
    kind: Kind | None = None

    def closed(self, now: float) -> bool:
        """Whether nothing may go there now."""
        return now < self.until

    def trying(self, now: float) -> bool:
        """Whether it has been closed, and a single item shows if it serves us again."""
        return self.times > 0 and now >= self.until


OPEN: Final = Line()


def heard(line: Line, kind: Kind | None, now: float) -> Line:
    """After a try through it; no kind is an answer."""
    if kind not in _REFUSED:
        served = kind is None or VERDICTS[kind].fault in (Fault.SITE, Fault.ITEM, Fault.SCRAPER)
        return OPEN if served else line
    again = Line(line.row + 1, line.times, line.until, kind)
    if line.closed(now) or (again.row < IN_A_ROW and not line.times):
        return again
    return Line(again.row, line.times + 1, now + min(LONGEST, FIRST * 2 ** min(line.times, 16)), kind)


def gate(tier: str, line: Line, now: float) -> ClosedGate:
    """The gate of a tier that is closed or being tried."""
    why = _REFUSED.get(line.kind, "") if line.kind else ""
    then = f"One item tries them in {lasting(line.until - now)}" if line.closed(now) else "One item tries them now"
    reason = f"The proxies of {tier} {why}. {then}; see `scrapeyard proxies --check`."
    return ClosedGate(GateName.PROXIES, reason, line.until if line.closed(now) else None)
