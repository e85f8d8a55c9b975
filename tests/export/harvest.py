"""A job whose items have ended, with what they brought home, ready to be handed over."""

import datetime
import enum
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from results.shelf import a_page
from scrapeyard.backends.files.blobs import FileBlobs
from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.export.run import export
from scrapeyard.model.ask import ExportOrder
from scrapeyard.model.errors import Absent
from scrapeyard.model.item import Settlement
from scrapeyard.model.policy import SitePolicy
from scrapeyard.model.record import Date, Money, Record
from scrapeyard.model.scraper import ScraperCard, ScraperRef
from scrapeyard.model.states import ReadingState, VisitState
from scrapeyard.results.reader import ResultReader
from scrapeyard.results.writer import RecordSlot, SegmentWriter
from scrapeyard.scraping.author.card import RowSchema
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.testing.scenes import Scene, ended, failed, staged


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Part(Record):
    area: float


class Bill(Record):
    """A record with a field of every kind."""

    parcel_id: str
    owner: str | None = None
    amount: Money | None = None
    due: Date | None = None
    seen: datetime.datetime | None = None
    units: int | None = None
    share: float | None = None
    paid: bool | None = None
    colour: Colour | None = None
    tags: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    ratio: Decimal | None = None


class Owner(Record):
    name: str


def a_card(*models: type[Record]) -> ScraperCard:
    schemas = {m.__name__: m.model_json_schema(schema_generator=RowSchema, mode="serialization") for m in models}
    return ScraperCard(ScraperRef("us.fl.leon.bill", "1", "9f"), SitePolicy("tax.example"), record_schemas=schemas)


CARD = a_card(Bill, Owner)

Rows = Sequence[Record] | Sequence[tuple[str, bytes]]
Crop = Callable[[int], Rows | Absent | str]
"""What item n has: its records, `Absent`, or the kind of its failure."""


def ask(question: str, path: Path) -> list[Any]:
    """What DuckDB answers about a file."""
    answer = duckdb.sql(question.format(path))
    assert answer is not None
    return answer.fetchall()


def names_in(folder: Path) -> list[str]:
    """What a folder holds."""
    return sorted(path.name for path in folder.iterdir())


def packed(rows: Rows) -> list[tuple[str, bytes]]:
    return [row if isinstance(row, tuple) else (type(row).__name__, row.model_dump_json().encode()) for row in rows]


class Harvest:
    """One job in a memory ledger, its results in files."""

    def __init__(self, scene: Scene, root: Path) -> None:
        self.scene = scene
        self.blobs = FileBlobs(root / "store")
        self.folder = root / "out"

    async def reap(self, crop: Crop, *, batch: int = 300, limit: int = 1 << 30) -> None:
        """Run the items in the job's own order, a commit for every batch of them."""
        writer = SegmentWriter(self.blobs, self.scene.id, "w1", VirtualClock())
        while limit > 0 and (leases := await self.scene.take(min(batch, limit))):
            limit -= len(leases)
            settlements: list[tuple[Settlement, RecordSlot | None]] = []
            for lease in leases:
                found = crop(lease.offer.seq)
                capture = await writer.keep(a_page(b"<p>%d" % lease.offer.seq))
                if isinstance(found, str):
                    settlements.append((failed(lease, found, captures=(capture,)), None))
                elif isinstance(found, Absent):
                    settlements.append((ended(lease, VisitState.ABSENT, captures=(capture,)), None))
                else:
                    slot = writer.record(lease.offer.seq, lease.offer.key, packed(found)) if found else None
                    end = ended(lease, VisitState.SUCCEEDED, captures=(capture,), reading=ReadingState.READ)
                    settlements.append((end, slot))
            await writer.sync()
            told = [msgspec.structs.replace(end, records=slot.batch()) if slot else end for end, slot in settlements]
            assert all(await self.scene.settle(*told))
        await writer.close()

    async def export(self, layout: str = "csv", card: ScraperCard | None = CARD, **wishes: Any) -> dict[str, int]:
        """Hand it over; gives the files' names and numbers of rows."""
        order = ExportOrder(layout, str(self.folder), **wishes)
        reader = ResultReader(self.blobs)
        exported = await export(await self.scene.job(), card, self.scene.ledger.items, reader, order)
        return {str(Path(path).relative_to(self.folder)): rows for path, rows in exported.files}


async def harvest(root: Path, count: int, crop: Crop, **changes: Any) -> Harvest:
    """A job of so many items, all of which have run."""
    made = Harvest(await staged(MemoryLedger(), count), root)
    await made.reap(crop, **changes)
    return made
