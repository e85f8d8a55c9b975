"""Something that happened and that a person may want to know of: when, to what, and on what evidence."""

import msgspec

_DIGITS = 13
"""Milliseconds since 1970 in decimal: enough until the year 2286, and in order as text."""
LATE = 10.0
"""An event is written down a moment after the time in its id, by whoever saw it, and clocks differ; so whoever follows
looks so many seconds back."""


class Event(msgspec.Struct, frozen=True, array_like=True):
    """One thing that happened. `words` is a sentence for people, `evidence` a JSON value for programs.

    Ids sort by time, so the id of the last event that somebody has seen is where they go on.
    """

    id: str
    at: float
    name: str
    words: str
    job: str = ""
    site: str = ""
    evidence: bytes = b"null"


def event_id(at: float, luck: float) -> str:
    """An id that sorts by time. `luck`, a number in [0, 1), tells events of the same moment apart."""
    return f"{int(at * 1000):0{_DIGITS}d}-{int(luck * 16**10):010x}"


def earlier(id_: str) -> str:
    """An id as far back as somebody may still have written something down late."""
    stamp = id_.partition("-")[0]
    return event_id(max(0.0, int(stamp) / 1000 - LATE), 0.0) if stamp.isascii() and stamp.isdecimal() else ""
