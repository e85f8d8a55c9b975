"""A session as the site sees it: one visitor, known by cookies that a login or a click on a disclaimer has earned.

Cookies open doors as passwords do. So these values show nothing of themselves, and only what is meant to store them
writes them down.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

MOST_NOTES: Final = 20
LONGEST_NOTE: Final = 4_096
_LONGEST_NAME: Final = 80


class Cookie(msgspec.Struct, frozen=True, array_like=True):
    """One cookie. `host_only` is one that its site did not give a domain; `expires` None lasts for the session."""

    name: str
    value: str
    domain: str
    path: str = "/"
    secure: bool = False
    host_only: bool = True
    expires: float | None = None

    def __repr__(self) -> str:
        return f"Cookie({self.name!r} of {self.domain!r})"


class Session(msgspec.Struct, frozen=True):
    """One visitor. `id` is also the word by which a provider keeps the same exit for it.

    `opened` is when its opening step was done (0 for none yet), `proxy` the id of the proxy through which it has gone
    since, and `notes` what the opening step gave back for the visits to use.
    """

    id: str
    cookies: tuple[Cookie, ...] = ()
    notes: dict[str, str] = {}
    opened: float = 0.0
    proxy: str = ""

    def __repr__(self) -> str:
        return f"Session({self.id!r}, {len(self.cookies)} cookies)"


class SessionTerms(msgspec.Struct, frozen=True, kw_only=True):
    """How long a session is used, and by whom.

    A session serves one visit after the other; `together` says that the site does not mind many visits in one session
    at the same time, and then one session serves all workers. It is given up after so many `uses`, at an `age` in
    seconds, or when nobody used it for `idle` seconds. Of sessions that serve one visit at a time, a scraping process
    holds `most`. Scrapers of one site that give the same `name` use the same sessions.
    """

    uses: int = 1_000
    age: float = 3_600.0
    idle: float = 600.0
    together: bool = False
    most: int = 100
    name: str = ""


def terms_trouble(terms: SessionTerms) -> str | None:
    """What is wrong with these terms, as the end of a sentence about them; None if they are sound."""
    if terms.uses < 1 or terms.most < 1 or not terms.age > 0 or not terms.idle > 0:
        return "take uses and most of 1 and more, and an age and an idle time above zero"
    if len(terms.name) > _LONGEST_NAME or not terms.name.isprintable():
        return f"take a name of up to {_LONGEST_NAME} printable characters"
    return None


def notes_trouble(notes: Mapping[object, object]) -> str | None:
    """What is wrong with what an opening step gave back; None if it can be kept."""
    if len(notes) > MOST_NOTES:
        return f"it gave {len(notes):,} notes; at most {MOST_NOTES} are kept"
    for name, note in notes.items():
        if not isinstance(name, str) or not isinstance(note, str) or not name:
            return "it gives a mapping from names to texts, or nothing"
        if len(name) + len(note) > LONGEST_NOTE:
            return f"the note {name[:40]!r} is longer than {LONGEST_NOTE:,} characters"
    return None
