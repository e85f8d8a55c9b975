"""What every store of blobs promises, as tests. A backend's own test file names it and gives its store."""

import asyncio
import hashlib
from pathlib import Path

import pytest

from scrapeyard.model.capture import Place
from scrapeyard.model.errors import BadInput, Conflict, NotFound, StorageError
from scrapeyard.ports.blobs import Blobs

HOSTILE_KEYS = (
    "",
    "/etc/passwd",
    "../outside",
    "jobs/../../outside",
    "jobs/./x",
    "jobs//x",
    "jobs/x/",
    ".hidden",
    "jobs/.hidden",
    "jobs\\x",
    "jobs/a b",
    "jobs/a\nb",
    "jobs/a\0b",
    "jobs/ünïcode",
    "C:/x",
    "jobs/" + "x" * 300,
    "x/" * 600 + "x",
)


class BlobsSuite:
    """Behaviour of the `Blobs` port. The subclass has a fixture `blobs`."""

    async def test_what_was_put_is_read_back_whole_and_in_part(self, blobs: Blobs) -> None:
        await blobs.put("jobs/a/one", b"0123456789")
        assert await blobs.read(Place("jobs/a/one", 0, 10)) == b"0123456789"
        assert await blobs.read(Place("jobs/a/one", 3, 4)) == b"3456"
        assert await blobs.read(Place("jobs/a/one", 10, 0)) == b""

    async def test_put_tells_the_size_and_stat_tells_it_again(self, blobs: Blobs) -> None:
        put = await blobs.put("a", b"12345")
        assert (put.key, put.size) == ("a", 5)
        assert await blobs.stat("a") == put

    async def test_stat_of_a_missing_blob_is_none(self, blobs: Blobs) -> None:
        assert await blobs.stat("jobs/none") is None

    async def test_a_taken_key_is_refused_and_keeps_its_bytes(self, blobs: Blobs) -> None:
        await blobs.put("a", b"first")
        with pytest.raises(Conflict):
            await blobs.put("a", b"second")
        assert await blobs.read(Place("a", 0, 5)) == b"first"

    async def test_of_many_writers_of_one_key_exactly_one_succeeds(self, blobs: Blobs) -> None:
        answers = await asyncio.gather(*(blobs.put("a", bytes([n]) * 1000) for n in range(8)), return_exceptions=True)
        assert sum(isinstance(answer, Conflict) for answer in answers) == 7
        winner = next(n for n, answer in enumerate(answers) if not isinstance(answer, BaseException))
        assert await blobs.read(Place("a", 0, 1000)) == bytes([winner]) * 1000

    async def test_replace_replaces(self, blobs: Blobs) -> None:
        await blobs.put("a", b"first and longer")
        await blobs.put("a", b"second", replace=True)
        assert await blobs.stat("a") is not None
        assert b"".join([piece async for piece in blobs.stream("a")]) == b"second"

    async def test_a_local_file_becomes_a_blob(self, blobs: Blobs, tmp_path: Path) -> None:
        source = tmp_path / "download.pdf"
        source.write_bytes(b"%PDF-1.7 " * 1000)
        put = await blobs.put_file("jobs/a/file.pdf", source)
        assert put.size == 9000
        assert b"".join([piece async for piece in blobs.stream("jobs/a/file.pdf")]) == b"%PDF-1.7 " * 1000

    async def test_a_local_file_does_not_replace_a_blob(self, blobs: Blobs, tmp_path: Path) -> None:
        source = tmp_path / "download.pdf"
        source.write_bytes(b"new")
        await blobs.put("a", b"old")
        with pytest.raises(Conflict):
            await blobs.put_file("a", source)
        assert await blobs.read(Place("a", 0, 3)) == b"old"

    async def test_a_local_file_that_is_gone_is_a_storage_error(self, blobs: Blobs, tmp_path: Path) -> None:
        with pytest.raises(StorageError):
            await blobs.put_file("a", tmp_path / "gone")

    async def test_appended_bytes_lie_where_append_said(self, blobs: Blobs) -> None:
        appender = blobs.appender("jobs/a/pages/", ".bin")
        told = {appender.append(piece): piece for piece in (b"one", b"twotwo", b"", b"3" * 3_000_000, b"four")}
        await appender.sync()
        for place, piece in told.items():
            assert await blobs.read(place) == piece
        await appender.close()

    async def test_appending_goes_on_while_a_sync_is_under_way(self, blobs: Blobs) -> None:
        appender = blobs.appender("jobs/a/pages/", ".bin")
        told: list[tuple[Place, bytes]] = []
        for turn in range(20):
            syncing = asyncio.ensure_future(appender.sync())
            for n in range(50):
                piece = f"{turn}-{n};".encode() * 3000
                told.append((appender.append(piece), piece))
                if n % 10 == 0:
                    await asyncio.sleep(0)
            await syncing
        await appender.close()
        for place, piece in told:
            assert await blobs.read(place) == piece

    async def test_segments_have_the_prefix_and_suffix_and_are_nobody_elses(self, blobs: Blobs) -> None:
        appenders = [blobs.appender("jobs/a/pages/w1-", ".warc.gz") for _ in range(5)]
        keys = {appender.append(b"x").blob for appender in appenders}
        for appender in appenders:
            await appender.close()
        assert len(keys) == 5
        assert all(key.startswith("jobs/a/pages/w1-") and key.endswith(".warc.gz") for key in keys)

    async def test_a_closed_segment_takes_nothing_more(self, blobs: Blobs) -> None:
        appender = blobs.appender("a-", "")
        place = appender.append(b"x")
        await appender.close()
        await appender.close()
        with pytest.raises(StorageError):
            appender.append(b"y")
        assert await blobs.read(place) == b"x"

    async def test_reading_past_the_end_is_a_storage_error(self, blobs: Blobs) -> None:
        await blobs.put("a", b"12345")
        with pytest.raises(StorageError):
            await blobs.read(Place("a", 3, 3))

    async def test_reading_what_is_not_there_is_not_found(self, blobs: Blobs) -> None:
        with pytest.raises(NotFound):
            await blobs.read(Place("jobs/none", 0, 1))
        with pytest.raises(NotFound):
            _ = [piece async for piece in blobs.stream("jobs/none")]
        with pytest.raises(NotFound):
            await blobs.cut("jobs/none", 0)

    async def test_a_large_blob_streams_in_bounded_pieces(self, blobs: Blobs) -> None:
        data = b"".join(n.to_bytes(4, "big") for n in range(800_000))
        await blobs.put("large", data)
        pieces = [piece async for piece in blobs.stream("large")]
        assert max(len(piece) for piece in pieces) <= 1 << 21
        assert hashlib.sha256(b"".join(pieces)).digest() == hashlib.sha256(data).digest()

    async def test_walk_lists_by_prefix_in_order_of_key(self, blobs: Blobs) -> None:
        keys = ["b/x", "a/z/1", "a-b", "a/y", "a/z-1", "a/z/0", "ab/1", "a.b/2"]
        for key in keys:
            await blobs.put(key, key.encode())
        assert [(one.key, one.size) async for one in blobs.walk("")] == [(key, len(key)) for key in sorted(keys)]
        assert [one.key async for one in blobs.walk("a/z")] == ["a/z-1", "a/z/0", "a/z/1"]
        assert [one.key async for one in blobs.walk("a/z/")] == ["a/z/0", "a/z/1"]
        assert [one.key async for one in blobs.walk("c")] == []

    async def test_cut_shortens_and_never_lengthens(self, blobs: Blobs) -> None:
        await blobs.put("a", b"12345")
        await blobs.cut("a", 3)
        await blobs.cut("a", 9)
        stat = await blobs.stat("a")
        assert stat is not None
        assert stat.size == 3
        assert await blobs.read(Place("a", 0, 3)) == b"123"

    async def test_deleted_is_gone_and_deleting_again_is_no_error(self, blobs: Blobs) -> None:
        await blobs.put("jobs/a", b"x")
        await blobs.delete("jobs/a")
        await blobs.delete("jobs/a")
        await blobs.delete("nowhere/at/all")
        assert await blobs.stat("jobs/a") is None

    @pytest.mark.parametrize("key", HOSTILE_KEYS)
    async def test_a_hostile_key_is_refused_by_every_verb(self, blobs: Blobs, tmp_path: Path, key: str) -> None:
        source = tmp_path / "source"
        source.write_bytes(b"x")
        with pytest.raises(BadInput):
            await blobs.put(key, b"x")
        with pytest.raises(BadInput):
            await blobs.put_file(key, source)
        with pytest.raises(BadInput):
            await blobs.read(Place(key, 0, 1))
        with pytest.raises(BadInput):
            await blobs.stat(key)
        with pytest.raises(BadInput):
            await blobs.delete(key)
        with pytest.raises(BadInput):
            await blobs.cut(key, 0)

    async def test_a_prefix_cannot_climb(self, blobs: Blobs) -> None:
        with pytest.raises(BadInput):
            _ = [one async for one in blobs.walk("../")]
        with pytest.raises(BadInput):
            blobs.appender("../up-", ".bin")
