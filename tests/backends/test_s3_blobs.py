"""The object store keeps the promises of the blobs port, on a real S3 server."""

import asyncio
from pathlib import Path

import aiohttp
import pytest

from scrapeyard.backends.s3.blobs import S3Blobs
from scrapeyard.backends.s3.opening import open_s3
from scrapeyard.model.capture import Place
from scrapeyard.model.errors import Conflict, Refused, StorageError
from scrapeyard.results.segment import Segment
from scrapeyard.testing.blobs import BlobsSuite
from scrapeyard.testing.servers.seaweed import SeaweedServer


@pytest.fixture
def blobs(s3: SeaweedServer) -> S3Blobs:
    return open_s3(s3.fresh())


class TestS3Blobs(BlobsSuite):
    """The suite."""


async def test_a_large_file_goes_up_in_parts_and_still_replaces_nothing(blobs: S3Blobs, tmp_path: Path):
    blobs._part = 5 << 20
    source = tmp_path / "scan.tif"
    source.write_bytes(bytes(range(256)) * (12 << 12))
    put = await blobs.put_file("jobs/a/scan.tif", source)
    assert put.size == 12 << 20
    assert await blobs.read(Place("jobs/a/scan.tif", (11 << 20) + 5, 4)) == b"\x05\x06\x07\x08"
    with pytest.raises(Conflict):
        await blobs.put_file("jobs/a/scan.tif", source)
    assert [one.key async for one in blobs.walk("")] == ["jobs/a/scan.tif"]


async def test_a_segment_that_outgrows_memory_and_one_request_is_uploaded_whole(blobs: S3Blobs):
    blobs._part = 5 << 20
    appender = blobs.appender("a-", ".bin")
    places = [appender.append(bytes([n]) * (3 << 20)) for n in range(7)]
    await appender.close()
    for n, place in enumerate(places):
        assert await blobs.read(place) == bytes([n]) * (3 << 20)


async def test_each_sync_makes_a_blob_that_begins_like_a_segment(blobs: S3Blobs):
    segment = Segment(blobs, "jobs/a/pages/w1-", ".warc.gz", 1 << 20, head=lambda: b"head;")
    for entry in (b"one", b"two", b"three"):
        segment.append(entry)
        await segment.sync()
    await segment.sync()
    await segment.close()
    bodies = [await blobs.read(Place(one.key, 0, one.size)) async for one in blobs.walk("jobs/a/pages/")]
    assert sorted(bodies) == [b"head;one", b"head;three", b"head;two"]


async def test_a_segment_to_which_nothing_was_added_leaves_nothing(blobs: S3Blobs):
    await blobs.appender("a-", "").close()
    assert [one async for one in blobs.walk("")] == []


async def test_an_upload_that_was_called_off_is_made_by_the_next_sync(blobs: S3Blobs):
    appender = blobs.appender("a-", "")
    place = appender.append(b"x" * 100)
    called_off = asyncio.create_task(appender.sync())
    await asyncio.sleep(0)
    called_off.cancel()
    await asyncio.wait([called_off])
    await appender.sync()
    assert await blobs.read(place) == b"x" * 100


async def test_a_link_gives_the_blob_to_whoever_has_it_until_it_ends(blobs: S3Blobs):
    await blobs.put("jobs/a/file.pdf", b"%PDF")
    link = await blobs.link("jobs/a/file.pdf", seconds=60)
    assert link is not None
    async with aiohttp.ClientSession() as session:
        async with session.get(link) as answer:
            assert await answer.read() == b"%PDF"
        async with session.get(link.replace("file.pdf", "other.pdf")) as answer:
            assert answer.status == 403
        async with session.get(link.partition("?")[0]) as answer:
            assert answer.status == 403


async def test_a_store_that_is_not_there_is_told_in_one_sentence(s3: SeaweedServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("scrapeyard.backends.s3.opening._RETRIES", {"max_retries": 0})
    gone = open_s3("s3://yard/x?endpoint=http://127.0.0.1:1")
    with pytest.raises(StorageError, match="check network and store") as told:
        await gone.put("a", b"x")
    assert "\n" not in str(told.value)
    appender = gone.appender("a-", "")
    appender.append(b"x")
    with pytest.raises(StorageError):
        await appender.sync()
    with pytest.raises(StorageError):
        appender.append(b"y")
    await appender.close()


async def test_a_wrong_secret_is_told_and_never_shown(s3: SeaweedServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted-secret")
    blobs = open_s3(s3.fresh())
    with pytest.raises(StorageError, match="check the credentials") as told:
        await blobs.put("a", b"x")
    assert told.value.final
    assert "planted-secret" not in f"{told.value}{told.value.__cause__}"


@pytest.mark.parametrize(
    "address",
    [
        "s3://", "s3://user:secret@bucket/x", "s3://bucket:80/x", "s3://bucket/../x", "s3://bucket/x?endpont=http://h",
        "s3://bucket/a b", "s3://bucket/x#y",
    ],
)  # fmt: skip
def test_an_address_that_names_no_bucket_is_refused(address: str):
    with pytest.raises(Refused) as told:
        open_s3(address)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize("address", ["gs://bucket/x", "az://container/x"])
def test_other_object_stores_are_opened_by_the_same_library(address: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "yard")
    assert isinstance(open_s3(address), S3Blobs)
