"""What the operations of the API work with."""

from collections.abc import Callable
from threading import Event

import msgspec

from scrapeyard.controller.access.keys import Keys
from scrapeyard.controller.access.tries import Tries
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.memos import MemoBook
from scrapeyard.ports.scrapers import Scrapers
from scrapeyard.ports.service import Service


class Office(msgspec.Struct, frozen=True):
    """The service, the catalogue of scrapers, the keys, and the notes in which uploads remember how far they are.

    `figures` gives those of this process as text, if any are taken. `tries` counts the wrong keys of both doors
    together; `closing` is set when the server is told to stop, so that answers that go on are ended.
    """

    service: Service
    scrapers: Scrapers
    keys: Keys
    memos: MemoBook
    clock: Clock
    figures: Callable[[], bytes] | None = None
    tries: Tries = msgspec.field(default_factory=Tries)
    closing: Event = msgspec.field(default_factory=Event)
