"""The state of a breaker: does this way to this site work, and may the items of this job go on taking it?

It is a small frozen value. A new leader finds it among the memos, with the epoch that says how often it has turned.
"""

from enum import StrEnum

import msgspec


class Phase(StrEnum):
    """Where a breaker stands."""

    CANARY = "canary"
    CLOSED = "closed"
    SUSPECT = "suspect"
    OPEN = "open"
    PROBING = "probing"
    RAMP = "ramp"


PHASE_MEANING: dict[Phase, str] = {
    Phase.CANARY: "The first items show whether it works at all; five at once.",
    Phase.CLOSED: "It works: items go through as the other gates let them.",
    Phase.SUSPECT: "Neighbours in the list fail together; thirty from all over the rest show if it is the site.",
    Phase.OPEN: "It does not work: nothing goes through until the time is over.",
    Phase.PROBING: "A few items try whether it works again; their failures cost them nothing. Five at once.",
    Phase.RAMP: "It works again: 10, 25, 50, then 100 % of the usual room, watched twice as closely.",
}


class Cause(StrEnum):
    """Why a breaker tripped."""

    FAILURES = "failures"
    STREAK = "streak"
    CANARY = "canary"
    UNREADABLE = "unreadable"
    REFUSED = "refused"
    DENIED = "denied"
    ALL_ABSENT = "all_absent"
    ABSENT = "absent"
    SENTINEL = "sentinel"
    FINALS = "finals"
    RETRIES = "retries"


CAUSE_MEANING: dict[Cause, str] = {
    Cause.FAILURES: "Too many first tries failed.",
    Cause.STREAK: "The same telling failure came again and again with nothing good between.",
    Cause.CANARY: "Too many of the first items failed.",
    Cause.UNREADABLE: "The first pages came, but the extractor could not read enough of them.",
    Cause.REFUSED: "Too many of the first inputs were refused as malformed; the list or the scraper needs a look.",
    Cause.DENIED: "Our own rules, the provider's or the law forbid what the first items asked for.",
    Cause.ALL_ABSENT: "The site says of every one of the first items that there is no such record.",
    Cause.ABSENT: "The share of records that the site says do not exist rose suddenly, as when a session has died.",
    Cause.SENTINEL: "An item that is known to exist could not be had.",
    Cause.FINALS: "Too many items ended as failed after all their tries, while first tries still went well.",
    Cause.RETRIES: "Second tries that used to help fail all of a sudden.",
}

HOPELESS = frozenset({Cause.UNREADABLE, Cause.REFUSED, Cause.DENIED})
"""Nothing that the site does can mend these, so no probe is sent and a person is asked at once."""


class Told(StrEnum):
    """What one outcome tells about the way that it took."""

    GOOD = "good"
    UNREADABLE = "unreadable"
    ABSENT = "absent"
    BAD = "bad"
    HALF = "half"
    REFUSED = "refused"
    DENIED = "denied"
    NOTHING = "nothing"


class Breaker(msgspec.Struct, frozen=True):
    """One breaker. `counts` and `seen` are of the present phase, `since` is when that began and `epoch` its number.

    `score` is the running sum that trips it, `run` how many outcomes it has run over since it last was nothing;
    `streaks` counts telling failures with nothing good between. `probings` is how often probing has failed in a row.
    `until` is when an open one lets probes through, `cause` why it tripped last. `absent_share` is how many of the
    items are rightly absent, where a wrong share of them was the cause; `usual` is the share of its probes that fails
    although all is well.
    """

    phase: Phase = Phase.CLOSED
    epoch: int = 0
    since: float = 0.0
    until: float | None = None
    score: int = 0
    run: int = 0
    seen: int = 0
    counts: dict[str, int] = {}
    streaks: dict[str, int] = {}
    probings: int = 0
    step: int = 0
    cause: Cause | None = None
    absent_share: float | None = None
    usual: float = 0.0
