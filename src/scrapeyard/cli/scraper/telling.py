"""A try told line by line: what was asked of the site, what was kept, what was read, what came of it."""

from collections.abc import Iterator
from typing import Any

import msgspec

from scrapeyard.cli.shapes import Shape
from scrapeyard.cli.wording import counted, duration, plain, size
from scrapeyard.model.capture import Kept
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.model.states import ReadingState, VisitState
from scrapeyard.scraping.http.meter import Sent
from scrapeyard.testing.cases import outcome_of
from scrapeyard.testing.trial import Trial
from scrapeyard.testing.watching import Look

_MOST = 60
_MOST_RECORDS = 8
_LONGEST = 140


def told(card: ScraperCard, trial: Trial) -> Iterator[str]:
    """The lines of a try."""
    yield f"{card.ref.name}  {plain(trial.inputs.decode())}"
    yield from _part("asked", [_sent(one) for one in trial.sent])
    yield from _part("kept", [_kept(one) for one in trial.kept])
    yield from _part("read", list(_looks(trial)))
    if trial.near and not any(look.missing for look in trial.looks):
        yield from _part("near it", [plain(one) for one in trial.near])
    yield from _part("records", list(_records(trial)))
    yield ""
    yield verdict(trial)


def verdict(trial: Trial) -> str:
    """What came of it, in one line."""
    ms = sum(one.ms for one in trial.sent)
    cost = f" {counted(len(trial.sent), 'request')}, {duration(ms / 1000)}." if trial.sent else ""
    if trial.state is VisitState.FAILED:
        return f"failed ({trial.kind}): {plain(trial.detail)}{cost}"
    if trial.state is VisitState.ABSENT:
        return f"absent: the site says that there is no such record.{cost}"
    if trial.state is VisitState.SKIPPED:
        return f"skipped: {plain(trial.detail)}{cost}"
    if trial.reading is ReadingState.UNREADABLE:
        return f"unreadable: {plain(trial.detail)}{cost}"
    found = counted(len(trial.rows), "record") if trial.reading is ReadingState.READ else "no extractor"
    return f"succeeded: {found}.{cost}"


def shape(card: ScraperCard, trial: Trial) -> Shape:
    """A try for a program."""
    expected = outcome_of(trial)
    return {
        "scraper": card.ref.name,
        "inputs": msgspec.json.decode(trial.inputs),
        "outcome": expected.outcome,
        "kind": expected.kind,
        "detail": trial.detail,
        "requests": [msgspec.to_builtins(one) for one in trial.sent],
        "kept": [{"name": one.name, "url": one.url, "status": one.status, "bytes": length(one)} for one in trial.kept],
        "read": [msgspec.to_builtins(look) for look in trial.looks],
        "near": list(trial.near),
        "records": expected.records,
    }


def length(kept: Kept) -> int:
    """How long a kept page or file is."""
    return len(kept.body) if kept.path is None else kept.path.stat().st_size


def _part(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield title
        yield from (f"  {line}" for line in lines[:_MOST])
        if len(lines) > _MOST:
            yield f"  … and {len(lines) - _MOST} more"


def _sent(one: Sent) -> str:
    came = str(one.status) if one.status is not None else one.kind or "no answer"
    trouble = f"  {one.kind}" if one.kind and one.status is not None else ""
    return f"{one.method:<4} {plain(one.url, _LONGEST)}  {came}  {one.ms} ms  {size(one.body_bytes)}{trouble}"


def _kept(one: Kept) -> str:
    return f"{one.name:<10} {plain(one.content_type, 60)}  {size(length(one))}  {plain(one.url, _LONGEST)}"


def _looks(trial: Trial) -> Iterator[str]:
    several = len({look.page for look in trial.looks}) > 1
    for look in trial.looks:
        yield _look(look, several)
        if look.missing and trial.near:
            yield "    near it:"
            yield from (f"      {plain(one)}" for one in trial.near)


def _look(look: Look, several: bool) -> str:
    where = f"{look.page}." if several else ""
    mark = "✗" if look.missing else "→"
    return f"{where}{plain(look.asked, _LONGEST)} {mark} {plain(look.found, _LONGEST)}"


def _records(trial: Trial) -> Iterator[str]:
    for model, line in trial.rows[:_MOST_RECORDS]:
        row: dict[str, Any] = msgspec.json.decode(line)
        yield f"{model}  {'  '.join(f'{name}={_value(value)}' for name, value in row.items())}"
    if len(trial.rows) > _MOST_RECORDS:
        yield f"… and {len(trial.rows) - _MOST_RECORDS} more"


def _value(value: object) -> str:
    return plain(value if isinstance(value, str) and value else repr(value), 60)
