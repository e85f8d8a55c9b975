"""The memory store keeps the promises of the blobs port."""

import pytest

from scrapeyard.backends.memory.blobs import MemoryBlobs
from scrapeyard.testing.blobs import BlobsSuite


class TestMemoryBlobs(BlobsSuite):
    @pytest.fixture
    def blobs(self):
        return MemoryBlobs()


async def test_what_is_not_synced_cannot_be_read():
    blobs = MemoryBlobs()
    place = blobs.appender("a-", "").append(b"x")
    stat = await blobs.stat(place.blob)
    assert stat is not None
    assert stat.size == 0
