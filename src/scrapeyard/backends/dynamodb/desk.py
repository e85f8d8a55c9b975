"""How far a job has come, in one small row: what is loaded, how far the feeding is, and which offers are out.

Whoever changes it has seen it as it is, so nothing here can be half done. Offers are out in pages. A fresh one is known
by where in the job's own order it stands; so a page of hundreds is three numbers, and no item's row is touched.
"""

from collections.abc import Iterator
from functools import lru_cache

import msgspec

from scrapeyard.backends.dynamodb.keys import desk_key
from scrapeyard.backends.dynamodb.table import Table
from scrapeyard.backends.dynamodb.values import Row, squeezed, unfolded
from scrapeyard.backends.rows import encode
from scrapeyard.model.job import Job
from scrapeyard.model.order import Permutation


class Page(msgspec.Struct, frozen=True, array_like=True):
    """Offers that were made together: first `again`, each with the fence of its last result, then fresh ones."""

    number: int
    until: float
    again: tuple[tuple[int, int], ...]
    start: int
    count: int

    def __len__(self) -> int:
        return len(self.again) + self.count


class Desk(msgspec.Struct, frozen=True, array_like=True):
    """One job's row. `turn` counts who may load; `pages` are numbered by `made`; `ahead` of the cursor, these were
    offered out of turn."""

    loaded: int = 0
    duplicates: int = 0
    sealed: bool = False
    turn: int = 0
    cursor: int = 0
    made: int = 0
    pages: tuple[Page, ...] = ()
    ahead: tuple[int, ...] = ()

    def order(self, job: Job) -> Permutation:
        """The order in which its items start."""
        return Permutation(self.loaded, job.order_key, job.policy.order)

    def window(self, job: Job, count: int) -> tuple[list[int], "Desk"]:
        """The next `count` fresh items in the job's own order, and the desk after them."""
        order, cursor, ahead = self.order(job), self.cursor, set(self.ahead)
        found: list[int] = []
        while len(found) < count and (window := order.window(cursor, count - len(found))):
            cursor += len(window)
            found += [seq for seq in window if seq not in ahead]
            ahead.difference_update(window)
        return found, msgspec.structs.replace(self, cursor=cursor, ahead=tuple(sorted(ahead)))

    def seqs(self, job: Job, page: Page) -> tuple[int, ...]:
        """Which items a page offers, in the order in which it does."""
        return _seqs(self.order(job), page)

    def find(self, job: Job, seq: int, until: float, fence: int) -> tuple[Page, int] | None:
        """The page that makes this very offer, after that result of the item, and the place in it."""
        for page in self.pages:
            place = _places(self.order(job), page).get(seq) if page.until == until else None
            if place is not None and fence == (page.again[place][1] if place < len(page.again) else 0):
                return page, place
        return None

    def out(self, job: Job) -> Iterator[tuple[int, int]]:
        """Everything that was offered and not taken back, each with the fence of its last result."""
        for page in self.pages:
            yield from page.again
            yield from ((seq, 0) for seq in self.seqs(job, page)[len(page.again) :])


_decode = msgspec.msgpack.Decoder(Desk).decode


class Seen(msgspec.Struct, frozen=True):
    """A desk as it was seen."""

    desk: Desk
    version: str


def seen(row: Row) -> Seen:
    """A row that was read."""
    return Seen(_decode(unfolded(row["d"])), row["v"])


def new_desk(job: str) -> Row:
    """The row of a job that has just been submitted."""
    part, sort = desk_key(job)
    return {"p": part, "s": sort, "d": squeezed(encode(Desk())), "v": "new"}


async def look(table: Table, job: str) -> Seen | None:
    """The desk as it is now."""
    row = await table.get(desk_key(job))
    return seen(row) if row is not None else None


async def keep(table: Table, job: str, before: Seen, desk: Desk) -> Seen | None:
    """Write it, if it is still as it was seen; gives it as it is then."""
    part, sort = desk_key(job)
    row: Row = {"p": part, "s": sort, "d": squeezed(encode(desk))}
    return Seen(desk, row["v"]) if await table.swap(row, before.version) else None


@lru_cache(maxsize=2_000)
def _seqs(order: Permutation, page: Page) -> tuple[int, ...]:
    return (*(seq for seq, _ in page.again), *order.window(page.start, page.count))


@lru_cache(maxsize=2_000)
def _places(order: Permutation, page: Page) -> dict[int, int]:
    return {seq: place for place, seq in enumerate(_seqs(order, page))}
