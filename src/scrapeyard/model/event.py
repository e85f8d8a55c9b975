"""Something that happened and that a person may want to know of: when, to what, and on what evidence."""

import msgspec

_DIGITS = 13
"""Milliseconds since 1970 in decimal: enough until the year 2286, and in order as text."""


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
