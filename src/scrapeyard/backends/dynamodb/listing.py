"""Which item stands at which place of a job's list: pages of digests, written while the list arrives.

Pages are the truth of the list. A row that no page names was left behind by a loading that was cut off, and is none of
the job's items. The pages of a sealed list never change, so each process remembers those it has read.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence

from scrapeyard.backends.dynamodb.keys import DIGEST, PER_PAGE, item_key, page_key
from scrapeyard.backends.dynamodb.rows import Stored, stored
from scrapeyard.backends.dynamodb.table import Table

_REMEMBERED = 20_000
"""Pages that a process remembers: 80 MB when all are full, for five million items."""


class Listing:
    """The lists of all jobs."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._known: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._sealed: set[str] = set()

    def sealed(self, job: str) -> None:
        """This list has been seen to be complete."""
        self._sealed.add(job)

    async def digests(self, job: str, seqs: Iterable[int]) -> dict[int, bytes]:
        """The digests at these places; places beyond the list have none."""
        wanted = list(seqs)
        pages = await self._pages(job, sorted({seq // PER_PAGE for seq in wanted}))
        found: dict[int, bytes] = {}
        for seq in wanted:
            place = seq % PER_PAGE * DIGEST
            digest = pages.get(seq // PER_PAGE, b"")[place : place + DIGEST]
            if len(digest) == DIGEST:
                found[seq] = digest
        return found

    async def rows(self, job: str, seqs: Sequence[int], *, consistent: bool = True) -> dict[int, Stored]:
        """The items at these places, as far as there are any."""
        digests = await self.digests(job, seqs)
        keys = {seq: item_key(job, digest) for seq, digest in digests.items()}
        found = await self._table.get_many(list(keys.values()), consistent=consistent)
        if not consistent and (missing := [key for key in keys.values() if key not in found]):
            found |= await self._table.get_many(missing)  # loaded so lately that not every copy has it
        return {seq: stored(found[key]) for seq, key in keys.items() if key in found}

    async def _pages(self, job: str, numbers: Sequence[int]) -> dict[int, bytes]:
        found: dict[int, bytes] = {}
        for number in numbers:
            known = self._known.get((job, number))
            if known is not None:
                self._known.move_to_end((job, number))
                found[number] = known
        keys = {page_key(job, number): number for number in numbers if number not in found}
        for key, row in (await self._table.get_many(list(keys))).items():
            found[keys[key]] = row["h"]
            if job in self._sealed:
                self._known[job, keys[key]] = row["h"]
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found
