"""What was learned: the breaker of a site, the price of its tiers, a session that others may use too.

Each is a small value under a name, changed only by somebody who has seen it as it is. Everybody may lose one such
race and look again; nobody overwrites what another has learned meanwhile.
"""

from typing import Protocol

from scrapeyard.model.memo import Memo


class MemoBook(Protocol):
    """Compare-and-set on small named values. Names are printable ASCII; a value has at most 200,000 bytes."""

    async def recall(self, name: str) -> Memo | None:
        """The memo of that name, if there is one."""
        ...

    async def keep(self, name: str, body: bytes, *, seen: Memo | None) -> Memo | None:
        """Write it down, if it still is as `seen` (None: there was none); None when it has changed meanwhile.

        An empty body forgets it. Who asks again because an answer was lost may be told None, and looks again.
        """
        ...

    async def under(self, prefix: str, *, after: str = "", limit: int = 500) -> list[Memo]:
        """The memos whose names start with `prefix` and come after `after`, in order of name."""
        ...
