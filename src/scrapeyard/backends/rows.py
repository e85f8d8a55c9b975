"""From rows to values, for every ledger that keeps its books in tables: jobs, items, and what is packed in a column."""

from collections.abc import Sequence
from typing import Any

import msgspec

from scrapeyard.backends.counting import shown_state
from scrapeyard.backends.ids import place_of
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.capture import Capture, RecordBatch
from scrapeyard.model.item import Item, Offer, Settlement
from scrapeyard.model.job import Job
from scrapeyard.model.states import JobState, ReadingState, VisitState

HELD = "held"
"""How an item stands that is out: another table says with whom."""


class JobRow(msgspec.Struct, frozen=True):
    """A job and what the ledger knows beside it: its number, its items so far, and how far the feeding has come."""

    job: Job
    number: int
    loaded: int
    cursor: int

    @property
    def cancelled(self) -> bool:
        """Whether what was not begun counts as cancelled."""
        return self.job.state is JobState.CANCELLED


class Result(msgspec.Struct, frozen=True, array_like=True):
    """The wide part of how an item ended."""

    captures: tuple[Capture, ...] = ()
    records: RecordBatch | None = None
    reason: str | None = None


encode = msgspec.msgpack.Encoder().encode
decode_job = msgspec.json.Decoder(Job).decode
decode_attempt = msgspec.msgpack.Decoder(Attempt).decode
decode_offer = msgspec.msgpack.Decoder(Offer).decode
_decode_result = msgspec.msgpack.Decoder(Result).decode
_NOTHING = Result()


def item_of(book: JobRow, row: Sequence[Any]) -> Item:
    """A row as a value: what the tables of items, standings, holds and attempts say of one item, in this order."""
    identity, key, inputs, state, epoch, attempts, crashes, losses, kind, not_before, changed, reading = row[:12]
    rung, strikes, held_since, worker, packed = row[12:]
    if held_since is not None:
        shown = VisitState.OFFERED if worker is None else VisitState.RUNNING
    else:
        shown = VisitState(state or VisitState.WAITING)
    result = _decode_result(packed) if packed is not None else _NOTHING
    return Item(
        job=book.job.id,
        seq=place_of(identity),
        key=key if isinstance(key, str) else key.decode(),
        inputs=inputs,
        state=shown_state(shown, cancelled=book.cancelled),
        epoch=epoch or 0,
        attempts=attempts or 0,
        crashes=crashes or 0,
        losses=losses or 0,
        kind=kind,
        not_before=not_before or 0.0,
        worker=worker,
        changed=held_since or changed or 0.0,
        captures=result.captures,
        records=result.records,
        reading=ReadingState(reading or ReadingState.NONE),
        reason=result.reason,
        rung=rung or 0,
        strikes=strikes or 0,
    )


def pack_result(settlement: Settlement) -> bytes | None:
    """What is kept of a settlement beside the item's narrow row."""
    if not settlement.captures and settlement.records is None and settlement.reason is None:
        return None
    return encode(Result(settlement.captures, settlement.records, settlement.reason))
