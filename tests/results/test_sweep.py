"""All records of a job in list order, each shared member read once, also while the job moves on."""

import random
from pathlib import Path

import pytest

from export.harvest import Harvest, Owner, harvest
from scrapeyard.backends.files.blobs import FileBlobs
from scrapeyard.model.capture import Place
from scrapeyard.model.errors import StorageError
from scrapeyard.model.item import Item, Selection
from scrapeyard.model.states import VisitState
from scrapeyard.results import sweep
from scrapeyard.results.reader import ResultReader

COUNT = 1_200


class CountingBlobs(FileBlobs):
    """Notes what is read."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.places: list[Place] = []

    async def read(self, place: Place) -> bytes:
        self.places.append(place)
        return await super().read(place)


def any_item(item: Item) -> bool:
    return True


async def names(made: Harvest, blobs: FileBlobs | None = None) -> list[list[object]]:
    reader = ResultReader(blobs or made.blobs)
    found: list[list[object]] = []
    async for item, rows in reader.each(made.scene.ledger.items, made.scene.id, made.folder, any_item):
        assert item.seq == len(found)
        found.append([row.fields["name"] for row in rows])
    return found


async def a_harvest(tmp_path: Path, count: int = COUNT) -> Harvest:
    made = await harvest(tmp_path, count, lambda n: [Owner(name=f"{n}-{m}") for m in range(n % 4)], batch=100)
    made.folder.mkdir()
    return made


def expected(count: int = COUNT) -> list[list[str]]:
    return [[f"{n}-{m}" for m in range(n % 4)] for n in range(count)]


async def test_records_come_in_list_order_though_they_lie_in_another(tmp_path: Path):
    made = await a_harvest(tmp_path)
    assert await names(made) == expected()
    assert list(made.folder.iterdir()) == []


async def test_a_member_is_read_once_and_neighbours_in_one_read(tmp_path: Path):
    made = await a_harvest(tmp_path)
    blobs = CountingBlobs(tmp_path / "store")
    await names(made, blobs)
    places = {item.records.place for item in await made.scene.items() if item.records}
    assert len(places) == COUNT / 100
    assert len(blobs.places) == 1
    assert blobs.places[0].length == sum(place.length for place in places)


@pytest.mark.parametrize("window", [1, 7, 499, 500, 501, COUNT, COUNT + 1])
async def test_windows_of_any_size_give_the_same(tmp_path: Path, window: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sweep, "WINDOW", window)
    count = 50 if window < 100 else COUNT
    made = await a_harvest(tmp_path, count)
    assert await names(made) == expected(count)


@pytest.mark.parametrize("size", [1, 100, 10_000])
async def test_reads_of_any_size_give_the_same(tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sweep, "_READ", size)
    monkeypatch.setattr(sweep, "_GAP", random.Random(size).randrange(100))
    made = await a_harvest(tmp_path)
    assert await names(made) == expected()


async def test_an_item_that_is_run_anew_meanwhile_is_read_from_where_it_is_then(tmp_path: Path):
    made = await a_harvest(tmp_path)
    reader = ResultReader(made.blobs)
    found: dict[int, list[object]] = {}
    async for item, rows in reader.each(made.scene.ledger.items, made.scene.id, made.folder, any_item):
        found[item.seq] = [row.fields["name"] for row in rows]
        if item.seq == 0:
            keys = frozenset({"P-001001", "P-001000", "P-001102"})
            await made.scene.redrive(Selection(states=frozenset({VisitState.SUCCEEDED}), keys=keys))
            await made.reap(lambda n: [Owner(name="new")] if n != 1_102 else [])
    assert found[1_000] == found[1_001] == ["new"]
    assert found[1_102] == []
    assert [found[n] for n in range(999)] == expected(999)
    assert found[1_199] == expected()[1_199]


async def test_a_scratch_folder_that_cannot_be_used_is_a_sentence(tmp_path: Path):
    made = await a_harvest(tmp_path, 10)
    made.folder.rmdir()
    with pytest.raises(StorageError, match="choose another folder"):
        await names(made)
