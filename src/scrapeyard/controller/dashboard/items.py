"""Pages on items: a table that is filtered, and the whole story of one item with the pages that it kept.

A kept page is a stranger's. It is shown in a frame without scripts, forms, cookies or an origin of its own, by a header
that holds even when somebody opens its address by itself; whatever else it wants from the network, it does not get.
"""

import asyncio
from collections.abc import Sequence
from urllib.parse import quote, urlencode

import msgspec
from fastapi import Response

from scrapeyard.controller.api.office import Office
from scrapeyard.controller.dashboard.front import Ask, Front, Sheet
from scrapeyard.model.ask import ItemRecord
from scrapeyard.model.errors import NotFound
from scrapeyard.model.item import Item, Selection
from scrapeyard.model.job import Job
from scrapeyard.model.states import VisitState

PAGE = 50
MOST_ROWS = 200
_EARLIER = 50
_STATES = frozenset(VisitState)
_FRAMED = {
    "Content-Security-Policy": (
        "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-store",
}
_SHOWN = ("text/html", "text/plain", "application/xhtml+xml", "image/png", "image/jpeg", "image/gif", "image/webp")
"""What a frame may show as what it is. JSON and the like are shown as text; everything else is a file to be saved."""
_AS_TEXT = ("json", "xml", "csv", "javascript")


class Table(msgspec.Struct, frozen=True):
    """The records of one model, side by side."""

    model: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Change(msgspec.Struct, frozen=True):
    """A field that is otherwise than before."""

    field: str
    before: str
    now: str


class Changes(msgspec.Struct, frozen=True):
    """What is otherwise than in an earlier job."""

    job: Job
    fields: tuple[Change, ...]


class ItemPages:
    """See the module."""

    def __init__(self, office: Office) -> None:
        self._jobs = office.service.jobs
        self._items = office.service.items
        self._results = office.service.results

    def add_to(self, front: Front) -> None:
        """Add them all."""
        front.page("/jobs/{job}/items", self.items)
        front.page("/jobs/{job}/item", self.item)
        front.page("/jobs/{job}/kept", self.kept)

    async def items(self, ask: Ask) -> Sheet:
        """A job's items, filtered."""
        job = await self._jobs.get(ask.part("job"))
        asked = {name: ask.query(name) for name in ("state", "kind", "text", "key")}
        selection = selection_of(asked)
        found = await self._items.find(job.id, selection, after=ask.number("after", -1), limit=PAGE)
        status = await self._jobs.status(job.id)
        more = urlencode({**asked, "after": found[-1].seq}) if len(found) == PAGE else ""
        return Sheet(
            "items.html",
            f"Items of {job.name}",
            job=job,
            items=found,
            asked=asked,
            more=more,
            states=list(VisitState),
            kinds=list(status.tally.failed),
        )

    async def item(self, ask: Ask) -> Sheet:
        """One item."""
        name, key = ask.part("job"), ask.request.query_params.get("key", "")
        job, story = await asyncio.gather(self._jobs.get(name), self._items.story(name, key))
        names = list(dict.fromkeys(capture.name for capture in story.item.captures))
        chosen = ask.query("page") or (names[-1] if names else "")
        return Sheet(
            "item.html",
            f"{story.item.key} of {job.name}",
            job=job,
            item=story.item,
            attempts=story.attempts[::-1],
            captures=story.item.captures,
            chosen=next((capture for capture in story.item.captures[::-1] if capture.name == chosen), None),
            tables=await self._tables(job.id, story.item),
            changes=await self._changes(job, story.item),
            address=f"/jobs/{quote(job.id)}/item?{urlencode({'key': story.item.key})}",
            framed=f"/jobs/{quote(job.id)}/kept?{urlencode({'key': story.item.key, 'name': chosen})}",
        )

    async def _tables(self, job: str, item: Item) -> list[Table]:
        return [] if item.records is None else tables_of(await self._results.records(job, item.key))

    async def _changes(self, job: Job, item: Item) -> Changes | None:
        """What is otherwise than in the last earlier job of this scraper that has records of the item."""
        if item.records is None:
            return None
        for earlier in await self._jobs.find(limit=_EARLIER):
            if earlier.created >= job.created or earlier.scraper.name != job.scraper.name:
                continue
            try:
                before = await self._results.records(earlier.id, item.key)
            except NotFound:
                continue
            if before:
                return Changes(earlier, changes_of(before, await self._results.records(job.id, item.key)))
        return None

    async def kept(self, ask: Ask) -> Response:
        """One kept page, to be framed; a file is saved."""
        key, name = ask.request.query_params.get("key", ""), ask.query("name") or None
        kept = await self._results.capture(ask.part("job"), key, name)
        body = kept.body if kept.path is None else await asyncio.to_thread(kept.path.read_bytes)
        plain = kept.content_type.partition(";")[0].strip().lower()
        if plain in _SHOWN:
            return Response(
                body, headers=_FRAMED, media_type=plain if plain.startswith("image/") else kept.content_type
            )
        if any(word in plain for word in _AS_TEXT):
            return Response(body, headers=_FRAMED, media_type="text/plain")
        ending = ".pdf" if plain == "application/pdf" else ""
        saved = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(kept.name)}{ending}"}
        return Response(body, headers={**_FRAMED, **saved}, media_type="application/octet-stream")


def tables_of(records: Sequence[ItemRecord]) -> list[Table]:
    """A table for each model; as many rows as a person looks at."""
    found: dict[str, list[dict[str, object]]] = {}
    for record in records:
        found.setdefault(record.model, []).append(msgspec.json.decode(record.fields, type=dict[str, object]))
    return [_table(model, rows[:MOST_ROWS]) for model, rows in found.items()]


def changes_of(before: Sequence[ItemRecord], now: Sequence[ItemRecord]) -> tuple[Change, ...]:
    """Field by field, record by record in their order."""
    old, new = _flat(before), _flat(now)
    return tuple(
        Change(name, old.get(name, ""), new.get(name, ""))
        for name in dict.fromkeys((*new, *old))
        if old.get(name) != new.get(name)
    )[:MOST_ROWS]


def _flat(records: Sequence[ItemRecord]) -> dict[str, str]:
    fields = [(record.model, msgspec.json.decode(record.fields, type=dict[str, object])) for record in records]
    several = len(fields) > 1
    return {
        f"{model} {place + 1}: {name}" if several else name: _cell(value)
        for place, (model, each) in enumerate(fields)
        for name, value in each.items()
    }


def _table(model: str, rows: list[dict[str, object]]) -> Table:
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    return Table(model, columns, tuple(tuple(_cell(row.get(name)) for name in columns) for row in rows))


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def selection_of(asked: dict[str, str]) -> Selection:
    """What a filter means. Words that are no state are no filter."""
    state, kind, key = asked.get("state", ""), asked.get("kind", ""), asked.get("key", "")
    return Selection(
        states=frozenset({VisitState(state)}) if state in _STATES else frozenset(),
        kinds=frozenset({kind}) if kind else frozenset(),
        keys=frozenset({key}) if key else frozenset(),
        text=asked.get("text", ""),
    )
