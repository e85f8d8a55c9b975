"""A service whose every deed is written down: it takes a service and is one.

What was done is written down when it is done, and what was refused with the reason. If it cannot be written down,
whoever asked is told so and asks again; all that can be asked may be asked twice.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

import msgspec

from scrapeyard.controller.audit.book import Deeds
from scrapeyard.model.alert import Rule
from scrapeyard.model.ask import Cloned, JobOrder, Opened
from scrapeyard.model.errors import ScrapeyardError, StorageError
from scrapeyard.model.job import Job
from scrapeyard.model.schedule import KeptList, Schedule
from scrapeyard.ports.alerts import AlertDesk
from scrapeyard.ports.audit import AuditDesk
from scrapeyard.ports.retention import RetentionDesk
from scrapeyard.ports.schedules import ScheduleDesk
from scrapeyard.ports.service import EventDesk, ItemDesk, JobDesk, ResultDesk, Service, SiteDesk

DEEDS: Mapping[str, frozenset[str]] = {
    "jobs": frozenset({"open", "seal", "pause", "resume", "cancel", "revise"}),
    "items": frozenset({"redrive", "clone"}),
    "sites": frozenset({"hold", "release"}),
    "schedules": frozenset({"keep_list", "add", "pause", "resume", "run", "delete"}),
    "retention": frozenset({"prune"}),
    "alerts": frozenset({"add", "pause", "resume", "delete", "test"}),
}
"""What changes something, desk by desk; all else only asks."""


class AuditedService:
    """Fulfils `scrapeyard.ports.service.Service` over another one."""

    def __init__(self, inner: Service, deeds: Deeds) -> None:
        self._inner = inner
        self.jobs = cast("JobDesk", audited(inner.jobs, "jobs", deeds))
        self.items = cast("ItemDesk", audited(inner.items, "items", deeds))
        self.results: ResultDesk = inner.results
        self.events: EventDesk = inner.events
        self.sites = cast("SiteDesk", audited(inner.sites, "sites", deeds))
        self.schedules = cast("ScheduleDesk", audited(inner.schedules, "schedules", deeds))
        self.alerts = cast("AlertDesk", audited(inner.alerts, "alerts", deeds))
        self.retention = cast("RetentionDesk", audited(inner.retention, "retention", deeds))
        self.audit: AuditDesk = deeds

    async def close(self) -> None:
        """Close what is inside."""
        await self._inner.close()


class Audited:
    """One desk: what it is asked to do is passed on, and written down."""

    def __init__(self, inner: object, name: str, deeds: Deeds) -> None:
        self._inner = inner
        self._name = name
        self._deeds = deeds

    def __getattr__(self, verb: str) -> Any:
        method = getattr(self._inner, verb)
        return self._noted(verb, method) if verb in DEEDS[self._name] else method

    def _noted(self, verb: str, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def deed(*asked: Any, **named: Any) -> Any:
            if named.get("dry_run"):
                return await method(*asked, **named)
            told = f"{self._name}.{verb}", _subject(asked[0] if asked else None)
            details = _details(asked, named)
            try:
                found = await method(*asked, **named)
            except StorageError:
                raise  # whether it was done is not known; it will be asked again
            except ScrapeyardError as refused:
                await self._deeds.write(*told, details, str(refused))
                raise
            await self._deeds.write(told[0], _subject(found) or told[1], details)
            return found

        return deed


def audited(inner: object, name: str, deeds: Deeds) -> Audited:
    """A desk whose deeds are written down."""
    return Audited(inner, name, deeds)


def _subject(value: object) -> str:
    """What a deed was done to."""
    match value:
        case str():
            return value
        case Opened() | Cloned():
            return value.job.id
        case Job():
            return value.id
        case KeptList():
            return value.list
        case Schedule() | Rule():
            return value.name
        case _:
            return ""


def _details(asked: tuple[Any, ...], named: Mapping[str, Any]) -> object:
    """The words with which it was asked; an order's card and a list's bytes are no words."""
    first = asked[0] if asked else None
    if isinstance(first, JobOrder):
        return {"scraper": first.card.ref.name, "source": first.source, "policy": first.policy}
    words = [value for value in asked if isinstance(value, str | msgspec.Struct)][isinstance(first, str) :]
    return {**({"asked": words} if words else {}), **{name: value for name, value in named.items() if value}}
