"""The two tables that are the same for every scraper: items and attempts."""

import msgspec

from scrapeyard.export.columns import Column, Type
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.item import Item
from scrapeyard.model.states import VisitState
from scrapeyard.results.lines import capture_line, moment

ITEMS = (
    Column("_key"),
    Column("_seq", Type.INTEGER),
    Column("outcome"),
    Column("kind"),
    Column("reason"),
    Column("attempts", Type.INTEGER),
    Column("reading"),
    Column("records", Type.INTEGER),
    Column("changed", Type.TIME),
    Column("inputs", Type.JSON),
    Column("captures", Type.JSON),
)

ATTEMPTS = (
    Column("_key"),
    Column("_seq", Type.INTEGER),
    Column("number", Type.INTEGER),
    Column("epoch", Type.INTEGER),
    Column("outcome"),
    Column("kind"),
    Column("status", Type.INTEGER),
    Column("detail"),
    Column("rule"),
    Column("worker"),
    Column("tier"),
    Column("started", Type.TIME),
    Column("ms", Type.INTEGER),
    Column("requests", Type.INTEGER),
    Column("wire_bytes", Type.INTEGER),
    Column("body_bytes", Type.INTEGER),
    Column("cost_micros", Type.INTEGER),
    Column("steps", Type.JSON),
)

_UNTRIED = frozenset({VisitState.WAITING, VisitState.CANCELLED, VisitState.SKIPPED})
_ROW = 400


def item_row(item: Item) -> tuple[list[object], int]:
    """One row of `items`, and about how large it is."""
    row: list[object] = [
        item.key,
        item.seq,
        item.state.value,
        item.kind,
        item.reason,
        item.attempts,
        item.reading.value,
        0 if item.records is None else item.records.size,
        moment(item.changed) if item.changed else None,
        _inputs(item.inputs),
        [capture_line(capture) for capture in item.captures],
    ]
    return row, _ROW + len(item.inputs) + len(item.reason or "") + _ROW * len(item.captures)


def _inputs(inputs: bytes) -> object:
    try:
        return msgspec.json.decode(inputs)
    except msgspec.DecodeError:
        return inputs.decode("utf-8", "replace")


def attempt_row(item: Item, attempt: Attempt) -> tuple[list[object], int]:
    """One row of `attempts`, and about how large it is."""
    row: list[object] = [
        item.key,
        item.seq,
        attempt.number,
        attempt.epoch,
        attempt.outcome,
        attempt.kind,
        attempt.status,
        attempt.detail,
        attempt.rule,
        attempt.worker,
        attempt.tier,
        moment(attempt.started),
        attempt.ms,
        attempt.requests,
        attempt.wire_bytes,
        attempt.body_bytes,
        attempt.cost_micros,
        [
            {"name": step.name, "started": moment(step.started), "ms": step.ms, "failed": step.failed}
            for step in attempt.steps
        ],
    ]
    return row, _ROW + len(attempt.detail) + 100 * len(attempt.steps)


def may_have_attempts(item: Item) -> bool:
    """Whether it is worth asking for the attempts of an item; most of a cancelled job were never tried."""
    return bool(item.attempts or item.epoch or item.losses or item.crashes) or item.state not in _UNTRIED
