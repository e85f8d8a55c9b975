"""A child's purse of request permits.

Politeness is per request: an item that makes five requests must not turn a 5/s site into 25/s. So every
request asks here first. Leave comes from the dispatcher, by way of the parent, and lapses quickly; time
spent waiting for it is nobody's fault and does not count against the item's deadline.
"""

import asyncio
from collections import deque

from scrapeyard.model.fleet import NO_ANSWERS, Answers, Permit
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.scrapers import Answer

_UNLIMITED = -1
_MEMORY = 0.3
"""Seconds in which half of what was used is forgotten: about the way of a wish up and of its permits down."""


class _Stock:
    """What is left of the leave for one site, and who waits for more."""

    __slots__ = ("asked", "count", "lapsed", "recent", "until", "used", "waiting")

    def __init__(self) -> None:
        self.count = 0
        self.lapsed = 0
        self.until = 0.0
        self.used = 0
        self.recent = 0.0
        self.asked = 0.0
        self.waiting: deque[asyncio.Future[None]] = deque()

    def lapse(self, now: float) -> None:
        """What was not used in time is no leave any more; others may have it."""
        if self.until < now:
            self.lapsed += max(0, self.count)
            self.count = 0


class _Heard:
    """How one site answered since it was told last."""

    __slots__ = ("bad", "bad_seconds", "delay", "good", "good_seconds", "proxied", "retry_after", "throttled")

    def __init__(self) -> None:
        self.delay: float | None = None
        self.forget()

    def forget(self) -> None:
        self.good = self.bad = self.throttled = self.proxied = 0
        self.good_seconds = self.bad_seconds = 0.0
        self.retry_after: float | None = None

    def told(self) -> Answers:
        answers = Answers(
            self.good, self.good_seconds, self.bad, self.bad_seconds, self.throttled, self.retry_after, self.delay,
            self.proxied,
        )  # fmt: skip
        self.forget()
        return answers


class Purse:
    """Permits of all sites that this child talks to."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._stocks: dict[str, _Stock] = {}
        self._heard: dict[str, _Heard] = {}
        self.thirst = asyncio.Event()

    async def take(self, site: str) -> float:
        """Use one permit, waiting for it if need be; gives how long that took."""
        stock = self._stocks.get(site)
        if stock is None:
            stock = self._stocks[site] = _Stock()
        if not stock.waiting and self._spend(stock):
            return 0.0
        asked = self._clock.monotonic()
        turn = asyncio.get_running_loop().create_future()
        stock.waiting.append(turn)
        self.thirst.set()
        try:
            await turn
        except asyncio.CancelledError:
            if turn in stock.waiting:
                stock.waiting.remove(turn)
            raise
        return self._clock.monotonic() - asked

    def spent(self, site: str) -> bool:
        """Use one permit if there is one at hand and nobody was here before."""
        stock = self._stocks.get(site)
        return stock is not None and not stock.waiting and self._spend(stock)

    def grant(self, permit: Permit) -> None:
        """Leave has come. A new grant replaces what lapsed and adds to what has not."""
        stock = self._stocks.setdefault(permit.site, _Stock())
        now = self._clock.monotonic()
        stock.lapse(now)
        if permit.count == _UNLIMITED:
            stock.count = _UNLIMITED
        elif stock.count == _UNLIMITED:
            stock.count = permit.count
        else:
            stock.count += permit.count
        stock.until = now + permit.seconds
        while stock.waiting:
            if stock.waiting[0].done():
                stock.waiting.popleft()
            elif self._spend(stock):
                stock.waiting.popleft().set_result(None)
            else:
                break

    def demand(self) -> tuple[dict[str, int], dict[str, int]]:
        """Requests that wait for leave, per site, and those that soon will: as many as were sent lately, less the leave
        that is left. Asking ahead spares them the wait, which would be longer than a short visit."""
        now = self._clock.monotonic()
        waiting: dict[str, int] = {}
        ahead: dict[str, int] = {}
        for site, stock in self._stocks.items():
            stock.lapse(now)
            stock.recent = stock.recent * 0.5 ** ((now - stock.asked) / _MEMORY) + stock.used
            stock.used, stock.asked = 0, now
            if stock.waiting:
                waiting[site] = len(stock.waiting)
            soon = int(stock.recent) - max(0, stock.count)
            if soon > 0:
                ahead[site] = soon
        return waiting, ahead

    def unspent(self) -> dict[str, int]:
        """Permits per site that lapsed since this was asked last."""
        lapsed = {site: stock.lapsed for site, stock in self._stocks.items() if stock.lapsed}
        for site in lapsed:
            self._stocks[site].lapsed = 0
        return lapsed

    def heard(self, answer: Answer) -> None:
        """A site answered, or failed to."""
        heard = self._heard.get(answer.site)
        if heard is None:
            heard = self._heard[answer.site] = _Heard()
        if answer.throttled:
            heard.throttled += 1
            if answer.retry_after is not None:
                heard.retry_after = max(answer.retry_after, heard.retry_after or 0.0)
        elif answer.proxied:
            heard.proxied += answer.good
        elif answer.good:
            heard.good += 1
            heard.good_seconds += answer.seconds
        else:
            heard.bad += 1
            heard.bad_seconds += answer.seconds

    def paced(self, site: str, delay: float) -> None:
        """What its robots.txt wants between two requests; told again and again, for who hears it may be new."""
        self._heard.setdefault(site, _Heard()).delay = delay

    def answers(self) -> dict[str, Answers]:
        """How the sites answered since this was asked last."""
        told = {site: heard.told() for site, heard in self._heard.items()}
        return {site: answers for site, answers in told.items() if answers != NO_ANSWERS}

    def _spend(self, stock: _Stock) -> bool:
        stock.lapse(self._clock.monotonic())
        if stock.count == 0:
            return False
        if stock.count > 0:
            stock.count -= 1
        stock.used += 1
        return True


class ItemPermits:
    """The permits as one item sees them: while it waits for one, its deadline stands still.

    `throttled` says whether one of its requests was told by its status to slow down.
    """

    __slots__ = ("_left", "_limit", "_purse", "_waiting", "throttled")

    def __init__(self, purse: Purse, limit: asyncio.Timeout) -> None:
        self.throttled = False
        self._purse = purse
        self._limit = limit
        self._waiting = 0
        self._left: float | None = None

    async def request(self, site: str) -> None:
        """Wait for leave to send one request. An item may wait for several at once."""
        if self._purse.spent(site):
            return
        self._waiting += 1
        if self._waiting == 1 and not self._limit.expired():
            when = self._limit.when()
            self._left = None if when is None else when - asyncio.get_running_loop().time()
            self._limit.reschedule(None)
        try:
            await self._purse.take(site)
        finally:
            self._waiting -= 1
            if not self._waiting and self._left is not None and not self._limit.expired():
                self._limit.reschedule(asyncio.get_running_loop().time() + self._left)
                self._left = None

    def answered(self, answer: Answer) -> None:
        """How a request went."""
        self.throttled |= answer.throttled
        self._purse.heard(answer)

    def paced(self, site: str, delay: float) -> None:
        """What a site's robots.txt wants between two requests, in seconds."""
        self._purse.paced(site, delay)
