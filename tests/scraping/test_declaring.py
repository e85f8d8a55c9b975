"""A scraper's declaration: what it binds, and the sentence for each way to get it wrong."""

from collections.abc import Generator, Iterator, Sequence
from typing import Annotated, Any

import pytest

from scrapeyard import (
    Date,
    File,
    Http,
    Inputs,
    Kind,
    Money,
    Page,
    Record,
    Scraper,
    SiteRule,
    Visit,
    Window,
    scraper,
)
from scrapeyard.model.policy import SitePolicy
from scrapeyard.scraping.author.binding import CaptureSlot, Gets, Misdeclared
from scrapeyard.scraping.author.card import card_of


class Parcel(Inputs):
    parcel_id: str
    year: int = 2025


class Other(Inputs):
    other: str


class Bill(Record):
    number: str
    amount: Money
    due: Date | None = None


class Owner(Record):
    name: str


def declared(**given: Any) -> Scraper[...]:
    options: Any = {"site": "tax.example"}
    options.update(given)

    @scraper("us.fl.leon.bill", **options)
    async def bill(parcel: Parcel, http: Http, visit: Visit) -> Page:
        """Bills of Leon County.

        More about them.
        """
        return await http.get("https://tax.example/")

    return bill


def wrong(name: str, function: Any, **given: Any) -> str:
    options: Any = {"site": "x.example"}
    options.update(given)
    with pytest.raises(Misdeclared) as raised:
        scraper(name, **options)(function)
    return str(raised.value)


def test_a_declaration_has_defaults_that_are_polite() -> None:
    plain = declared()
    assert plain.declared.site == SitePolicy("tax.example", rate=5.0, concurrency=8, window=None)
    assert (plain.declared.version, plain.declared.lane, plain.declared.repeatable) == ("1", "http", True)
    assert plain.visiting.inputs is Parcel
    assert dict(plain.visiting.slots) == {"parcel": Gets.INPUTS, "http": Gets.HTTP, "visit": Gets.VISIT}


def test_everything_can_be_declared() -> None:
    night = Window("America/New_York", start="20:00", end="06:00")
    made = declared(rate=None, concurrency=2, window=night, version=3, key=["parcel_id"], repeatable=False)
    assert made.declared.site == SitePolicy("tax.example", None, 2, night)
    assert (made.declared.version, made.declared.key, made.declared.repeatable) == ("3", ("parcel_id",), False)


async def test_a_declared_scraper_can_still_be_called() -> None:
    class Fake:
        async def get(self, url: str) -> str:
            return url

    fake: Any = Fake()
    assert await declared()(Parcel(parcel_id="1"), fake, fake) == "https://tax.example/"  # pyright: ignore[reportCallIssue] - any parameters


def test_an_extractor_is_given_back_unchanged_and_names_what_it_needs() -> None:
    made = declared(expect=["search"])

    @made.extractor
    def rows(
        parcel: Parcel, detail: Page, bill: File | None, pages: list[Page], maybe: Annotated[Page | None, "later"]
    ) -> Iterator[Bill | Owner]:
        yield Bill(number="1", amount="1.00")  # pyright: ignore[reportArgumentType] - text becomes money

    assert callable(rows)
    assert made.reading is not None
    assert made.reading.inputs_name == "parcel"
    assert made.reading.slots == (
        CaptureSlot("detail", Page),
        CaptureSlot("bill", File, optional=True),
        CaptureSlot("pages", Page, many=True),
        CaptureSlot("maybe", Page, optional=True),
    )
    assert made.reading.records == (Bill, Owner)
    assert made.expected == ("search", "detail")


@pytest.mark.parametrize(
    "hint",
    [Bill, Bill | None, list[Bill], Sequence[Bill], Iterator[Bill], Generator[Bill, None, None], tuple[Bill, ...]],
)
def test_an_extractor_may_give_one_record_or_many(hint: Any) -> None:
    made = declared()

    def rows(page: Page):
        return None

    rows.__annotations__["return"] = hint
    made.extractor(rows)
    assert made.reading is not None
    assert made.reading.records == (Bill,)


async def no_hints(parcel: Parcel, http: Http, extra):
    return None


async def odd_hint(parcel: Parcel, client: dict[str, str]) -> None:
    return None


async def no_inputs(http: Http) -> None:
    return None


async def starred(parcel: Parcel, *rest: Http) -> None:
    return None


async def fine(parcel: Parcel, http: Http) -> None:
    return None


def blocking(parcel: Parcel, http: Http) -> None:
    return None


async def unknown_name(parcel: Parcel, http: Http) -> None:
    return None


unknown_name.__annotations__["parcel"] = "Nowhere"


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (no_hints, "'extra' is without an annotation"),
        (odd_hint, "'client' is annotated as dict"),
        (no_inputs, "no parameter is annotated with an Inputs class"),
        (starred, "'rest' of starred must have a plain name"),
        (blocking, "blocking is not async"),
        (unknown_name, "'Nowhere' of unknown_name is not known"),
    ],
)
def test_a_visiting_function_that_cannot_be_bound_is_told_why(function: Any, said: str) -> None:
    told = wrong("my.scraper", function)
    assert said in told
    assert told.startswith("my.scraper: ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sentinels": "001"}, "sentinels takes a list; write sentinels=['001']"),
        ({"expect": "page"}, "expect takes a list"),
        ({"key": "parcel_id"}, "key takes a list"),
        ({"key": ["pin"]}, "key names 'pin', which Parcel does not have"),
        ({"rate": 0}, "rate and concurrency are above zero"),
        ({"rate": -1}, "rate and concurrency are above zero"),
        ({"concurrency": 0}, "rate and concurrency are above zero"),
        ({"lane": "ftp"}, 'lane is "http" or "browser"'),
        ({"sentinals": ["001"]}, "sentinals is no option of a scraper; did you mean sentinels?"),
        ({"absent_when": "no records"}, "absent_when takes a list; write absent_when=['no records']"),
        ({"absent_when": ["css: "]}, "absent_when takes words, 'css:' with a selector, or functions; not 'css: '"),
        ({"absent_when": [404]}, "or functions; not 404"),
        ({"rules": ["blocked"]}, "rules takes SiteRule values, not str"),
        ({"rules": [SiteRule("", Kind.BLOCKED, title="x")]}, "needs a name of up to 80 printable characters"),
        ({"rules": [SiteRule("wall", Kind.BLOCKED)]}, "the rule 'wall' has no condition"),
        ({"rules": [SiteRule("wall", Kind.BLOCKED, text=("",))]}, "takes text as a list of words"),
        ({"rules": [SiteRule("disk", Kind.STORAGE_ERROR, status=(500,))]}, "cannot say storage_error"),
        ({"rules": [SiteRule("wall", Kind.BLOCKED, status=(403,))] * 51}, "51 rules are too many"),
    ],
)
def test_an_option_that_makes_no_sense_is_told(options: dict[str, Any], said: str) -> None:
    assert said in wrong("my.scraper", fine, **options)


@pytest.mark.parametrize("name", ["", "two words", "tab\there", "x" * 201, "bad\x00"])
def test_a_name_is_one_printable_word(name: str) -> None:
    assert "is no name for a scraper" in wrong(name, fine)


def extractor_wrong(function: Any) -> str:
    made = declared()
    with pytest.raises(Misdeclared) as raised:
        made.extractor(function)
    assert made.reading is None
    return str(raised.value)


def test_an_extractor_that_cannot_be_bound_is_told_why() -> None:
    async def waits(page: Page) -> Bill: ...

    def other_inputs(other: Other, page: Page) -> Bill: ...

    def fetches(http: Http) -> Bill: ...

    def two_things(page: Page | File) -> Bill: ...

    def silent(page: Page): ...

    def words(page: Page) -> list[str]: ...

    def mixed(page: Page) -> Iterator[Bill | str]: ...

    class Namesake(Record):
        pass

    def twice(page: Page) -> Bill: ...

    Namesake.__name__ = "Bill"
    twice.__annotations__["return"] = Bill | Namesake
    assert "the extractor is async" in extractor_wrong(waits)
    assert "the extractor takes Other, the scraper Parcel" in extractor_wrong(other_inputs)
    assert "'http' is annotated as Http" in extractor_wrong(fetches)
    assert "annotate it with your Inputs class, or as Page, File" in extractor_wrong(two_things)
    for function in (silent, words, mixed):
        assert "does not say which records it gives" in extractor_wrong(function)
    assert "two record models have one name" in extractor_wrong(twice)


def test_a_scraper_has_one_extractor() -> None:
    made = declared()

    def read(page: Page) -> Bill: ...

    made.extractor(read)
    with pytest.raises(Misdeclared, match="has an extractor already"):
        made.extractor(read)


def test_a_scraper_that_could_not_tell_a_block_page_from_a_success_is_refused() -> None:
    with pytest.raises(Misdeclared, match=r'expect=\["page"\]'):
        card_of(declared(), "digest", "source.py")
    card_of(declared(expect=["page"]), "digest", "source.py")


def test_the_card_tells_everything_without_running_anything() -> None:
    made = declared(key=["parcel_id"], sentinels=["001", {"parcel_id": "002", "year": "2024"}])

    @made.extractor
    def read(page: Page) -> list[Bill]: ...

    card = card_of(made, "digest", "bills.py")
    assert (card.ref.name, card.ref.version, card.ref.digest) == ("us.fl.leon.bill", "1", "digest")
    assert (card.summary, card.source, card.has_extractor) == ("Bills of Leon County.", "bills.py", True)
    assert (card.key_fields, card.expect) == (("parcel_id",), ("page",))
    assert card.sentinels == ("001", '{"parcel_id":"002","year":"2024"}')
    properties: Any = card.record_schemas["Bill"]["properties"]
    assert properties["amount"]["format"] == "decimal"
    assert properties["amount"]["decimal_places"] == 2
    assert properties["due"]["anyOf"][0]["format"] == "date"
    assert card.input_schema["required"] == ["parcel_id", "year"] or card.input_schema["required"] == ["parcel_id"]
