"""From an address to a backend: `sqlite:///path`, `postgresql://host/database`, `file:///path`, `memory:` and more.

Empty means embedded, in the data folder; for what is live it means the ledger's own server, where the ledger has one.

A mixture that cannot work is refused here with the reason, before anything is opened, because it would fail later
in a way that nobody understands.
"""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import msgspec

from scrapeyard.model.address import scheme_of, shown
from scrapeyard.model.errors import Refused
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.ledger import Ledger
from scrapeyard.ports.queue import Queue
from scrapeyard.settings import Settings, StorageSettings
from scrapeyard.wiring.blobs import extra, open_blobs
from scrapeyard.wiring.opened import Opened

_LEDGERS = {"memory": "embedded", "sqlite": "embedded", "postgresql": "postgres", "dynamodb": "dynamodb"}
_LIVES = {
    "memory": "embedded", "sqlite": "embedded", "postgresql": "postgres", "redis": "redis", "rediss": "redis",
    "sqs": "sqs",
}  # fmt: skip
"""Which module beside this one opens what begins so. It is loaded when an address asks for it, for it may need a
package that is installed only where it is used: the extra of the module's own name."""

_PAID = frozenset({"dynamodb", "sqs"})

_EMBEDDED = {"memory": "this process only", "sqlite": "this machine only"}
"""Who can meet what has no server."""


class Storage(msgspec.Struct, frozen=True):
    """What one process keeps things in."""

    ledger: Ledger
    queue: Queue
    fleet: Fleet
    blobs: Blobs


class Pace(msgspec.Struct, frozen=True):
    """How often storage is asked, in seconds: by the dispatcher's tick and its look at the jobs, with `window` of work
    in the queue; by workers between two takings, with work for `ahead`, and between two settlings."""

    tick: float
    look: float
    window: float
    take: float
    ahead: float
    settle: float


_QUICK = Pace(tick=0.0, look=0.2, window=0.0, take=0.05, ahead=0.5, settle=0.2)
_THRIFTY = Pace(tick=1.0, look=1.0, window=5.0, take=2.0, ahead=3.0, settle=1.0)


def pace(storage: StorageSettings) -> Pace:
    """Where every call is paid for, fewer are made, with more in each."""
    return _THRIFTY if _PAID & {scheme_of(storage.ledger), scheme_of(storage.live)} else _QUICK


async def open_storage(settings: Settings, closing: AsyncExitStack) -> Storage:
    """Open everything that the settings name; `closing` closes it again, in reverse order."""
    addresses = resolved(settings)
    opened = Opened(closing)
    homes = _LEDGERS[scheme_of(addresses.ledger)], _LIVES[scheme_of(addresses.live)]
    open_ledger: Callable[[str, Opened], Awaitable[Ledger]] = extra(f"{__package__}.{homes[0]}", homes[0]).ledger
    open_live: Callable[[str, Opened], Awaitable[tuple[Queue, Fleet]]] = extra(
        f"{__package__}.{homes[1]}", homes[1]
    ).live
    ledger = opened.ledger = await open_ledger(addresses.ledger, opened)
    queue, fleet = await open_live(addresses.live, opened)
    return Storage(ledger, queue, fleet, opened.kept(open_blobs(addresses.blobs)))


def resolved(settings: Settings) -> StorageSettings:
    """The addresses with nothing left to default, as far as they make sense together."""
    data = settings.data.expanduser().absolute()
    given = settings.storage
    beside = given.ledger if scheme_of(given.ledger) in _LIVES.keys() - _EMBEDDED.keys() else ""
    storage = StorageSettings(
        ledger=given.ledger or f"sqlite://{data / 'ledger.db'}",
        live=given.live or beside or f"sqlite://{data / 'live.db'}",
        blobs=given.blobs or f"file://{data / 'blobs'}",
    )
    for name, address, known in (("ledger", storage.ledger, _LEDGERS), ("live", storage.live, _LIVES)):
        if scheme_of(address) not in known:
            words = ", ".join(f"{scheme}:" for scheme in known)
            raise Refused(f"{shown(address)!r} is no address for {name}: it can begin with {words} only.")
    if not given.live and scheme_of(storage.ledger) in _LEDGERS.keys() - _LIVES.keys():
        raise Refused(
            f"ledger {shown(storage.ledger)!r} has no room for what is live: name a queue for it, such as "
            'live = "sqs://region/prefix" or "redis://host:6379/0".'
        )
    reaches = _reach(storage.ledger), _reach(storage.live)
    if reaches[0] != reaches[1]:
        raise Refused(
            f"ledger {shown(storage.ledger)!r} and live {shown(storage.live)!r} do not go together: the one can be met "
            f"from {reaches[0]}, the other from {reaches[1]}; put both where the same processes meet them."
        )
    return storage


def _reach(address: str) -> str:
    """Which processes can meet what is kept there."""
    return _EMBEDDED.get(scheme_of(address), "every machine")
