"""Operations on single items: list them, look at one, put some back."""

import msgspec

from scrapeyard.controller.api.door import Call, Door
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.once import once
from scrapeyard.controller.api.operation import Operation
from scrapeyard.model.access import Scope
from scrapeyard.model.ask import ItemStory, Redriven
from scrapeyard.model.item import Selection
from scrapeyard.model.request import ItemPage, RedriveRequest
from scrapeyard.model.states import VisitState


class ItemQuery(msgspec.Struct, frozen=True):
    """Which items: `after` is the `seq` of the last one that you have seen."""

    state: tuple[VisitState, ...] = ()
    kind: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    text: str = ""
    unreadable: bool = False
    since: float | None = None
    until: float | None = None
    after: int = -1
    limit: int = 100


class KeyQuery(msgspec.Struct, frozen=True):
    """One item, by its key."""

    key: str


class ItemRoutes:
    """The operations, over one office."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._items = office.service.items

    def add_to(self, door: Door) -> None:
        """Add them all."""
        job = "/v1/jobs/{job}"
        door.add(Operation(f"GET {job}/items", Scope.READ, asks=ItemQuery, gives=ItemPage), self.list_items)
        door.add(Operation(f"GET {job}/item", Scope.READ, asks=KeyQuery, gives=ItemStory), self.show_item)
        redrive = Operation(f"POST {job}/redrive", Scope.OPERATE, takes=RedriveRequest, gives=Redriven, once=True)
        door.add(redrive, self.redrive_items)

    async def list_items(self, call: Call) -> ItemPage:
        """List a job's items by state, kind, key, text and time."""
        asked = call.asked(ItemQuery)
        selection = Selection(
            states=frozenset(asked.state),
            kinds=frozenset(asked.kind),
            keys=frozenset(asked.key),
            text=asked.text,
            unreadable=asked.unreadable,
            since=asked.since,
            until=asked.until,
        )
        found = await self._items.find(call.part("job"), selection, after=asked.after, limit=asked.limit)
        return ItemPage(tuple(found), found[-1].seq if len(found) >= asked.limit else None)

    async def show_item(self, call: Call) -> ItemStory:
        """Show one item with every try."""
        return await self._items.story(call.part("job"), call.asked(KeyQuery).key)

    async def redrive_items(self, call: Call) -> Redriven:
        """Run selected final items again, or say how many that would be and what it would take.

        At most 10,000 keys at once; a longer list comes as several requests."""

        async def redrive(asked: RedriveRequest, _: str) -> Redriven:
            return await self._items.redrive(
                call.part("job"), asked.selection, dry_run=asked.dry_run, version=asked.version
            )

        return await once(self._office, call, RedriveRequest, Redriven, redrive)
