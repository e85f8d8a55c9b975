"""What a visit brings home is read back as it was, whatever it was, and lies in files that any tool can read."""

import asyncio
import gzip
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from warcio.archiveiterator import ArchiveIterator

from results.shelf import BODY, HEADERS, a_page, a_row, segments_in, sha, warcio_check
from scrapeyard.backends.files.blobs import FileBlobs
from scrapeyard.backends.memory.blobs import MemoryBlobs
from scrapeyard.model.capture import Kept, Place
from scrapeyard.model.errors import BadInput, StorageError
from scrapeyard.results.reader import ResultReader
from scrapeyard.results.rows import ITEM_LIMIT
from scrapeyard.results.writer import SegmentWriter
from scrapeyard.testing.clock import VirtualClock

ODD_PAGES: dict[str, Kept] = {
    "empty body": a_page(b""),
    "no content": a_page(b"", status=204),
    "not modified": a_page(b"", status=304),
    "a status nobody knows": a_page(status=799),
    "no http at all": a_page(status=0, url="file:///tmp/x.html"),
    "a body that looks like a record": a_page(b"\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\nContent-Length: 9\r\n\r\n"),
    "a body that looks like headers": a_page(b"HTTP/1.1 500 Oops\r\nContent-Length: 3\r\n\r\nabc"),
    "bytes of every kind": a_page(bytes(range(256)) * 100),
    "a gzip file": a_page(gzip.compress(BODY), content_type="application/gzip"),
    "a line break in a header": a_page(
        headers=(("X-A", "1\r\n\r\nWARC/1.1\r\nX: y"), ("X-B\r\nX-C", "2"), ("X-D", "a\0b"))
    ),
    "a length that is not true": a_page(headers=(("Content-Length", "5"), ("Content-Encoding", "br"), *HEADERS)),
    "a chunked header": a_page(headers=(("Transfer-Encoding", "chunked"), *HEADERS)),
    "huge headers": a_page(headers=tuple((f"X-{n}", "v" * 5_000) for n in range(200))),
    "one huge header": a_page(headers=(("X-Huge", "ü" * 500_000),)),
    "an odd header name": a_page(headers=(("", "x"), (":", "y"), ("a b", "z"), ("ü", "w"), ("X" * 5_000, "q"))),
    "headers in strange signs": a_page(headers=(("X-Name", "Müller 税 \ud800 \x85 \u2028"),)),
    "a unicode url": a_page(url="https://税.example/straße?q=ä b\ud800&r=\r\nX: y"),
    "a url with a password": a_page(url="https://user:secret@tax.example/x"),
    "a very long url": a_page(url="https://tax.example/?" + "q" * 50_000),
    "no url": a_page(url=""),
    "a name with line breaks": a_page(name="a\r\nWARC-Type: conversion\r\n"),
    "a strange content type": a_page(content_type="text/html\r\nX: y; \ud800" + "z" * 5_000),
    "a strange method": a_page(method="POST\r\nX: y"),
    "a large body": a_page(b"0123456789" * 300_000),
    "before the epoch": a_page(fetched=-1.5),
}


@pytest.fixture
def blobs(tmp_path: Path) -> FileBlobs:
    return FileBlobs(tmp_path / "store")


def a_writer(blobs: FileBlobs | MemoryBlobs, **changes: int) -> SegmentWriter:
    return SegmentWriter(blobs, "job-1", "w1", VirtualClock(), **changes)


@pytest.mark.parametrize("page", ODD_PAGES.values(), ids=ODD_PAGES.keys())
async def test_an_odd_page_is_read_back_exactly_and_is_valid_warc(blobs: FileBlobs, tmp_path: Path, page: Kept):
    writer = a_writer(blobs)
    captures = [await writer.keep(one) for one in (a_page(b"before"), page, a_page(b"after"))]
    await writer.close()
    reader = ResultReader(blobs)
    found = [await reader.page(capture) for capture in captures]
    assert [one.body for one in found] == [b"before", page.body, b"after"]
    assert captures[1].sha256 == sha(page.body)
    assert captures[1].size == len(page.body)
    assert (found[1].name, found[1].status, found[1].fetched) == (page.name, page.status, page.fetched)
    assert warcio_check(tmp_path) == 1


async def test_any_warc_tool_sees_one_entry_for_each_page_and_nothing_forged(blobs: FileBlobs, tmp_path: Path):
    writer = a_writer(blobs)
    for n, page in enumerate(ODD_PAGES.values()):
        await writer.keep(msgspec.structs.replace(page, fetched=float(n)))
    await writer.close()
    (segment,) = segments_in(tmp_path)
    with segment.open("rb") as file:
        types: list[str] = []
        ids: set[UUID] = set()
        for record in ArchiveIterator(file):
            types.append(record.rec_type)
            ids.add(UUID(record.rec_headers.get_header("WARC-Record-ID")[1:-1]))
            assert record.rec_headers.get_header("X") is None
    assert types[0] == "warcinfo"
    assert types.count("response") + types.count("resource") == len(ODD_PAGES)
    assert types.count("resource") == 2
    assert len(ids) == len(types)


async def test_secrets_are_not_kept_and_headers_tell_of_the_body_as_it_lies(blobs: FileBlobs, tmp_path: Path):
    writer = a_writer(blobs)
    page = a_page(
        url="https://user:secret1@tax.example/x",
        headers=(("Set-Cookie", "session=secret2"), ("AUTHORIZATION", "secret3"), ("Content-Encoding", "br"), *HEADERS),
    )
    capture = await writer.keep(page)
    await writer.close()
    found = dict((await ResultReader(blobs).page(capture)).headers)
    assert found["Set-Cookie"] == "redacted"
    assert found["Content-Length"] == str(len(BODY))
    assert "Content-Encoding" not in found
    assert found["Server"] == "county/1.0"
    (segment,) = segments_in(tmp_path)
    assert b"secret" not in gzip.decompress(segment.read_bytes())
    assert "secret" not in capture.url


async def test_one_page_is_one_gzip_member_that_stands_alone(blobs: FileBlobs):
    writer = a_writer(blobs)
    captures = [await writer.keep(a_page(b"page %d" % n)) for n in range(20)]
    await writer.close()
    for n, capture in enumerate(captures):
        assert gzip.decompress(await blobs.read(capture.place)).endswith(b"page %d\r\n\r\n" % n)


async def test_one_answer_kept_under_two_names_lies_there_once(blobs: FileBlobs):
    writer = a_writer(blobs)
    first, second, other = [
        await writer.keep(page) for page in (a_page(name="a"), a_page(name="b"), a_page(name="c", fetched=1.0))
    ]
    await writer.close()
    assert first.place == second.place != other.place
    assert (await ResultReader(blobs).page(second)).name == "b"


async def test_a_file_is_an_object_of_its_own_and_the_same_content_is_stored_once(blobs: FileBlobs, tmp_path: Path):
    writer = a_writer(blobs)
    pdf = b"%PDF-1.7 " * 100_000
    downloads = [tmp_path / "one.pdf", tmp_path / "two.pdf"]
    for download in downloads:
        download.write_bytes(pdf)
    kept = [
        a_page(b"", path=downloads[0], content_type="application/pdf", name="../../evil"),
        a_page(b"", path=downloads[0], content_type="application/pdf", name="again"),
        a_page(b"", path=downloads[1], content_type="application/pdf; charset=binary"),
        a_page(pdf, content_type="Application/PDF"),
    ]
    captures = [await writer.keep(one) for one in kept]
    await writer.close()
    assert {capture.place for capture in captures} == {
        Place(f"jobs/job-1/files/{sha(pdf)[:2]}/{sha(pdf)}.pdf", 0, len(pdf))
    }
    assert [(await ResultReader(blobs).page(capture)).body for capture in captures] == [pdf] * 4
    assert not any(download.exists() for download in downloads)


async def test_a_download_that_is_gone_is_a_storage_error(blobs: FileBlobs, tmp_path: Path):
    with pytest.raises(StorageError, match="leave its file in place"):
        await a_writer(blobs).keep(a_page(b"", path=tmp_path / "gone.pdf"))


async def test_a_file_blob_that_is_not_its_content_is_not_taken_for_it(blobs: FileBlobs):
    image = b"\x89PNG" * 1000
    await blobs.put(f"jobs/job-1/files/{sha(image)[:2]}/{sha(image)}.png", b"something else")
    with pytest.raises(StorageError, match="remove it"):
        await a_writer(blobs).keep(a_page(image, content_type="image/png"))


async def test_records_of_many_items_share_a_member_and_each_finds_its_own(blobs: FileBlobs):
    writer = a_writer(blobs)
    slots = [writer.record(n, f"key-{n}", [a_row(n)] * (n % 4 + 1)) for n in range(50)]
    await writer.sync()
    batches = [slot.batch() for slot in slots]
    assert len({batch.place for batch in batches}) == 1
    reader = ResultReader(blobs)
    for n, batch in enumerate(batches):
        rows = await reader.rows(batch)
        assert [(row.seq, row.key, row.model) for row in rows] == [(n, f"key-{n}", "Bill")] * (n % 4 + 1)
        assert batch.counts == {"Bill": n % 4 + 1}
        assert rows[0].fields == {"parcel_id": f"P-{n:06d}", "owner": f"OWNER {n}", "amount": f"{n}.50"}
    await writer.close()


async def test_hostile_values_in_records_come_back_as_they_were(blobs: FileBlobs):
    writer = a_writer(blobs)
    rows = [
        ("Bill", b'{"a":"line\\nbreak\\r\\n","b":"nul \\u0000","c":"\\u2028"}'),
        ("Bill", b'{"a":"' + b"x" * 1_000_000 + b'"}'),
        ("Bill", b'{\n  "a": "spread over lines",\n  "b": []\n}'),
        ("Bill", b"{}"),
        ("Bill", b'{"a":123456789012345678901234567890}'),
        ("Bill", b'{"a":"half \\ud800 a sign"}'),
    ]
    slot = writer.record(7, 'key "quoted"\n\ud800', rows)
    await writer.close()
    found = await ResultReader(blobs).rows(slot.batch())
    assert found[0].fields == {"a": "line\nbreak\r\n", "b": "nul \0", "c": "\u2028"}
    assert found[1].fields == {"a": "x" * 1_000_000}
    assert found[2].fields == {"a": "spread over lines", "b": []}
    assert found[3].fields == {}
    assert found[4].fields == {"a": 123456789012345678901234567890}
    assert found[5].fields == {"a": "half ? a sign"}
    assert {row.key for row in found} == {'key "quoted"\n?'}


async def test_too_many_records_of_one_item_are_refused(blobs: FileBlobs):
    row = ("Bill", b'{"a":"' + b"x" * 1_000_000 + b'"}')
    with pytest.raises(BadInput, match="keep large values as captures"):
        a_writer(blobs).record(1, "key", [row] * (ITEM_LIMIT // 1_000_000 + 1))


async def test_what_is_no_record_is_refused(blobs: FileBlobs):
    writer = a_writer(blobs)
    for text in (b"[1]", b"{", b'{"a":\n', b"null"):
        with pytest.raises(BadInput, match="JSON object"):
            writer.record(1, "key", [("Bill", text)])


async def test_records_cannot_be_told_of_before_they_are_durable(blobs: FileBlobs):
    writer = a_writer(blobs)
    slot = writer.record(1, "key", [a_row(1)])
    with pytest.raises(StorageError, match="sync"):
        slot.batch()
    await writer.sync()
    assert slot.batch().size == 1
    await writer.close()


async def test_a_full_segment_is_followed_by_another(blobs: FileBlobs, tmp_path: Path):
    writer = a_writer(blobs, segment_bytes=20_000)
    captures, slots = [], []
    for n in range(200):
        captures.append(await writer.keep(a_page(b"%d " % n + BODY)))
        slots.append(writer.record(n, f"key-{n}", [a_row(n)]))
        if n % 10 == 9:
            await writer.sync()
    await writer.close()
    assert 3 < warcio_check(tmp_path) < 20
    reader = ResultReader(blobs)
    for n in range(200):
        assert (await reader.page(captures[n])).body == b"%d " % n + BODY
        assert (await reader.rows(slots[n].batch()))[0].seq == n


async def test_keeping_goes_on_while_a_sync_is_under_way(blobs: FileBlobs):
    writer = a_writer(blobs, segment_bytes=8_000)
    captures, slots = [], []
    for turn in range(10):
        syncing = asyncio.ensure_future(writer.sync())
        for n in range(20):
            captures.append(await writer.keep(a_page(b"%d-%d" % (turn, n))))
            slots.append(writer.record(len(slots), "key", [a_row(n)]))
            await asyncio.sleep(0)
        await syncing
    await writer.close()
    reader = ResultReader(blobs)
    assert [(await reader.page(one)).body for one in captures] == [b"%d-%d" % (n // 20, n % 20) for n in range(200)]
    assert [(await reader.rows(slot.batch()))[0].seq for slot in slots] == list(range(200))


async def test_a_cancelled_sync_is_made_good_by_the_next(blobs: FileBlobs):
    writer = a_writer(blobs)
    capture = await writer.keep(a_page())
    slot = writer.record(1, "key", [a_row(1)])
    syncing = asyncio.ensure_future(writer.sync())
    await asyncio.sleep(0)
    syncing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await syncing
    await writer.sync()
    assert (await ResultReader(blobs).page(capture)).body == BODY
    assert len(await ResultReader(blobs).rows(slot.batch())) == 1
    await writer.close()


async def test_two_workers_write_side_by_side(blobs: FileBlobs):
    writers = [SegmentWriter(blobs, "job-1", worker, VirtualClock()) for worker in ("w1", "w1", "w/../2", "ünïcode")]
    captures = [await writer.keep(a_page(b"%d" % n)) for n, writer in enumerate(writers)]
    for writer in writers:
        await writer.close()
    assert len({capture.place.blob for capture in captures}) == 4
    assert [(await ResultReader(blobs).page(one)).body for one in captures] == [b"0", b"1", b"2", b"3"]


async def test_a_name_is_never_made_of_what_a_stranger_says(blobs: FileBlobs, tmp_path: Path):
    writer = SegmentWriter(blobs, "../../job", "w1", VirtualClock())
    await writer.keep(a_page(name="../../name", url="https://tax.example/../../url", content_type="../../type"))
    slot = writer.record(1, "../../key", [("../../Model", b"{}")])
    await writer.close()
    keys = [blob.key async for blob in blobs.walk("")]
    assert len(keys) == 2
    assert not any(word in key for key in keys for word in ("name", "url", "type", "key", "Model", ".."))
    assert slot.batch().counts == {"../../Model": 1}
