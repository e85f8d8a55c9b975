"""The file store keeps the promises of the blobs port, and stays below its root whatever lies in its way."""

import errno
import os
import resource
from pathlib import Path

import pytest

from scrapeyard.backends.files.blobs import FileBlobs
from scrapeyard.model.capture import Place
from scrapeyard.model.errors import StorageError
from scrapeyard.testing.blobs import BlobsSuite


class TestFileBlobs(BlobsSuite):
    @pytest.fixture
    def blobs(self, tmp_path: Path):
        return FileBlobs(tmp_path / "root")


@pytest.fixture
def small_disk():
    """No file may grow beyond 64 KiB: what a full disk looks like to a writer."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_a_key_is_the_path_below_the_root(tmp_path: Path):
    await FileBlobs(tmp_path).put("jobs/a/page.html", b"hello")
    assert (tmp_path / "jobs/a/page.html").read_bytes() == b"hello"


async def test_a_linked_folder_leads_nowhere(tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    root = tmp_path / "root"
    root.mkdir()
    (root / "jobs").symlink_to(outside)
    blobs = FileBlobs(root)
    with pytest.raises(StorageError):
        await blobs.read(Place("jobs/secret", 0, 6))
    with pytest.raises(StorageError):
        await blobs.put("jobs/new", b"x")
    with pytest.raises(StorageError):
        blobs.appender("jobs/new-", "")
    assert [one.key async for one in blobs.walk("")] == []
    assert [path.name for path in outside.iterdir()] == ["secret"]


async def test_a_linked_file_is_not_followed(tmp_path: Path):
    (tmp_path / "secret").write_bytes(b"secret")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path / "secret")
    blobs = FileBlobs(root)
    with pytest.raises(StorageError):
        await blobs.read(Place("link", 0, 6))
    with pytest.raises(StorageError):
        await blobs.cut("link", 0)
    await blobs.put("link", b"mine", replace=True)
    assert (tmp_path / "secret").read_bytes() == b"secret"
    assert await blobs.read(Place("link", 0, 4)) == b"mine"


async def test_a_linked_source_is_not_taken_in(tmp_path: Path):
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "download").symlink_to(tmp_path / "secret")
    with pytest.raises(StorageError):
        await FileBlobs(tmp_path / "root").put_file("a", tmp_path / "download")


async def test_a_stored_file_is_moved_not_left_behind(tmp_path: Path):
    source = tmp_path / "download"
    source.write_bytes(b"x" * 100)
    await FileBlobs(tmp_path / "root").put_file("a", source)
    assert not source.exists()


async def test_a_full_disk_is_a_storage_error_and_leaves_no_half_blob(tmp_path: Path, small_disk: None):
    blobs = FileBlobs(tmp_path / "root")
    with pytest.raises(StorageError, match="full"):
        await blobs.put("a", b"x" * 100_000)
    assert await blobs.stat("a") is None
    assert list((tmp_path / "root").iterdir()) == []


async def test_a_segment_on_a_full_disk_fails_once_and_for_all(tmp_path: Path, small_disk: None):
    blobs = FileBlobs(tmp_path / "root")
    appender = blobs.appender("a-", "")
    appender.append(b"x" * 100_000)
    for _ in range(2):
        with pytest.raises(StorageError, match="full"):
            await appender.sync()
    with pytest.raises(StorageError):
        appender.append(b"y")
    await appender.close()


async def test_a_short_read_says_what_happened(tmp_path: Path):
    blobs = FileBlobs(tmp_path)
    await blobs.put("a", b"12345")
    with pytest.raises(StorageError, match="tail was lost"):
        await blobs.read(Place("a", 0, 6))


async def test_a_crash_in_mid_put_leaves_nothing_that_can_be_listed(tmp_path: Path):
    (tmp_path / ".new-0123").write_bytes(b"half")
    assert [one.key async for one in FileBlobs(tmp_path).walk("")] == []


async def test_segments_hold_no_descriptor_after_close(tmp_path: Path):
    blobs = FileBlobs(tmp_path)
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208 - pathlib would open another one
    for _ in range(20):
        appender = blobs.appender("a-", "")
        appender.append(b"x")
        await appender.close()
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208


def test_errors_of_the_disk_are_told_in_our_words(tmp_path: Path):
    store = FileBlobs(tmp_path)
    told = store._tree.trouble(OSError(errno.EIO, "Input/output error"), "a")
    assert isinstance(told, StorageError)
    assert "check the disk" in str(told)
