"""A store that fails, or a machine that does, costs work but never serves anything that was not kept."""

import random
import resource
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from results.shelf import BODY, a_page, a_row, segments_in, warcio_check
from scrapeyard.backends.files.blobs import FileBlobs
from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.model.capture import Capture, Place, RecordBatch
from scrapeyard.model.errors import NotFound, StorageError
from scrapeyard.results.keys import pages_prefix, records_prefix
from scrapeyard.results.reader import ResultReader
from scrapeyard.results.recovery import mend, mend_job
from scrapeyard.results.writer import RecordSlot, SegmentWriter
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.testing.scenes import staged, succeeded

CRASHES = 200
ROUNDS = 12


class Told(msgspec.Struct):
    """What had been promised when a sync returned, and how large each segment was."""

    pages: list[tuple[Capture, bytes]]
    batches: list[tuple[int, RecordBatch]]
    sizes: dict[str, int]


async def a_run(root: Path) -> list[Told]:
    """Rounds of keeping and syncing, with everything that was true after each."""
    blobs = FileBlobs(root)
    writer = SegmentWriter(blobs, "job-1", "w1", VirtualClock())
    dice = random.Random(11)
    told: list[Told] = []
    pages: list[tuple[Capture, bytes]] = []
    slots: list[tuple[int, RecordSlot]] = []
    for _ in range(ROUNDS):
        for _ in range(5):
            body = dice.randbytes(dice.randrange(2_000)) + BODY
            pages.append((await writer.keep(a_page(body)), body))
            slots.append((len(slots), writer.record(len(slots), "key", [a_row(n) for n in range(3)])))
        await writer.sync()
        sizes = {blob.key: blob.size async for blob in blobs.walk("")}
        told.append(Told(list(pages), [(seq, slot.batch()) for seq, slot in slots], sizes))
    await writer.close()
    return told


def crash(dice: random.Random, synced: bytes, unsynced: bytes) -> bytes:
    """What a disk may hold after a crash: all that was synced, and of the rest whatever it likes."""
    left = unsynced[: dice.randrange(len(unsynced) + 1)]
    match dice.randrange(4):
        case 0:
            return synced + left
        case 1:  # the length was written, the bytes were not
            return synced + left + bytes(dice.randrange(5_000))
        case 2:
            return synced + left + dice.randbytes(dice.randrange(1, 5_000))
        case _:  # a block in the middle was not written, those after it were
            hole = dice.randrange(len(unsynced))
            return synced + unsynced[:hole] + bytes(min(512, len(unsynced) - hole)) + unsynced[hole + 512 :]


async def test_200_crashes_lose_nothing_that_was_synced_and_serve_nothing_torn(tmp_path: Path):
    told = await a_run(tmp_path / "run")
    final = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*.gz")}
    assert len(final) == 2
    dice = random.Random(2026)
    torn = 0
    for number in range(CRASHES):
        at = dice.randrange(ROUNDS - 1)
        root = tmp_path / f"crash-{number}"
        for path, data in final.items():
            key = path.relative_to(tmp_path / "run")
            synced, after = told[at].sizes[str(key)], told[at + 1].sizes[str(key)]
            (root / key).parent.mkdir(parents=True)
            (root / key).write_bytes(crash(dice, data[:synced], data[synced:after]))
        torn += await recovered(FileBlobs(root), told[at], told[at + 1])
        assert warcio_check(root) == 2
    assert torn > CRASHES / 2


async def recovered(blobs: FileBlobs, told: Told, later: Told) -> int:
    """Cut the tails; check what is served, what is not, and that a new writer goes on. Gives how many were cut."""
    cut = 0
    for prefix in (pages_prefix("job-1", "w1"), records_prefix("job-1", "w1")):
        async for segment in blobs.walk(prefix):
            mended = await mend(blobs, segment, told.sizes[segment.key])
            assert not mended.damaged
            cut += mended.cut > 0
    reader = ResultReader(blobs)
    for capture, body in told.pages:
        assert (await reader.page(capture)).body == body
    for seq, batch in told.batches:
        assert [row.seq for row in await reader.rows(batch)] == [seq] * 3
    for capture, body in later.pages[len(told.pages) :]:
        with suppress(StorageError):  # torn, and therefore not served
            assert (await reader.page(capture)).body == body
    writer = SegmentWriter(blobs, "job-1", "w1", VirtualClock())
    capture = await writer.keep(a_page(b"after the crash"))
    await writer.close()
    assert (await reader.page(capture)).body == b"after the crash"
    return cut


async def test_every_byte_of_an_unsynced_entry_may_be_where_it_was_torn(tmp_path: Path):
    blobs = FileBlobs(tmp_path)
    writer = SegmentWriter(blobs, "job-1", "w1", VirtualClock())
    first, second = await writer.keep(a_page(b"first")), await writer.keep(a_page(b"second"))
    await writer.close()
    (path,) = segments_in(tmp_path)
    whole = path.read_bytes()
    end = first.place.offset + first.place.length
    for size in range(end, len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(StorageError):
            await ResultReader(blobs).page(second)
        stat = await blobs.stat(first.place.blob)
        assert stat is not None
        assert (await mend(blobs, stat, end)).cut == size - end
        assert path.stat().st_size == end
        assert (await ResultReader(blobs).page(first)).body == b"first"


async def test_any_flipped_bit_of_an_entry_is_noticed(tmp_path: Path):
    blobs = FileBlobs(tmp_path)
    writer = SegmentWriter(blobs, "job-1", "w1", VirtualClock())
    capture = await writer.keep(a_page(b"a small page"))
    slot = writer.record(1, "key", [a_row(1)])
    await writer.close()
    reader = ResultReader(blobs)

    async def read(place: Place) -> object:
        return await (reader.page(capture) if place == capture.place else reader.rows(slot.batch()))

    for place in (capture.place, slot.batch().place):
        good = await read(place)
        path = tmp_path / place.blob
        whole = path.read_bytes()
        for byte in range(place.offset, place.offset + place.length):
            path.write_bytes(whole[:byte] + bytes([whole[byte] ^ 0x10]) + whole[byte + 1 :])
            try:
                found = await read(place)
            except StorageError:
                continue
            assert found == good  # a bit that carries no meaning, as the time stamp of a gzip head
        path.write_bytes(whole)


async def test_damage_among_what_the_ledger_refers_to_is_told_and_nothing_behind_it_is_cut(tmp_path: Path):
    blobs = FileBlobs(tmp_path)
    scene = await staged(MemoryLedger(), 3)
    writer = SegmentWriter(blobs, scene.id, "w1", VirtualClock())
    captures = [await writer.keep(a_page(b"%d" % n + BODY)) for n in range(3)]
    await writer.close()
    leases = await scene.take()
    await scene.settle(*(succeeded(lease, captures=(captures[n],), records=None) for n, lease in enumerate(leases)))
    (path,) = segments_in(tmp_path)
    whole = path.read_bytes()
    middle = captures[1].place.offset + 30
    path.write_bytes(whole[:middle] + b"rotten" + whole[middle + 6 :])
    (mended,) = [one async for one in mend_job(blobs, scene.ledger.items, scene.id)]
    assert mended.damaged
    assert mended.cut == 0
    assert path.stat().st_size == len(whole)
    assert (await ResultReader(blobs).page(captures[2])).body == b"2" + BODY


async def test_only_the_dead_workers_segments_are_looked_through(tmp_path: Path):
    blobs = FileBlobs(tmp_path)
    scene = await staged(MemoryLedger(), 1)
    for worker in ("w1", "w1-2", "w2"):
        writer = SegmentWriter(blobs, scene.id, worker, VirtualClock())
        await writer.keep(a_page())
        await writer.close()
    for path in segments_in(tmp_path):
        with path.open("ab") as file:
            file.write(b"\x1f\x8b\x08 torn")
    mended = [one async for one in mend_job(blobs, scene.ledger.items, scene.id, worker="w1")]
    assert [one.cut for one in mended] == [8]
    assert mended[0].key.startswith(pages_prefix(scene.id, "w1"))


@pytest.fixture
def small_disk():
    """No file may grow beyond 256 KiB: what a full disk looks like to a writer."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(size: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))

    limit(256 << 10)
    yield lambda: limit(before[0])
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_a_full_disk_fails_the_sync_that_covers_the_loss_and_the_one_after(tmp_path: Path, small_disk):
    blobs = FileBlobs(tmp_path)
    writer = SegmentWriter(blobs, "job-1", "w1", VirtualClock())
    good = await writer.keep(a_page(b"small"))
    await writer.sync()
    dice = random.Random(1)
    for _ in range(30):
        await writer.keep(a_page(dice.randbytes(20_000)))
    slot = writer.record(1, "key", [a_row(1)])
    for _ in range(2):
        with pytest.raises(StorageError, match="full"):
            await writer.sync()
    with pytest.raises(StorageError):
        slot.batch()
    small_disk()
    again = await writer.keep(a_page(b"again"))
    slot = writer.record(1, "key", [a_row(1)])
    await writer.sync()
    reader = ResultReader(blobs)
    assert (await reader.page(good)).body == b"small"
    assert (await reader.page(again)).body == b"again"
    assert len(await reader.rows(slot.batch())) == 1
    assert again.place.blob != good.place.blob
    await writer.close()


async def test_a_page_that_cannot_be_appended_fails_at_once_and_spoils_what_waited_with_it(tmp_path: Path, small_disk):
    writer = SegmentWriter(FileBlobs(tmp_path), "job-1", "w1", VirtualClock())
    dice = random.Random(1)

    async def fill() -> None:
        for _ in range(100):
            await writer.keep(a_page(dice.randbytes(20_000)))

    with pytest.raises(StorageError, match="full"):
        await fill()
    small_disk()
    await writer.keep(a_page())
    for _ in range(2):
        with pytest.raises(StorageError):
            await writer.sync()
    await writer.sync()
    await writer.close()


async def test_a_page_with_another_digest_is_not_served(tmp_path: Path):
    blobs = FileBlobs(tmp_path)
    writer = SegmentWriter(blobs, "job-1", "w1", VirtualClock())
    one, two = await writer.keep(a_page(b"one")), await writer.keep(a_page(b"two"))
    await writer.close()
    reader = ResultReader(blobs)
    with pytest.raises(StorageError, match="not the one that was kept"):
        await reader.page(msgspec.structs.replace(one, place=two.place))
    with pytest.raises(StorageError, match="damaged"):
        await reader.page(msgspec.structs.replace(one, place=Place(one.place.blob, one.place.offset, 10)))
    with pytest.raises(NotFound):
        await reader.page(msgspec.structs.replace(one, place=Place("jobs/none", 0, 1)))


async def test_a_member_that_unpacks_to_more_than_was_kept_is_refused(tmp_path: Path):
    blobs = FileBlobs(tmp_path)
    writer = SegmentWriter(blobs, "job-1", "w1", VirtualClock())
    bomb = await writer.keep(a_page(bytes(50_000_000)))
    await writer.close()
    assert bomb.place.length < 500_000
    with pytest.raises(StorageError, match="more than"):
        await ResultReader(blobs).page(msgspec.structs.replace(bomb, size=100))


async def test_a_batch_that_asks_for_more_than_its_member_has_is_refused(tmp_path: Path):
    blobs = FileBlobs(tmp_path)
    writer = SegmentWriter(blobs, "job-1", "w1", VirtualClock())
    slot = writer.record(1, "key", [a_row(1)])
    await writer.close()
    batch = slot.batch()
    for wrong in (RecordBatch(batch.place, 0, 2, {}), RecordBatch(batch.place, 5, 1, {})):
        with pytest.raises(StorageError, match="fewer records"):
            await ResultReader(blobs).rows(wrong)
