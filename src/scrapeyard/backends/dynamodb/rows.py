"""An item's row: what is loaded in attributes of its own, what came of it packed into one, so that it fits in 1 KB.

`f` is the fence of the last result that was recorded, and its upper part counts the results: a lease may record if,
and only if, it was given for the very next one. That one condition is all that makes a result recorded exactly once.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from scrapeyard.backends.counting import Counting, shown_state, standing
from scrapeyard.backends.dynamodb.keys import trouble_part
from scrapeyard.backends.dynamodb.table import Key
from scrapeyard.backends.dynamodb.values import Row, squeezed, unfolded
from scrapeyard.backends.rows import decode_attempt, encode
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.capture import Capture, RecordBatch
from scrapeyard.model.item import Item, NewItem, Offer, Settlement
from scrapeyard.model.job import Job
from scrapeyard.model.states import FINAL_VISITS, JobState, ReadingState, VisitState

_LUCK = 20
REAPER = 1
"""The lower part of the fence under which a dead worker's lease is settled. Those of workers are larger."""

TROUBLED = frozenset({VisitState.FAILED, VisitState.UNCERTAIN})


class Body(msgspec.Struct, frozen=True, array_like=True):
    """What became of an item. `told` says that the last result came with an attempt."""

    state: VisitState = VisitState.WAITING
    attempts: int = 0
    crashes: int = 0
    losses: int = 0
    kind: str | None = None
    not_before: float = 0.0
    changed: float = 0.0
    reading: ReadingState = ReadingState.NONE
    rung: int = 0
    strikes: int = 0
    captures: tuple[Capture, ...] = ()
    records: RecordBatch | None = None
    reason: str | None = None
    told: bool = False


_decode = msgspec.msgpack.Decoder(Body).decode
_FRESH = Body()


class Stored(msgspec.Struct, frozen=True):
    """A row of an item, read."""

    seq: int
    key: str
    inputs: bytes
    fence: int
    epoch: int
    turn: int
    body: Body
    tries: tuple[bytes, ...] = ()

    @property
    def attempts(self) -> list[Attempt]:
        """Every recorded try."""
        return [decode_attempt(one) for one in self.tries]


def new_row(key: Key, item: NewItem, seq: int, turn: int) -> Row:
    """An item as it is loaded."""
    return {"p": key[0], "s": key[1], "n": seq, "k": item.key, "i": item.inputs, "f": 0, "e": 0, "t": turn}


def stored(row: Row) -> Stored:
    """A row as it is read."""
    body = _decode(unfolded(row["x"])) if "x" in row else _FRESH
    return Stored(row["n"], row["k"], row["i"], row["f"], row["e"], row["t"], body, tuple(row.get("a", ())))


def packed(body: Body) -> bytes:
    """What became of an item, in few bytes."""
    return squeezed(encode(body))


def fence_after(fence: int, luck: int) -> int:
    """A fence for the result after the one that was recorded under `fence`."""
    return (((fence >> _LUCK) + 1) << _LUCK) | luck


def reapers(fence: int) -> int:
    """The fence of whoever settles this lease for a dead worker."""
    return (fence >> _LUCK << _LUCK) | REAPER


def counts(fence: int) -> int:
    """How many results there are with this one."""
    return fence >> _LUCK


def luck_of(number: int) -> int:
    """The lower part of a worker's fence."""
    return 2 + number % ((1 << _LUCK) - 2)


def body_of(settlement: Settlement, now: float) -> Body:
    """What a result makes of an item."""
    return Body(
        settlement.state, settlement.attempts, settlement.crashes, settlement.losses, settlement.kind,
        settlement.not_before, now, settlement.reading, settlement.rung, settlement.strikes, settlement.captures,
        settlement.records, settlement.reason, settlement.attempt is not None,
    )  # fmt: skip


def change(settlement: Settlement, body: Body) -> tuple[str, str, Mapping[str, Any]]:
    """How the row is changed, on which condition, and with what."""
    words = ["f = :f", "x = :x"]
    values: dict[str, Any] = {
        "f": settlement.fence, "x": packed(body), "e": settlement.epoch,
        "low": (counts(settlement.fence) - 1) << _LUCK, "high": (counts(settlement.fence) << _LUCK) - 1,
    }  # fmt: skip
    if settlement.attempt is not None:
        words.append("a = list_append(if_not_exists(a, :none), :a)")
        values |= {"a": [encode(settlement.attempt)], "none": []}
    if body.state in TROUBLED:
        words.append("tp = :tp, tk = :tk")
        values |= {"tp": trouble_part(settlement.job, settlement.seq), "tk": settlement.kind or ""}
    return f"SET {', '.join(words)}", "e = :e AND f BETWEEN :low AND :high", values


def counted(body: Body, counting: Counting) -> None:
    """Count an item that has come to an end; what still waits is known otherwise."""
    if body.state in FINAL_VISITS:
        counting.counted(standing(body.state, body.kind, body.records, body.reading), 1)


def offer_from(job: Job, row: Stored, until: float) -> Offer:
    """Leave to start this item."""
    body = row.body
    return Offer(
        job=job.id,
        seq=row.seq,
        key=row.key,
        inputs=row.inputs,
        scraper=job.scraper,
        epoch=row.epoch,
        attempt=body.attempts + 1,
        until=until,
        lane=job.lane,
        crashes=body.crashes,
        losses=body.losses,
        last_kind=body.kind,
        deadline=job.policy.deadline,
        repeatable=job.repeatable,
        rung=body.rung,
        strikes=body.strikes,
    )


def item_from(job: Job, row: Stored, worker: str | None = None) -> Item:
    """The item as people see it; with the worker that has it, if one does."""
    body = row.body
    state = VisitState.RUNNING if worker is not None else body.state
    return Item(
        job=job.id,
        seq=row.seq,
        key=row.key,
        inputs=row.inputs,
        state=shown_state(state, cancelled=job.state is JobState.CANCELLED),
        epoch=row.epoch,
        attempts=body.attempts,
        crashes=body.crashes,
        losses=body.losses,
        kind=body.kind,
        not_before=body.not_before,
        worker=worker,
        changed=body.changed,
        captures=body.captures,
        records=body.records,
        reading=body.reading,
        reason=body.reason,
        rung=body.rung,
        strikes=body.strikes,
    )
