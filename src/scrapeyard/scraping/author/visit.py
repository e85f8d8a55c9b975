"""What an author keeps of a visit, and the steps by which the visit is told afterwards.

Names of captures turn up in files, commands and extractors' parameters, so they are plain words. How much one visit
may keep is bounded, since a site that never stops paging would otherwise fill memory and disk.
"""

import re
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from scrapeyard.model.attempt import Step
from scrapeyard.model.capture import Kept
from scrapeyard.model.errors import Refused, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.pages.files import File
from scrapeyard.pages.page import Page

MOST_KEPT: Final = 1_000
MOST_STEPS: Final = 200
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_STEP: Final = re.compile(r"[^\x00-\x1f\x7f]{1,80}")


class Visit:
    """One visit as its author steers it: `visit.keep("detail", page)`, `async with visit.step("search")`.

    `number` counts the item's attempts from 1; `tier` is the kind of way by which this one goes; `session` is what the
    scraper's `open_session` gave back, such as a token that every request has to carry.
    """

    __slots__ = ("_kept", "_most", "_now", "_size", "_steps", "number", "session", "tier")

    def __init__(
        self,
        number: int,
        tier: str,
        *,
        most: int,
        now: Callable[[], float] = time.time,
        session: Mapping[str, str] | None = None,
    ) -> None:
        self.number = number
        self.tier = tier
        self.session = session or {}
        self._most = most
        self._now = now
        self._size = 0
        self._kept: list[Kept] = []
        self._steps: list[Step] = []

    def keep(self, name: str, what: Page | File) -> None:
        """Keep a page or a file under a name; an extractor asks for it by a parameter of that name.

        Several may have one name: an extractor gets them all with `list[Page]`, else the last.
        """
        if _NAME.fullmatch(name) is None:
            raise Refused(
                f"{name[:64]!r} is no name for a capture; take letters, digits, dots, dashes and underscores."
            )
        kept = kept_of(name, what, self._now())
        self._size += len(kept.body) if kept.path is None else what_size(kept.path)
        if self._size > self._most or len(self._kept) >= MOST_KEPT:
            limit = f"{self._most >> 20} MiB" if self._size > self._most else f"{MOST_KEPT:,} captures"
            raise VisitError(f"The visit kept more than {limit}; it is stopped.", kind=Kind.TOO_LARGE)
        self._kept.append(kept)

    @asynccontextmanager
    async def step(self, name: str) -> AsyncGenerator[None]:
        """Name a part of the visit, so that its time and its failure can be told from the others'."""
        if _STEP.fullmatch(name) is None:
            raise Refused(f"{name[:80]!r} is no name for a step; take up to 80 printable characters.")
        started, begun = self._now(), time.monotonic()
        failed = True
        try:
            yield
            failed = False
        finally:
            if len(self._steps) < MOST_STEPS:
                self._steps.append(Step(name, started, round((time.monotonic() - begun) * 1000), failed))

    @property
    def kept(self) -> tuple[Kept, ...]:
        """What was kept so far, in order."""
        return tuple(self._kept)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that have ended, in the order of their ends."""
        return tuple(self._steps)


def kept_of(name: str, what: Page | File, now: float) -> Kept:
    """A page or file as it is kept."""
    status: int = getattr(what, "status", 200)
    fetched: float = getattr(what, "fetched", 0.0) or now
    headers: tuple[tuple[str, str], ...] | None = getattr(what, "lines_of_head", None)
    if isinstance(what, Page):
        lines = tuple(what.headers.items()) if headers is None else headers
        method: str = getattr(what, "method", "GET")
        return Kept(name, what.url, status, lines, what.content_type, fetched, what.body, method=method)
    body = b"" if what.path is not None else what.read()
    return Kept(name, what.url, status, headers or (), what.content_type, fetched, body, what.path)


def what_size(path: Path) -> int:
    """Length of a file on disk."""
    return path.stat().st_size
