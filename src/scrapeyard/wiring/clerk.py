"""The clerk with its duties, put together over one storage."""

import secrets
import socket
from typing import cast

from scrapeyard.backends.system.clock import SystemClock
from scrapeyard.controller.audit.audited import audited
from scrapeyard.controller.audit.book import Deeds
from scrapeyard.controller.clerk.alarms import Alarms
from scrapeyard.controller.clerk.clerk import ROLE, Clerk
from scrapeyard.controller.clerk.messages import Messages
from scrapeyard.controller.clerk.occasion import Office
from scrapeyard.controller.clerk.schedules import Schedules
from scrapeyard.controller.clerk.sources import Lists
from scrapeyard.controller.clerk.tidying import Tidying
from scrapeyard.controller.service.jobs import LocalJobs
from scrapeyard.controller.service.retention import LocalRetention
from scrapeyard.dispatcher.leadership import Leadership
from scrapeyard.model.retention import Keeping
from scrapeyard.ports.notify import Channels
from scrapeyard.ports.scrapers import Scrapers
from scrapeyard.ports.service import JobDesk
from scrapeyard.settings import Settings
from scrapeyard.wiring.storage import Storage

_TTL = 20.0
"""Seconds after which a clerk that does not renew its lead is given up."""


def open_clerk(storage: Storage, scrapers: Scrapers, channels: Channels, settings: Settings, base: str) -> Clerk:
    """One candidate for the lead. `base` is where people find the dashboard, if they do."""
    ledger, clock, every = storage.ledger, SystemClock(), settings.clerk.look
    local = LocalJobs(ledger, storage.fleet, storage.blobs, clock)
    jobs = cast("JobDesk", audited(local, "jobs", Deeds(ledger.memos, clock)))
    office = Office(ledger, jobs, scrapers, Lists(storage.blobs, settings.clerk.lists), clock)
    holder = f"{socket.gethostname()[:32]}-{secrets.token_hex(4)}"
    duties = [
        Schedules(office, every=every),
        Alarms(ledger, storage.fleet, clock, every=every),
        Tidying(ledger.memos, LocalRetention(ledger, storage.blobs, clock, keeping(settings)), clock),
        Messages(ledger.memos, channels, clock, base=settings.api.public or base, every=every),
    ]
    return Clerk(Leadership(ledger.leaders, clock, holder, _TTL, ROLE), duties, clock)


def keeping(settings: Settings) -> Keeping:
    """How long things are kept."""
    return Keeping(settings.retention.captures_days, settings.retention.audit_days)
