"""Are records that are known to exist still there? If not, "no such record" is no answer of the site any more.

An author or owner names a few such items, the sentinels. A single wrong answer proves nothing: a page may fail, and a
parcel may be merged with its neighbour. So a sentinel is doubted first and asked again; and when it stays wrong,
ordinary items that began after the doubt are the witnesses. If hardly any of them was found, the site answers nobody
any more, and that is an alarm. If they were found, it is the sentinel that is out of date.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import cast

import msgspec

from scrapeyard.model.breaker import Breaker, Cause, Phase
from scrapeyard.model.errors import BadInput
from scrapeyard.model.failures import VERDICTS, Fault, Kind
from scrapeyard.model.fleet import OutcomeNote
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.model.states import VisitState

EVERY = 300.0
"""Seconds between two looks at a sentinel of a job that goes well."""
AT_FIRST = 3
"""Sentinels that are asked while the canary runs."""
MOST = 20
LONGEST = 4_000
WITNESSES = 8
"""Ordinary answers that are waited for before a doubted sentinel is believed or not."""
FOUND_ENOUGH = 2
"""Of those, so many found records show that the site still answers."""
_CERTAIN = 4
_WRONG, _FAILED = 2, 1
_LYING = frozenset({Kind.WRONG_ITEM, Kind.AMBIGUOUS})
_SILENT = frozenset({Cause.ABSENT, Cause.ALL_ABSENT, Cause.SENTINEL})
"""Causes of which only something that is known to exist can tell whether they are over."""


class Finding(StrEnum):
    """What is made of the sentinels."""

    SOUND = "sound"
    DOUBTED = "doubted"
    ALARMING = "alarming"
    STALE = "stale"


class Doubt(msgspec.Struct, frozen=True):
    """What speaks against the sentinels of a job. `points` add up over their answers, two for one that denies them and
    one for a failure, and `since` is when that began; `found` and `answered` are the ordinary items that came after."""

    points: int = 0
    since: float = 0.0
    found: int = 0
    answered: int = 0


NO_DOUBT = Doubt()


def asked(doubt: Doubt, note: OutcomeNote, now: float) -> Doubt:
    """What a sentinel's answer adds. A right one ends all doubt; what is our own or a proxy's fault says nothing."""
    points = _points(note)
    if points is None:
        return doubt
    if not points:
        return NO_DOUBT
    since = doubt.since if doubt.points else now
    return msgspec.structs.replace(doubt, points=doubt.points + points, since=since)


def witnessed(doubt: Doubt, state: str) -> Doubt:
    """What an ordinary item adds that began after the doubt."""
    found = state == VisitState.SUCCEEDED
    if not doubt.points or not (found or state == VisitState.ABSENT):
        return doubt
    return msgspec.structs.replace(doubt, found=doubt.found + found, answered=doubt.answered + 1)


def judged(doubt: Doubt, *, alone: bool) -> Finding:
    """What to make of it; `alone` says that no ordinary item may start, so that there will be no witness."""
    if not doubt.points:
        return Finding.SOUND
    if doubt.points < _CERTAIN:
        return Finding.DOUBTED
    if alone:
        return Finding.ALARMING
    if doubt.found >= FOUND_ENOUGH:
        return Finding.STALE
    return Finding.ALARMING if doubt.answered >= WITNESSES else Finding.DOUBTED


def silences(breaker: Breaker) -> bool:
    """Whether a sentinel has to answer before any probe is sent: what said "no such record" of everything would say
    it of the probes too, and that would stand in the ledger as their answer."""
    return breaker.phase is Phase.PROBING and breaker.cause in _SILENT


def known_good(card: ScraperCard, given: Sequence[str] | None) -> tuple[str, ...]:
    """The inputs of the sentinels, each as a JSON object: the `given` ones, or the scraper's own. `BadInput` says
    what is wrong with one."""
    texts = card.sentinels if given is None else given
    if len(texts) > MOST:
        raise BadInput(f"{len(texts)} sentinels are not taken: give at most {MOST}.")
    return tuple(_row(card, text) for text in texts)


def called(inputs: str, key_fields: Sequence[str]) -> str:
    """A sentinel as people know it: by the fields of its key."""
    row = msgspec.json.decode(inputs, type=dict[str, object])
    return "|".join(str(row[field]) for field in key_fields if field in row) or inputs


def _points(note: OutcomeNote) -> int | None:
    if note.state == VisitState.SUCCEEDED and note.readable:
        return 0
    if note.state in (VisitState.SUCCEEDED, VisitState.ABSENT):
        return _WRONG
    if note.state != VisitState.FAILED or note.kind is None:
        return None
    kind = Kind(note.kind)
    if VERDICTS[kind].fault is Fault.SCRAPER or kind in _LYING:
        return _WRONG
    return _FAILED if VERDICTS[kind].counts else None


def _row(card: ScraperCard, text: str) -> str:
    shown = text[:80]
    if len(text) > LONGEST:
        raise BadInput(f"The sentinel {shown!r}… is too long: at most {LONGEST:,} characters are taken.")
    fields = _names(card.input_schema.get("properties"))
    if not text.startswith("{"):
        only = fields if len(fields) == 1 else _names(card.input_schema.get("required"))
        if len(only) != 1:
            raise BadInput(
                f"The sentinel {shown!r} does not say which input it is: write it as a JSON object of {_named(fields)}."
            )
        return msgspec.json.encode({only[0]: text}).decode()
    try:
        row = msgspec.json.decode(text, type=dict[str, object])
    except msgspec.DecodeError as error:
        raise BadInput(f"The sentinel {shown!r} is no JSON object: {error}.") from error
    strange = [name for name in row if name not in fields]
    if strange:
        raise BadInput(f"The sentinel {shown!r} has no input {strange[0][:40]!r}; the inputs are {_named(fields)}.")
    return msgspec.json.encode(row).decode()


def _names(part: object) -> list[str]:
    """The names in a part of a JSON schema."""
    return [str(name) for name in cast("Iterable[object]", part)] if isinstance(part, dict | list) else []


def _named(fields: Sequence[str]) -> str:
    return ", ".join(fields) or "none"
