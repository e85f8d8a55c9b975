"""What a caller from outside sends: the same wishes as within, in words that need nothing but JSON."""

from typing import Literal

import msgspec

from scrapeyard.model.ask import ExportOrder
from scrapeyard.model.event import Event
from scrapeyard.model.item import Item, Selection
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import VisitState


class JobRequest(msgspec.Struct, frozen=True):
    """A job as somebody wants it: under `name`, else under the scraper's. `fresh` begins another of that name.

    With `digest`, only that very version of the scraper will do; without it, the one that is there.
    """

    scraper: str
    name: str = ""
    policy: Policy = Policy()
    source: str = ""
    fresh: bool = False
    digest: str = ""


class Reason(msgspec.Struct, frozen=True):
    """Why, for those who look later."""

    reason: str = ""


class ItemPage(msgspec.Struct, frozen=True):
    """Some items in the order of the list; `after` asks for the next, and is null at the end."""

    items: tuple[Item, ...]
    after: int | None = None


class EventPage(msgspec.Struct, frozen=True):
    """What happened, oldest first; the `id` of the last one asks for the next."""

    events: tuple[Event, ...]


class CloneRequest(msgspec.Struct, frozen=True):
    """A job again, under `name` or the same name: all of its items or the selected ones, under its own policy or
    another. It runs the version of its scraper that is there now."""

    name: str = ""
    selection: Selection = Selection()
    policy: Policy | None = None


class Link(msgspec.Struct, frozen=True):
    """An address that anybody may fetch until a moment."""

    url: str
    until: float


class ExportRequest(msgspec.Struct, frozen=True):
    """What to hand over, and how. Empty `fields` means all of them; empty `models` every record model."""

    format: Literal["csv", "jsonl", "parquet"] = "csv"
    models: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    outcomes: frozenset[VisitState] = frozenset()
    include_attempts: bool = False
    rows_per_file: int | None = None
    formula_safe: bool = True

    def order(self, folder: str) -> ExportOrder:
        """The same as an order for this machine."""
        return ExportOrder(
            self.format,
            folder,
            self.models,
            self.fields,
            frozenset(map(str, self.outcomes)),
            self.include_attempts,
            self.rows_per_file,
            self.formula_safe,
        )


class RedriveRequest(msgspec.Struct, frozen=True):
    """Which final items to run again; an empty selection means the failed and the uncertain ones.

    `version` is `latest`, or the start of a digest: the job goes on with that version of its scraper.
    """

    selection: Selection = Selection()
    dry_run: bool = False
    version: str = ""
