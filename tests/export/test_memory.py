"""An export of many rows needs no more memory than one of few."""

import importlib
import threading
from pathlib import Path

import psutil
import pytest

from export.harvest import a_card, ask, harvest
from scrapeyard.model.record import Money, Record

ITEMS, EACH = 40_000, 5
CAP = 96 << 20
TEXT = "The quick brown fox jumps over the lazy dog. " * 12


class Row(Record):
    number: int
    amount: Money
    text: str


class Peak:
    """The largest memory of this process meanwhile, above what it was before."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._before = self.most = self._process.memory_info().rss
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._done.wait(0.01):
            self.most = max(self.most, self._process.memory_info().rss)

    def growth(self) -> int:
        self._done.set()
        self._thread.join()
        return self.most - self._before


async def test_200_000_rows_are_exported_in_bounded_memory(tmp_path: Path):
    texts = [("Row", b'{"number":%d,"amount":"%d.25","text":"%b"}' % (n, n, TEXT.encode())) for n in range(EACH)]
    made = await harvest(tmp_path, ITEMS, lambda n: texts, batch=1_000)
    card = a_card(Row)
    importlib.import_module("pyarrow.parquet")  # its own size is not growth
    for layout in ("csv", "parquet"):
        peak = Peak()
        try:
            files = await made.export(layout, card=card)
        finally:
            growth = peak.growth()
        assert files == {f"items.{layout}": ITEMS, f"Row.{layout}": ITEMS * EACH}
        assert growth < CAP, f"{layout}: {growth >> 20} MiB"
    size = (made.folder / "Row.csv").stat().st_size
    assert size > CAP
    (found,) = ask("SELECT count(*), sum(amount), count(DISTINCT _seq) FROM '{}'", made.folder / "Row.parquet")
    assert [float(one) for one in found] == [ITEMS * EACH, ITEMS * (10 + 1.25), ITEMS]


@pytest.mark.parametrize("layout", ["csv", "parquet"])
async def test_rows_of_a_megabyte_do_not_pile_up(tmp_path: Path, layout: str):
    row = ("Row", b'{"number":1,"amount":"1.00","text":"' + b"x" * 1_000_000 + b'"}')
    made = await harvest(tmp_path, 200, lambda n: [row], batch=50)
    peak = Peak()
    try:
        await made.export(layout, card=a_card(Row))
    finally:
        growth = peak.growth()
    assert growth < 128 << 20, f"{growth >> 20} MiB"
