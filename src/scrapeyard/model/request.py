"""What a caller from outside sends: the same wishes as within, in words that need nothing but JSON."""

import msgspec

from scrapeyard.model.event import Event
from scrapeyard.model.item import Item, Selection
from scrapeyard.model.policy import Policy


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


class RedriveRequest(msgspec.Struct, frozen=True):
    """Which final items to run again; an empty selection means the failed and the uncertain ones.

    `version` is `latest`, or the start of a digest: the job goes on with that version of its scraper.
    """

    selection: Selection = Selection()
    dry_run: bool = False
    version: str = ""
