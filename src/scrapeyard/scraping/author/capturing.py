"""An extractor called with what it asks for: captures by name, as pages or files; its answer as a list of records."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import cast

from scrapeyard.model.capture import Kept
from scrapeyard.model.record import Inputs, Record
from scrapeyard.pages.errors import PageError
from scrapeyard.pages.files import File
from scrapeyard.pages.page import Page
from scrapeyard.reading.limits import MOST_RECORDS
from scrapeyard.reading.run import BadRecords
from scrapeyard.scraping.author.binding import CaptureSlot, ReadPlan


def extract(plan: ReadPlan, inputs: Inputs, captures: Sequence[Kept]) -> Sequence[Record]:
    """Run an extractor. Raises what it raises; a capture that it needs and that is not there raises PARSE_EMPTY."""
    given: dict[str, object] = {slot.name: _given(slot, captures) for slot in plan.slots}
    if plan.inputs_name is not None:
        given[plan.inputs_name] = inputs
    return _records(plan.function(**given), plan.records)


def _given(slot: CaptureSlot, captures: Sequence[Kept]) -> object:
    make: Callable[[Kept], Page | File] = _page if slot.wanted is Page else _file
    if slot.many:
        return [make(kept) for kept in captures if kept.name == slot.name]
    for kept in reversed(captures):
        if kept.name == slot.name:
            return make(kept)
    if slot.optional:
        return None
    raise PageError(f"The visit kept nothing named {slot.name!r}, which the extractor needs.")


def _page(kept: Kept) -> Page:
    body = kept.body if kept.path is None else kept.path.read_bytes()
    return Page(body, kept.url, kept.status, kept.headers, name=kept.name)


def _file(kept: Kept) -> File:
    if kept.path is not None:
        return File(kept.name, path=kept.path, content_type=kept.content_type, url=kept.url)
    return File(kept.name, body=kept.body, content_type=kept.content_type, url=kept.url)


def _records(answer: object, models: tuple[type[Record], ...]) -> Sequence[Record]:
    if answer is None:
        return ()
    if isinstance(answer, Record):
        return (_declared(answer, models),)
    if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
        raise BadRecords(f"the extractor gave {type(answer).__name__}, which is not a record")
    rows = cast("Iterable[object]", answer)
    return [_declared(row, models) for row in islice(rows, MOST_RECORDS + 1)]


def _declared(row: object, models: tuple[type[Record], ...]) -> Record:
    if isinstance(row, models):
        return row
    names = " or ".join(model.__name__ for model in models)
    raise BadRecords(f"the extractor gave {type(row).__name__} where it promises {names}")
