"""The clerk with its duties, put together over one storage."""

import secrets
import socket

from scrapeyard.controller.clerk.clerk import ROLE, Clerk
from scrapeyard.controller.clerk.occasion import Office
from scrapeyard.controller.clerk.schedules import Schedules
from scrapeyard.controller.clerk.sources import Lists
from scrapeyard.controller.service.jobs import LocalJobs
from scrapeyard.dispatcher.leadership import Leadership
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.scrapers import Scrapers
from scrapeyard.settings import Settings
from scrapeyard.wiring.storage import Storage

_TTL = 20.0
"""Seconds after which a clerk that does not renew its lead is given up."""


def open_clerk(storage: Storage, scrapers: Scrapers, clock: Clock, settings: Settings) -> Clerk:
    """One candidate for the lead."""
    ledger = storage.ledger
    jobs = LocalJobs(ledger, storage.fleet, storage.blobs, clock)
    office = Office(ledger, jobs, scrapers, Lists(storage.blobs, settings.clerk.lists), clock)
    holder = f"{socket.gethostname()[:32]}-{secrets.token_hex(4)}"
    duties = [Schedules(office, every=settings.clerk.look)]
    return Clerk(Leadership(ledger.leaders, clock, holder, _TTL, ROLE), duties, clock)
