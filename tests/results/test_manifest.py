"""The manifest says what the ledger says, and there is always a whole one: the new, or still the old."""

import gzip
import hashlib
import json
import tracemalloc
from typing import Any

import msgspec
import pytest

from scrapeyard.backends.memory.blobs import MemoryBlobs
from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.model.capture import Capture, Place
from scrapeyard.model.errors import NotFound, StorageError
from scrapeyard.model.item import Selection
from scrapeyard.model.policy import SitePolicy
from scrapeyard.model.scraper import ScraperCard, ScraperRef
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.ports.blobs import BlobStat
from scrapeyard.results.cards import card_of, keep_card
from scrapeyard.results.keys import card_key, manifest_prefix
from scrapeyard.results.manifest import manifest_lines, read_manifest, write_manifest
from scrapeyard.testing.scenes import NOW, Scene, ended, failed, staged, succeeded


class FailingBlobs(MemoryBlobs):
    """A store that fails at its n-th put, before or after the bytes are there."""

    left = -1
    after = False

    async def put(self, key: str, data: bytes, *, replace: bool = False) -> BlobStat:
        self.left -= 1
        if self.left == 0 and not self.after:
            raise StorageError("The power went.")
        stat = await super().put(key, data, replace=replace)
        if self.left == 0:
            raise StorageError("The power went.")
        return stat


async def write(scene: Scene, blobs: MemoryBlobs, part_items: int = 50_000) -> dict[str, Any]:
    tally = await scene.ledger.jobs.recount(scene.id)
    await write_manifest(await scene.job(), tally, scene.ledger.items, blobs, now=NOW, part_items=part_items)
    return json.loads(await read_manifest(blobs, scene.id))


async def lines(scene: Scene, blobs: MemoryBlobs) -> list[dict[str, Any]]:
    return [json.loads(line) async for line in manifest_lines(blobs, scene.id)]


async def finished(count: int = 10) -> Scene:
    """A job in which every item has ended one way or another."""
    scene = await staged(MemoryLedger(), count)
    for lease in await scene.take():
        ways = (succeeded(lease), ended(lease), failed(lease), failed(lease, "timeout_read"), succeeded(lease, 3))
        await scene.settle(ways[lease.offer.seq % 5])
    await scene.move(JobState.FINALIZING, JobState.RUNNING)
    return scene


async def test_every_item_has_a_line_with_all_that_came_of_it():
    scene, blobs = await finished(), MemoryBlobs()
    await write(scene, blobs)
    told = await lines(scene, blobs)
    assert [line["seq"] for line in told] == list(range(10))
    assert told[0] == {
        "seq": 0,
        "key": "P-000000",
        "outcome": "succeeded",
        "kind": None,
        "attempts": 1,
        "epoch": 0,
        "reason": None,
        "captures": [
            {
                "name": "detail",
                "segment": "jobs/x/pages/w1-0.warc.gz",
                "offset": 0,
                "length": 900,
                "sha256": "ab" * 32,
                "size": 81_920,
                "url": "https://tax.example/0?q=é",
                "time": "2025-06-15T15:06:40.000Z",
                "status": 200,
                "content_type": "text/html",
            },
            {
                "name": "bill",
                "segment": "jobs/x/files/0.pdf",
                "offset": 0,
                "length": 5_000,
                "sha256": "cd" * 32,
                "size": 5_000,
                "url": "https://tax.example/0.pdf",
                "time": "2025-06-15T15:06:40.000Z",
                "status": 200,
                "content_type": "application/pdf",
            },
        ],
        "records": {
            "segment": "jobs/x/records/w1-0.jsonl.gz",
            "offset": 0,
            "length": 4_000,
            "start": 0,
            "size": 64,
            "counts": {"Bill": 2},
        },
        "reading": "read",
    }
    assert (told[2]["outcome"], told[2]["kind"], told[2]["reason"]) == ("failed", "blocked", "it was blocked")
    assert (told[1]["outcome"], told[1]["captures"], told[1]["records"]) == ("absent", [], None)


async def test_the_totals_add_up_and_the_segments_are_those_that_are_referred_to():
    scene, blobs = await finished(), MemoryBlobs()
    await blobs.put("jobs/x/pages/orphan.warc.gz", b"of a worker that was fenced off")
    manifest = await write(scene, blobs)
    assert manifest["items"] == 10
    assert manifest["outcomes"] == {"succeeded": 4, "absent": 2, "failed": 4}
    assert manifest["kinds"] == {"blocked": 2, "timeout_read": 2}
    assert manifest["readings"] == {"read": 4, "none": 6}
    assert manifest["records"] == {"Bill": 10}
    assert manifest["captures"] == {"count": 8, "bytes": 4 * (81_920 + 5_000), "files": 4}
    assert manifest["sums"]["attempts"] == 10
    assert manifest["sums"]["wire_bytes"] == 10 * 20_480
    assert manifest["segments"] == [
        {"key": "jobs/x/pages/w1-0.warc.gz", "places": 4, "end": 9 * 900 + 900},
        {"key": "jobs/x/records/w1-0.jsonl.gz", "places": 4, "end": 4_000},
    ]
    assert manifest["scraper"] == {"name": "us.fl.leon.bill", "version": "1.2.0", "digest": "9f" * 16}
    assert (manifest["state"], manifest["epoch"]) == ("completed", 0)


async def test_parts_have_their_number_of_items_and_their_digests():
    scene, blobs = await finished(25), MemoryBlobs()
    manifest = await write(scene, blobs, part_items=10)
    assert [(part["items"], part["first"], part["last"]) for part in manifest["parts"]] == [
        (10, 0, 9),
        (10, 10, 19),
        (5, 20, 24),
    ]
    for part in manifest["parts"]:
        data = await blobs.read(Place(part["key"], 0, part["bytes"]))
        assert hashlib.sha256(data).hexdigest() == part["sha256"]
        assert len(gzip.decompress(data).splitlines()) == part["items"]
    assert [line["seq"] for line in await lines(scene, blobs)] == list(range(25))


async def test_a_cancelled_job_has_a_manifest_in_which_the_rest_is_cancelled():
    scene, blobs = await staged(MemoryLedger(), 10), MemoryBlobs()
    await scene.settle(*(succeeded(lease) for lease in await scene.take(3)))
    await scene.move(JobState.CANCELLED, JobState.RUNNING)
    manifest = await write(scene, blobs)
    assert manifest["state"] == "cancelled"
    assert manifest["outcomes"] == {"succeeded": 3, "cancelled": 7}
    assert [line["outcome"] for line in await lines(scene, blobs)].count("cancelled") == 7


async def test_a_job_that_was_cancelled_while_it_was_loaded_has_a_manifest():
    scene, blobs = await staged(MemoryLedger(), 0), MemoryBlobs()
    await scene.move(JobState.CANCELLED, JobState.RUNNING)
    assert (await write(scene, blobs))["parts"] == []
    assert await lines(scene, blobs) == []


async def test_items_that_do_not_add_up_to_the_sealed_total_make_no_manifest():
    scene, blobs = await finished(), MemoryBlobs()
    job = msgspec.structs.replace(await scene.job(), total=11)
    with pytest.raises(StorageError, match="sealed with 11 items but its ledger lists 10"):
        await write_manifest(job, await scene.tally(), scene.ledger.items, blobs, now=NOW)
    with pytest.raises(NotFound, match="when the job has ended"):
        await read_manifest(blobs, scene.id)


async def redriven(scene: Scene) -> None:
    await scene.move(JobState.COMPLETED, JobState.FINALIZING)
    await scene.redrive(Selection(states=frozenset({VisitState.FAILED})))
    await scene.move(JobState.RUNNING, JobState.COMPLETED)
    await scene.settle(*[succeeded(lease) for lease in await scene.take()])
    await scene.move(JobState.FINALIZING, JobState.RUNNING)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("put", [1, 2, 3, 4])
async def test_a_crash_in_the_middle_leaves_the_old_manifest_whole(put: int, after: bool):
    scene, blobs = await finished(25), FailingBlobs()
    await write(scene, blobs, part_items=10)
    old, old_lines = await read_manifest(blobs, scene.id), await lines(scene, blobs)
    await redriven(scene)
    blobs.left, blobs.after = put, after
    with pytest.raises(StorageError, match="power"):
        await write(scene, blobs, part_items=10)
    if put < 4 or not after:
        assert await read_manifest(blobs, scene.id) == old
        assert await lines(scene, blobs) == old_lines
    manifest = await write(scene, blobs, part_items=10)
    assert manifest["epoch"] == 1
    assert manifest["outcomes"] == {"succeeded": 20, "absent": 5}
    assert [line["epoch"] for line in await lines(scene, blobs)][:5] == [0, 0, 1, 1, 0]


async def test_whoever_reads_the_old_manifest_reads_it_to_its_end_while_a_new_one_is_written():
    scene, blobs = await finished(25), MemoryBlobs()
    await write(scene, blobs, part_items=10)
    expected = await lines(scene, blobs)
    reading = manifest_lines(blobs, scene.id)
    found = [json.loads(await anext(reading))]
    await redriven(scene)
    await write(scene, blobs, part_items=10)
    found += [json.loads(line) async for line in reading]
    assert found == expected
    assert await lines(scene, blobs) != expected


async def test_parts_of_manifests_long_replaced_are_removed():
    scene, blobs = await finished(25), MemoryBlobs()
    await write(scene, blobs, part_items=10)
    for _ in range(3):
        await redriven(scene) if (await scene.tally()).failed else await _again(scene)
        await write(scene, blobs, part_items=10)
    epochs = {blob.key.split("/")[3] async for blob in blobs.walk(manifest_prefix(scene.id) + "epoch-")}
    assert epochs == {"epoch-2", "epoch-3"}


async def _again(scene: Scene) -> None:
    await scene.move(JobState.COMPLETED, JobState.FINALIZING)
    await scene.redrive(Selection(states=frozenset({VisitState.ABSENT}), keys=frozenset({"P-000001"})))
    await scene.move(JobState.RUNNING, JobState.COMPLETED)
    await scene.settle(*[ended(lease) for lease in await scene.take()])
    await scene.move(JobState.FINALIZING, JobState.RUNNING)


async def test_a_part_that_was_changed_is_noticed():
    scene, blobs = await finished(), MemoryBlobs()
    (part,) = (await write(scene, blobs))["parts"]
    data = await blobs.read(Place(part["key"], 0, part["bytes"]))
    await blobs.put(part["key"], data[:-1] + b"\xff", replace=True)
    with pytest.raises(StorageError, match="another digest"):
        await lines(scene, blobs)


async def test_hostile_words_stay_within_their_line():
    scene, blobs = await staged(MemoryLedger(), 1), MemoryBlobs()
    (lease,) = await scene.take()
    words = 'line\nbreak "quote" \0 \u2028 </script>'
    capture = Capture(words, Place("jobs/x/p", 0, 1), "ab", 1, words, 200, words, NOW)
    await scene.settle(failed(lease, reason=words, captures=(capture,)))
    await write(scene, blobs)
    (line,) = await lines(scene, blobs)
    assert line["reason"] == line["captures"][0]["name"] == line["captures"][0]["url"] == words


async def test_memory_does_not_grow_with_the_job():
    scene, blobs = await finished(30_000), MemoryBlobs()
    tally = await scene.ledger.jobs.tally(scene.id)
    tracemalloc.start()
    try:
        await write_manifest(await scene.job(), tally, scene.ledger.items, blobs, now=NOW, part_items=5_000)
        assert tracemalloc.get_traced_memory()[1] < 12 << 20
        tracemalloc.reset_peak()
        count = 0
        async for _ in manifest_lines(blobs, scene.id):
            count += 1
        assert tracemalloc.get_traced_memory()[1] < 12 << 20
    finally:
        tracemalloc.stop()
    assert count == 30_000


async def test_a_card_is_kept_and_may_be_replaced():
    blobs = MemoryBlobs()
    assert await card_of(blobs, "job-1") is None
    card = ScraperCard(
        ScraperRef("us.fl.leon.bill", "1.2.0", "9f" * 16),
        SitePolicy("tax.example"),
        record_schemas={"Bill": {"properties": {"amount": {"type": "string", "format": "decimal"}}}},
        sentinels=("001",),
    )
    await keep_card(blobs, "job-1", card)
    assert await card_of(blobs, "job-1") == card
    newer = msgspec.structs.replace(card, summary="newer")
    await keep_card(blobs, "job-1", newer)
    assert await card_of(blobs, "job-1") == newer
    await blobs.put(card_key("job-1"), b"{", replace=True)
    with pytest.raises(StorageError, match="damaged"):
        await card_of(blobs, "job-1")
