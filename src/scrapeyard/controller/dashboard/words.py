"""How values are said on a page: the figures of everywhere else, and times that the browser puts in its own zone."""

from datetime import UTC, datetime
from typing import Any

import msgspec
from markupsafe import Markup

from scrapeyard.model import figures
from scrapeyard.model.failures import FAULT_MEANING, VERDICTS, Kind
from scrapeyard.model.states import JOB_MEANING, VISIT_MEANING

_MEANINGS: dict[str, str] = {
    **{state.value: said for state, said in JOB_MEANING.items()},
    **{state.value: said for state, said in VISIT_MEANING.items()},
    **{kind.value: verdict.meaning for kind, verdict in VERDICTS.items()},
}
_KINDS = frozenset(Kind)


def when(at: float | None) -> Markup:
    """A moment, in UTC for those without scripts."""
    if not at:
        return Markup("–")
    moment = datetime.fromtimestamp(at, UTC)
    shown = moment.strftime("%Y-%m-%d %H:%M:%S UTC")
    return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(), shown)


def money(micros: float) -> str:
    """Millionths of a dollar, in dollars."""
    return figures.money(micros / 1e6)


def meaning(name: str) -> str:
    """What a state or a kind of failure means."""
    return _MEANINGS.get(name.removeprefix("failed: "), "")


def blame(kind: str) -> str:
    """Whose fault a kind of failure is."""
    return FAULT_MEANING[VERDICTS[Kind(kind)].fault] if kind in _KINDS else ""


def pretty(value: bytes) -> str:
    """JSON bytes, indented."""
    try:
        return msgspec.json.format(value, indent=2).decode()
    except msgspec.DecodeError:
        return value.decode("utf-8", "replace")


FILTERS: dict[str, Any] = {
    "number": figures.number,
    "share": figures.share,
    "duration": figures.duration,
    "coming": figures.coming,
    "size": figures.size,
    "money": money,
    "pace": figures.pace,
    "when": when,
    "meaning": meaning,
    "blame": blame,
    "pretty": pretty,
}
