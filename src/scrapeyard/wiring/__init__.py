"""The only place where ports meet backends, scrapers and roles.

Every other room is handed what it needs. Here the addresses in the settings choose the storage, and a yard is put
together: everything that one process uses, opened once and closed in order. The names are loaded at their first use,
because a scraping process needs one corner of this room and is started often.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapeyard.wiring.work import Work
    from scrapeyard.wiring.yard import Yard, open_yard

_HOMES = {
    "Work": "scrapeyard.wiring.work",
    "Yard": "scrapeyard.wiring.yard",
    "open_yard": "scrapeyard.wiring.yard",
}

__all__ = ["Work", "Yard", "open_yard"]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'scrapeyard.wiring' has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value
