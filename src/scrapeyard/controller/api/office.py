"""What the operations of the API work with."""

import msgspec

from scrapeyard.controller.access.keys import Keys
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.memos import MemoBook
from scrapeyard.ports.scrapers import Scrapers
from scrapeyard.ports.service import Service


class Office(msgspec.Struct, frozen=True):
    """The service, the catalogue of scrapers, the keys, and the notes in which uploads remember how far they are."""

    service: Service
    scrapers: Scrapers
    keys: Keys
    memos: MemoBook
    clock: Clock
