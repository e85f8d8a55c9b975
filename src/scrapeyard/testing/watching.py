"""See what an extractor reads: each field with its selector and value, and what stands near one that finds nothing.

An author who tries a scraper wants to know which of ten fields failed and what the page has instead. The extractor is
left as it is; it is given pages that take notes.
"""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

import msgspec

from scrapeyard.model.errors import VisitError
from scrapeyard.pages import Element, File, Page, PageError
from scrapeyard.pages.errors import cut
from scrapeyard.scraping.author.binding import ReadPlan

_READERS = frozenset(
    {"text", "texts", "number", "integer", "money", "date", "attr", "value_beside", "table", "link", "links", "css",
     "one", "xpath", "says", "json", "json_in_script", "form"}
)  # fmt: skip
_MOST_LOOKS = 500
_MOST_NEAR = 6


class Look(msgspec.Struct, frozen=True):
    """One question to a page. `found` is the answer in words; `missing` says that it raised."""

    page: str
    asked: str
    found: str
    missing: bool = False


class WatchedPage(Page):
    """A page that notes what it is asked. Elements that it gives are plain ones: a table of rows is one look."""

    __slots__ = ("_note",)

    def __init__(self, page: Page, note: Callable[[Look], None]) -> None:
        super().__init__(page.body, page.url, page.status, page.headers, name=page.name)
        self._note = note

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in _READERS:
            return found
        note: Callable[[Look], None] = super().__getattribute__("_note")
        page: str = super().__getattribute__("name") or "page"

        def watched(*args: Any, **kwargs: Any) -> Any:
            said = [*(repr(arg) for arg in args), *(f"{key}={value!r}" for key, value in kwargs.items())]
            asked = f"{name}({', '.join(said)})"
            try:
                answer = found(*args, **kwargs)
            except Exception as error:
                note(Look(page, cut(asked), cut(str(error)), missing=True))
                raise
            note(Look(page, cut(asked), in_words(answer)))
            return answer

        return watched


def watched(plan: ReadPlan, looks: list[Look]) -> ReadPlan:
    """The same extractor, given pages that take notes into `looks`."""

    def note(look: Look) -> None:
        if len(looks) < _MOST_LOOKS:
            looks.append(look)

    def seen(value: object) -> object:
        if isinstance(value, Page):
            return WatchedPage(value, note)
        return [seen(one) for one in value] if isinstance(value, list) else value  # type: ignore[reportUnknownVariableType] - any list

    def read(**given: object) -> object:
        return plan.function(**{name: seen(value) for name, value in given.items()})

    return plan._replace(function=read)


def in_words(answer: object) -> str:
    """An answer on one short line."""
    match answer:
        case Element():
            return cut(f"<{answer.tag}> {answer.text(default='')}")
        case Page() | File():
            return repr(answer)
        case list() if answer and isinstance(answer[0], Element):  # type: ignore[reportUnknownArgumentType] - any list
            return f"{len(answer)} elements"  # type: ignore[reportUnknownArgumentType] - any list
        case list() if answer and isinstance(answer[0], dict):  # type: ignore[reportUnknownArgumentType] - any list
            return cut(f"{len(answer)} rows: {', '.join(map(str, answer[0]))}")  # type: ignore[reportUnknownArgumentType] - any list
        case _:
            return cut(repr(answer))


def near(error: BaseException, pages: Sequence[Page]) -> list[str]:
    """What stands near the selector that an error names, on the page that it names."""
    wanted = getattr(error, "selector", "")
    url = getattr(error, "url", "")
    page = next((one for one in reversed(pages) if one.url == url), pages[-1] if pages else None)
    if not isinstance(error, VisitError) or not wanted or page is None:
        return []
    try:
        return _near(page, str(wanted).partition(" @")[0])
    except PageError:
        return []


def _near(page: Page, wanted: str) -> list[str]:
    """Marks that are spelt alike, or else the first marks of the page, with what they say."""
    marks: dict[str, Element] = {}
    for element in page.css("[id], [class]"):
        attrs = element.attrs
        for mark in [f"#{attrs['id']}"] if attrs.get("id") else [f".{name}" for name in attrs.get("class", "").split()]:
            marks.setdefault(mark, element)
        if len(marks) > 5_000:
            break
    last = (wanted.split() or [wanted])[-1]
    alike = get_close_matches(last, list(marks), n=_MOST_NEAR, cutoff=0.5)
    tail = last.lstrip("#.").lower()
    inside = [mark for mark in marks if len(tail) > 2 and (tail in mark.lower() or mark[1:].lower() in tail)]
    found = list(dict.fromkeys([*alike, *inside]))[:_MOST_NEAR] or list(marks)[:_MOST_NEAR]
    return [cut(f"{mark} <{marks[mark].tag}> {marks[mark].text(default='')}".strip()) for mark in found]
