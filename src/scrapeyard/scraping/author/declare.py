"""Turn an author's function into a scraper: what it is called, which site it visits, what it promises to bring home.

The declaration is checked as early as it can be, because a scraper whose promise is wrong costs a whole job: one that
keeps nothing in particular would count every block page as a success.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Generic, Literal, ParamSpec, Required, TypedDict, TypeVar, Unpack, cast, get_args, overload

from scrapeyard.model.ladder import ladder_trouble
from scrapeyard.model.policy import SitePolicy, Window
from scrapeyard.model.rules import MOST_RULES, SiteRule, rule_trouble
from scrapeyard.model.session import SessionTerms, terms_trouble
from scrapeyard.pages.files import File
from scrapeyard.pages.page import Page
from scrapeyard.scraping.author.binding import (
    Misdeclared,
    OpenPlan,
    ReadPlan,
    VisitPlan,
    plan_opening,
    plan_reading,
    plan_visit,
)
from scrapeyard.scraping.author.sayings import CSS, Sign
from scrapeyard.scraping.http.client import Profile

P = ParamSpec("P")
Extractor = TypeVar("Extractor", bound=Callable[..., object])
Opener = TypeVar("Opener", bound=Callable[..., Awaitable[Mapping[str, str] | None]])
Brought = Page | File | Sequence[Page | File] | None
"""What a visiting function may give back. It is kept as `page`; several are kept under that one name."""
VisitFunction = Callable[P, Awaitable[Brought]]

_LONGEST_NAME = 200


class Options(TypedDict, total=False):
    """What can be declared of a scraper. All but `site` have a default; a job's policy and the site's come first."""

    site: Required[str]
    version: str
    sentinels: Sequence[str | Mapping[str, str]]
    expect: Sequence[str]
    key: Sequence[str]
    rate: float | None
    concurrency: int | None
    window: Window | None
    lane: Literal["http", "browser"]
    repeatable: bool
    tiers: Sequence[str]
    fallback: str
    absent_when: Sequence[Sign]
    expired_when: Sequence[Sign]
    sessions: SessionTerms
    rules: Sequence[SiteRule]
    robots: bool
    profile: Profile


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration, checked."""

    name: str
    site: SitePolicy
    version: str = "1"
    sentinels: tuple[str | Mapping[str, str], ...] = ()
    expect: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    lane: str = "http"
    repeatable: bool = True
    tiers: tuple[str, ...] = ()
    fallback: str = ""
    absent_when: tuple[Sign, ...] = ()
    expired_when: tuple[Sign, ...] = ()
    sessions: SessionTerms | None = None
    rules: tuple[SiteRule, ...] = ()
    robots: bool = True
    profile: Profile = ""


@dataclass(slots=True)
class Scraper(Generic[P]):
    """An author's scraper. Still callable as the function that it was, so that it can be tried by hand."""

    declared: Declared
    function: VisitFunction[P]
    visiting: VisitPlan
    reading: ReadPlan | None = field(default=None)
    opening: OpenPlan | None = field(default=None)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Awaitable[Brought]:
        return self.function(*args, **kwargs)

    def extractor(self, function: Extractor) -> Extractor:
        """Declare the pure function that reads this scraper's captures. It is given back unchanged."""
        if self.reading is not None:
            raise Misdeclared(f"{self.declared.name} has an extractor already; a scraper has one.")
        self.reading = plan_reading(self.declared.name, function, self.visiting.inputs)
        return function

    @overload
    def open_session(self, function: Opener, /) -> Opener: ...

    @overload
    def open_session(self, function: None = None, /, **secrets: str) -> Callable[[Opener], Opener]: ...

    def open_session(self, function: Opener | None = None, /, **secrets: str) -> Opener | Callable[[Opener], Opener]:
        """Declare the async function that opens a session: a login, or a disclaimer to agree to. It is done once for
        each session, not for each item, and again when the site has forgotten the session.

        Its parameters are an `Http` and, for a login, `Secret`s that are named by reference:
        `@bill.open_session(password="secret://briar-password")`. What it returns, a mapping of texts or nothing, is
        `visit.session` for the visits. If the site does not let us in it raises `LoginFailed`.
        """

        def declare(opener: Opener) -> Opener:
            if self.opening is not None:
                raise Misdeclared(f"{self.declared.name} has an open_session already; a scraper has one.")
            self.opening = plan_opening(self.declared.name, opener, secrets)
            return opener

        return declare if function is None else declare(function)

    @property
    def expected(self) -> tuple[str, ...]:
        """The captures a visit must bring home: those declared, then those the extractor cannot do without."""
        needed = self.reading.needed if self.reading is not None else ()
        return tuple(dict.fromkeys((*self.declared.expect, *needed)))

    def complete(self) -> None:
        """Refuse a declaration that could not tell a success from a block page."""
        if not self.expected:
            raise Misdeclared(
                f"{self.declared.name} does not say what a visit must bring home; add an extractor with a required "
                'page, or expect=["page"] to the declaration.'
            )


def scraper(name: str, **options: Unpack[Options]) -> Callable[[VisitFunction[P]], Scraper[P]]:
    """Declare a scraper: `@scraper("us.ca.alameda.assessment", site="assessor.example")` on an async function.

    `rate` is requests per second on the site and None means no limit; `key` names the input fields that make an
    item's key; `sentinels` are inputs that are known to exist; `expect` names the captures a visit must keep.

    `robots=False` visits what the site's robots.txt asks not to visit, which is logged. `profile="chrome"` looks like
    that browser to a site that refuses plain clients: its TLS and HTTP/2 handshakes, and its headers.

    `tiers` is the ladder of ways to the site, the cheapest first; `fallback` names another scraper of the same inputs
    that takes over above it.

    `absent_when` lists how the site says that it has no such record: words that a person would see, a selector after
    `css:`, or a function of the page; `expired_when` lists in the same way how it says that it has forgotten our
    session. `sessions` is how long a session is used and by whom; without it, and without an `open_session`, every
    visit has a session of its own. `rules` say what its pages mean that the common rules do not know.
    """
    declared = _declared(name, options)

    def declare(function: VisitFunction[P]) -> Scraper[P]:
        plan = plan_visit(name, function)
        unknown = [field for field in declared.key if field not in plan.inputs.model_fields]
        if unknown:
            raise Misdeclared(f"{name}: key names {unknown[0]!r}, which {plan.inputs.__name__} does not have.")
        return Scraper(declared, function, plan)

    return declare


def _declared(name: str, options: Options) -> Declared:
    if not name or len(name) > _LONGEST_NAME or any(sign.isspace() or not sign.isprintable() for sign in name):
        raise Misdeclared(f"{name[:_LONGEST_NAME]!r} is no name for a scraper; take words with dots between them.")
    _check_options(name, options)
    rate, concurrency = options.get("rate", 5.0), options.get("concurrency", 8)
    if (rate is not None and rate <= 0) or (concurrency is not None and concurrency < 1):
        raise Misdeclared(f"{name}: rate and concurrency are above zero, or None for no limit.")
    tiers = tuple(options.get("tiers", ()))
    trouble = ladder_trouble(tiers) if tiers else None
    if trouble is not None:
        raise Misdeclared(f"{name}: {trouble}.")
    lane = options.get("lane", "http")
    if lane not in {"http", "browser"}:
        raise Misdeclared(f'{name}: lane is "http" or "browser", not {lane!r}.')
    profile = options.get("profile", "")
    if profile not in get_args(Profile):
        raise Misdeclared(f"{name}: profile is one of {', '.join(get_args(Profile)[1:])}, not {profile!r}.")
    return Declared(
        name=name,
        site=SitePolicy(options["site"], rate, concurrency, options.get("window")),
        version=str(options.get("version", "1")),
        sentinels=tuple(options.get("sentinels", ())),
        expect=tuple(options.get("expect", ())),
        key=tuple(options.get("key", ())),
        lane=lane,
        repeatable=options.get("repeatable", True),
        tiers=tiers,
        fallback=_other(name, options.get("fallback", "")),
        absent_when=tuple(options.get("absent_when", ())),
        expired_when=tuple(options.get("expired_when", ())),
        sessions=_checked_terms(name, options.get("sessions")),
        rules=_checked_rules(name, options.get("rules", ())),
        robots=options.get("robots", True),
        profile=profile,
    )


def _other(name: str, fallback: object) -> str:
    if not isinstance(fallback, str) or fallback == name:
        raise Misdeclared(f"{name}: fallback is the name of another scraper.")
    return fallback


def _check_options(name: str, options: Options) -> None:
    """Refuse what is no option, and a text where a list is asked for: its letters would be taken one by one."""
    known = Options.__annotations__
    for option in options:
        if option not in known:
            near = get_close_matches(option, known, n=1)
            meant = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(sorted(known))}."
            raise Misdeclared(f"{name}: {option} is no option of a scraper{meant}")
    for option in ("sentinels", "expect", "key", "tiers", "absent_when", "expired_when"):
        if isinstance(options.get(option), str):
            raise Misdeclared(f"{name}: {option} takes a list; write {option}=[{options.get(option)!r}].")
    for option in ("absent_when", "expired_when"):
        for sign in cast("Sequence[object]", options.get(option, ())):
            if not (callable(sign) or (isinstance(sign, str) and sign.removeprefix(CSS).strip())):
                raise Misdeclared(f"{name}: {option} takes words, 'css:' with a selector, or functions; not {sign!r}.")


def _checked_terms(name: str, terms: object) -> SessionTerms | None:
    if terms is None:
        return None
    if not isinstance(terms, SessionTerms):
        raise Misdeclared(f"{name}: sessions takes SessionTerms(...), not {type(terms).__name__}.")
    trouble = terms_trouble(terms)
    if trouble is not None:
        raise Misdeclared(f"{name}: in its SessionTerms, {trouble}.")
    return terms


def _checked_rules(name: str, rules: Sequence[object]) -> tuple[SiteRule, ...]:
    sound: list[SiteRule] = []
    if len(rules) > MOST_RULES:
        raise Misdeclared(f"{name}: {len(rules)} rules are too many; a site needs {MOST_RULES} at the most.")
    for rule in rules:
        if not isinstance(rule, SiteRule):
            raise Misdeclared(f"{name}: rules takes SiteRule values, not {type(rule).__name__}.")
        trouble = rule_trouble(rule)
        if trouble is not None:
            raise Misdeclared(f"{name}: the rule {rule.name[:80]!r} {trouble}.")
        sound.append(rule)
    return tuple(sound)
