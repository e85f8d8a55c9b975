"""Who did what, to what, and when."""

import msgspec


class Deed(msgspec.Struct, frozen=True):
    """One thing that somebody did, or was refused. `who` is a key, a user of a machine, or a schedule; `verb` is the
    desk and what was asked of it; `details` are the words with which it was asked, as JSON.

    Ids sort by time, so the id of the last deed that somebody has seen is where they go on.
    """

    id: str
    at: float
    who: str
    verb: str
    what: str
    details: bytes = b"null"
    trouble: str = ""


class DeedPage(msgspec.Struct, frozen=True):
    """Some deeds, oldest first; the `id` of the last one asks for the next."""

    deeds: tuple[Deed, ...]
