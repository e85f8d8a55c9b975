"""One session in a pool: how it has fared, and when it has had its day."""

from typing import Final

from scrapeyard.model.failures import VERDICTS, Fault, Kind
from scrapeyard.model.session import Session, SessionTerms
from scrapeyard.ports.proxies import Proxy

PATIENCE: Final = 3
"""Failures in a row after which a session that serves one visit at a time is given up."""
PATIENCE_TOGETHER: Final = 10
"""The same for one that serves many: a site's bad minute must not make everybody log in again."""


class Member:
    """One session and its record. A session that others opened has been used before."""

    __slots__ = ("busy", "misses", "over", "proxy", "session", "touched", "uses")

    def __init__(self, session: Session, now: float, *, uses: int = 0) -> None:
        self.session = session
        self.proxy: Proxy | None = None
        self.touched = now
        self.uses = uses
        self.busy = 0
        self.misses = 0
        self.over = False

    @property
    def way(self) -> str:
        """The id of its proxy."""
        return self.proxy.id if self.proxy is not None else ""

    def worn(self, terms: SessionTerms, now: float) -> bool:
        """Whether it is too old, too much used, or too long out of use. What is in use is not out of use."""
        old = self.session.opened > 0 and now - self.session.opened >= terms.age
        return self.over or old or self.uses >= terms.uses or (not self.busy and now - self.touched >= terms.idle)

    def fared(self, kind: Kind | None, terms: SessionTerms) -> None:
        """What came of a visit. A kind that asks for a fresh session ends it; one that asks for another proxy does so
        where there is a proxy, for the two go together. Other failures may be the visitor's fault or not."""
        if kind is None:
            self.misses = 0
            return
        verdict = VERDICTS[kind]
        if verdict.fresh_session or (self.proxy is not None and (verdict.rotate or verdict.fault is Fault.PROXY)):
            self.over = True
        elif verdict.fault is Fault.SITE or verdict.rotate:
            self.misses += 1
            self.over |= self.misses >= (PATIENCE_TOGETHER if terms.together else PATIENCE)
