"""One item as a line of the manifest: what became of it, why, and where everything lies that came of it."""

from datetime import UTC, datetime
from functools import lru_cache

import msgspec

from scrapeyard.model.capture import Capture, RecordBatch
from scrapeyard.model.item import Item

_ENCODER = msgspec.json.Encoder()


class CaptureLine(msgspec.Struct, frozen=True):
    """One capture, found by one range read of `segment`; `sha256` and `size` are of the body as served."""

    name: str
    segment: str
    offset: int
    length: int
    sha256: str
    size: int
    url: str
    time: str
    status: int
    content_type: str


class RecordsLine(msgspec.Struct, frozen=True):
    """The item's records: lines `start … start+size` of the text in the gzip member at `offset`."""

    segment: str
    offset: int
    length: int
    start: int
    size: int
    counts: dict[str, int]


class ItemLine(msgspec.Struct, frozen=True):
    """One item, in the order of the list."""

    seq: int
    key: str
    outcome: str
    kind: str | None
    attempts: int
    epoch: int
    reason: str | None
    captures: list[CaptureLine]
    records: RecordsLine | None
    reading: str


def item_line(item: Item) -> bytes:
    """The line, with its end."""
    return _ENCODER.encode(_of(item)) + b"\n"


def _of(item: Item) -> ItemLine:
    return ItemLine(
        item.seq,
        item.key,
        item.state,
        item.kind,
        item.attempts,
        item.epoch,
        item.reason,
        [capture_line(capture) for capture in item.captures],
        None if item.records is None else _records(item.records),
        item.reading,
    )


def capture_line(capture: Capture) -> CaptureLine:
    """Where one page or file lies."""
    place = capture.place
    return CaptureLine(
        capture.name,
        place.blob,
        place.offset,
        place.length,
        capture.sha256,
        capture.size,
        capture.url,
        moment(capture.fetched),
        capture.status,
        capture.content_type,
    )


def _records(batch: RecordBatch) -> RecordsLine:
    place = batch.place
    return RecordsLine(place.blob, place.offset, place.length, batch.start, batch.size, batch.counts)


def moment(at: float) -> str:
    """A time that people and databases read alike."""
    seconds, micros = divmod(round(at * 1_000_000), 1_000_000)
    return f"{_second(seconds)}.{micros // 1000:03}Z"


@lru_cache(maxsize=64)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().removesuffix("+00:00")
