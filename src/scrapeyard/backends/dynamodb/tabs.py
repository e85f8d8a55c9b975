"""What each worker holds of a job and has recorded there: one row for each of the two, and one writer for each row.

Taking writes the row once for all that is taken together; settling writes it once for all that is settled together,
with the counters in it. An entry leaves the list of what is held in the very writing that counts its result. So after a
crash between an item's row and this one it is known which results were recorded and not counted yet, and a repeated
addition cannot happen: there are no additions, only versions.
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from scrapeyard.backends.aws.client import Json
from scrapeyard.backends.counting import Counting
from scrapeyard.backends.dynamodb.desk import Desk, Page
from scrapeyard.backends.dynamodb.keys import tab_part, tab_parts
from scrapeyard.backends.dynamodb.table import Key, Table
from scrapeyard.backends.dynamodb.together import deleting, putting, together
from scrapeyard.backends.dynamodb.values import Row, squeezed, unfolded
from scrapeyard.backends.rows import encode
from scrapeyard.model.item import Offer
from scrapeyard.model.states import FINAL_VISITS

HOUSE = "~"
"""The tab of nobody: what workers leave behind when they go, and what is counted without one."""

_KEPT = frozenset(f"state.{state}" for state in FINAL_VISITS)


class Held(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """A lease: the item, its fence, and what of its offer stands nowhere else."""

    seq: int
    fence: int
    until: float
    attempt: int
    tier: str = "direct"
    way: int = 0
    probe: bool = False


class Tab(msgspec.Struct, frozen=True, array_like=True):
    """One worker's. `taken` has a bit for each offer that it took of a page that is still out."""

    held: tuple[Held, ...] = ()
    taken: dict[int, bytes] = {}
    counters: dict[str, int] = {}

    def taking(self, entries: Iterable[tuple[Held, int, int]], desk: Desk) -> "Tab":
        """With these leases too, each with the page it was offered on and its place there."""
        out = {page.number for page in desk.pages}
        bits = {number: int.from_bytes(said, "little") for number, said in self.taken.items() if number in out}
        held = list(self.held)
        for entry, number, place in entries:
            held.append(entry)
            bits[number] = bits.get(number, 0) | 1 << place
        return Tab(tuple(held), {number: _bytes(value) for number, value in bits.items()}, self.counters)

    def without(self, seqs: Mapping[int, int], counting: Counting) -> "Tab":
        """Without the leases of these items under these fences, and with what is counted for them."""
        held = tuple(one for one in self.held if seqs.get(one.seq) != one.fence)
        return Tab(held, self.taken, _sum(self.counters, counting.changes))


class SeenTab(msgspec.Struct, frozen=True):
    """A tab as it was seen; without a version it is not there."""

    worker: str
    tab: Tab
    version: str | None


_decode = msgspec.msgpack.Decoder(Tab).decode


def held_of(offer: Offer, fence: int) -> Held:
    """A lease on this offer."""
    return Held(offer.seq, fence, offer.until, offer.attempt, offer.tier, offer.way, offer.probe)


def offer_again(held: Held, offer: Offer) -> Offer:
    """The offer as it was shown when the lease was taken."""
    return msgspec.structs.replace(offer, until=held.until, tier=held.tier, way=held.way, probe=held.probe)


class Tabs:
    """The tabs of all jobs. Tasks of one process that want the same one take turns."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._known: dict[tuple[str, str], SeenTab] = {}
        self._turns: dict[tuple[str, str], asyncio.Lock] = {}

    def turn(self, job: str, worker: str) -> asyncio.Lock:
        """To be held while a tab is changed."""
        return self._turns.setdefault((job, worker), asyncio.Lock())

    async def get(self, job: str, worker: str, *, anew: bool = False) -> SeenTab:
        """A worker's tab. Its own process may trust what it wrote last; a version that is out of date is noticed."""
        known = None if anew else self._known.get((job, worker))
        if known is None:
            row = await self._table.get(_key(job, worker))
            known = _seen(row) if row is not None else SeenTab(worker, Tab(), None)
        return known

    async def keep(self, job: str, before: SeenTab, tab: Tab) -> bool:
        """Write it, if it is still as it was seen."""
        part, sort = _key(job, before.worker)
        row: Row = {"p": part, "s": sort, "d": squeezed(encode(tab))}
        done = await self._table.swap(row, before.version)
        if done:
            self._known[job, before.worker] = SeenTab(before.worker, tab, row["v"])
        else:
            self._known.pop((job, before.worker), None)
        return done

    def putting(self, job: str, before: SeenTab, tab: Tab) -> Json:
        """The same as a part of something larger; whatever becomes of it, what was known is out of date."""
        part, sort = _key(job, before.worker)
        self._known.pop((job, before.worker), None)
        row: Row = {"p": part, "s": sort, "d": squeezed(encode(tab)), "v": secrets.token_hex(5)}
        if before.version is None:
            return putting(self._table, row, "attribute_not_exists(p)")
        return putting(self._table, row, "v = :seen", seen=before.version)

    async def all(self, job: str) -> list[SeenTab]:
        """Every tab of a job, as they are now."""

        async def part_of(part: str) -> list[SeenTab]:
            return [_seen(row) async for row in self._table.query(part)]

        parts = await asyncio.gather(*map(part_of, tab_parts(job)))
        return [one for part in parts for one in part]

    async def count(self, job: str, counting: Counting) -> None:
        """Count something on nobody's tab."""
        async with self.turn(job, HOUSE):
            while True:
                house = await self.get(job, HOUSE)
                if await self.keep(job, house, house.tab.without({}, counting)):
                    return

    async def close_out(self, job: str, seen: SeenTab) -> bool:
        """Give a tab without leases to the house, so that there are not more and more of them."""
        async with self.turn(job, HOUSE):
            house = await self.get(job, HOUSE, anew=True)
            put = self.putting(job, house, _merged(house.tab, seen.tab))
            gone = deleting(self._table, _key(job, seen.worker), "v = :seen", seen=seen.version or "")
            done = await together(self._table, [put, gone])
            self._known.pop((job, seen.worker), None)
            return done


def counters_of(tabs: Iterable[SeenTab]) -> Counter[str]:
    """What was counted on all of them."""
    total: Counter[str] = Counter()
    for one in tabs:
        total.update(one.tab.counters)
    return total


def holders(tabs: Iterable[SeenTab]) -> dict[int, tuple[str, Held]]:
    """Who holds which item. Where two do, one of them is told."""
    return {held.seq: (one.worker, held) for one in tabs for held in one.tab.held}


def untaken(page: Page, tabs: Iterable[SeenTab]) -> list[int]:
    """The places of a page that nobody has taken."""
    bits = 0
    for one in tabs:
        bits |= int.from_bytes(one.tab.taken.get(page.number, b""), "little")
    return [place for place in range(len(page)) if not bits >> place & 1]


def counted_for(changes: Mapping[str, int]) -> dict[str, int]:
    """Without the states that are known from desk and tabs."""
    return {
        name: value
        for name, value in changes.items()
        if value and (not name.startswith("state.") or name in _KEPT) and name not in ("loaded", "duplicates")
    }


def _sum(counters: Mapping[str, int], changes: Mapping[str, int]) -> dict[str, int]:
    total = Counter(counters)
    total.update(counted_for(changes))
    return {name: value for name, value in total.items() if value}


def _merged(house: Tab, other: Tab) -> Tab:
    bits = {number: int.from_bytes(said, "little") for number, said in house.taken.items()}
    for number, said in other.taken.items():
        bits[number] = bits.get(number, 0) | int.from_bytes(said, "little")
    return Tab(
        house.held, {number: _bytes(value) for number, value in bits.items()}, _sum(house.counters, other.counters)
    )


def _bytes(bits: int) -> bytes:
    return bits.to_bytes((bits.bit_length() + 7) // 8, "little")


def _key(job: str, worker: str) -> Key:
    return tab_part(job, worker), worker.encode()


def _seen(row: Row) -> SeenTab:
    return SeenTab(row["s"].decode(), _decode(unfolded(row["d"])), row["v"])
