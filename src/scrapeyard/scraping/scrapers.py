"""A declared scraper made ready to work: it visits over HTTP, and reads what was kept.

One client serves all scrapers of a process, so that connections are shared; a visit adds to it only a jar, a few
counters, and what it keeps.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from scrapeyard.model.capture import Kept
from scrapeyard.model.errors import Absent, LoginFailed, Refused, SessionExpired, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.model.record import Record
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.pages.errors import PageError
from scrapeyard.pages.files import File
from scrapeyard.pages.page import Page
from scrapeyard.ports.scrapers import Errand, Permits, Visited
from scrapeyard.ports.sessions import Shelf
from scrapeyard.scraping.author.binding import Gets, OpenPlan
from scrapeyard.scraping.author.capturing import extract
from scrapeyard.scraping.author.card import card_of
from scrapeyard.scraping.author.declare import Scraper
from scrapeyard.scraping.author.inputs import InputCheck
from scrapeyard.scraping.author.sayings import may_mean_absent, may_mean_expired, sign_on
from scrapeyard.scraping.author.visit import Visit
from scrapeyard.scraping.http.http import Http
from scrapeyard.scraping.http.meter import Trace
from scrapeyard.scraping.http.options import HttpOptions
from scrapeyard.scraping.line import Reveal, SharedLine, no_secrets
from scrapeyard.scraping.talk import Talk

Equip = Callable[[Scraper[...], str, str], "HttpScraper"]
SHORT_FORM: Final = "page"
"""The name under which a returned page is kept."""


class HttpScraper:
    """Fills LoadedScraper for the HTTP lane."""

    def __init__(self, scraper: Scraper[...], card: ScraperCard, line: SharedLine) -> None:
        self._scraper = scraper
        self._card = card
        self._line = line
        self._check = InputCheck(scraper.visiting.inputs, scraper.declared.key)
        self._inputs = scraper.visiting.inputs.__pydantic_validator__.validate_json
        self._expected = frozenset(scraper.expected)
        line.join(self)

    @property
    def card(self) -> ScraperCard:
        """See LoadedScraper."""
        return self._card

    async def open(self, errand: Errand, permits: Permits) -> Visited:
        """See LoadedScraper."""
        plan = self._scraper.opening
        if plan is None:
            return Visited(session=errand.session)
        talk = Talk(errand, permits, self._card, self._line, self._scraper.declared.profile)
        return await talk.told(lambda: self._opened(plan, talk), _about_opening)

    async def visit(self, errand: Errand, permits: Permits) -> Visited:
        """See LoadedScraper."""
        talk = Talk(errand, permits, self._card, self._line, self._scraper.declared.profile)
        return await talk.told(lambda: self._run(talk), lambda raised: self._meaning(raised, talk))

    def read(self, inputs: bytes, captures: Sequence[Kept]) -> Sequence[Record]:
        """See LoadedScraper."""
        plan = self._scraper.reading
        return () if plan is None else extract(plan, self._inputs(inputs), captures)

    def check_inputs(self, row: Mapping[str, object]) -> tuple[str, bytes]:
        """See LoadedScraper."""
        return self._check.check(row)

    async def close(self) -> None:
        """See LoadedScraper."""
        await self._line.leave(self)

    def _meaning(self, error: Exception | None, talk: Talk) -> Exception | None:
        """What the last page says of the whole visit in a way that the scraper declares; else the error as it is."""
        declared, last = self._scraper.declared, talk.sender.last
        if last is None:
            return error
        try:
            if declared.expired_when and may_mean_expired(error) and (sign := sign_on(last, declared.expired_when)):
                return SessionExpired(f"The page says so: {sign}.")
            if declared.absent_when and may_mean_absent(error, talk.visit.kept, last):
                sign = sign_on(last, declared.absent_when)
                return error if sign is None else Absent(f"The page says so: {sign}.")
        except Exception as raised:  # noqa: BLE001 - a sign may be an author's own function, or a selector with a mistake
            return raised
        return error

    async def _opened(self, plan: OpenPlan, talk: Talk) -> None:
        async with talk.visit.step("open session"):
            given: dict[str, object] = {plan.http: Http(talk.sender)}
            try:
                given |= {name: self._line.secret(reference) for name, reference in plan.secrets.items()}
            except Refused as unknown:
                raise LoginFailed(str(unknown)) from unknown
            talk.noted(await plan.function(**given))

    async def _run(self, talk: Talk) -> None:
        visit, inputs = talk.visit, self._inputs(talk.errand.inputs)
        given: dict[Gets, object] = {Gets.INPUTS: inputs, Gets.HTTP: Http(talk.sender), Gets.VISIT: visit}
        plan = self._scraper.visiting
        answer: object = await self._scraper.function(**{name: given[gets] for name, gets in plan.slots})
        _keep_answer(visit, answer)
        missing = self._expected.difference([one.name for one in visit.kept])
        if missing:
            raise PageError(f"The visit ended without keeping {', '.join(map(repr, sorted(missing)))}.")


def equip(
    options: HttpOptions, trace: Trace | None = None, secret: Reveal = no_secrets, shelf: Shelf | None = None
) -> Equip:
    """How a registry makes its scrapers ready: all of them share one client. `trace` hears of every request, `secret`
    looks up those that a login needs, and on the `shelf` lies what other processes know of sites."""
    line = SharedLine(options, trace, secret, shelf)

    def ready(scraper: Scraper[...], digest: str, source: str) -> HttpScraper:
        if scraper.declared.lane != "http":
            raise Refused(f"{scraper.declared.name} needs a browser, and this worker speaks HTTP only.")
        return HttpScraper(scraper, card_of(scraper, digest, source), line)

    return ready


def _keep_answer(visit: Visit, answer: object) -> None:
    if answer is None:
        return
    several: Sequence[object] = cast("Sequence[object]", answer) if isinstance(answer, list | tuple) else (answer,)
    for one in several:
        if not isinstance(one, Page | File):
            raise TypeError(
                f"The scraper returned {type(one).__name__}; it returns a Page, a File, several, or nothing."
            )
        visit.keep(SHORT_FORM, one)


def _about_opening(error: Exception | None) -> Exception | None:
    """What the opening step's end means. It opens for many items, so it cannot say anything of one."""
    if isinstance(error, Absent):
        told: Exception = VisitError(
            "open_session said that a record is absent; it opens for all.", kind=Kind.SCRAPER_BUG
        )
    elif isinstance(error, VisitError) and (error.failure is Kind.AUTH_REQUIRED or error.status == 401):
        told = LoginFailed(str(error), status=error.status)
    else:
        return error
    told.__cause__ = error
    return told
