"""What is live on AWS: offers in SQS (`sqs://region/prefix`), and the fleet's channel at the leading dispatcher itself.

SQS is paid by the call, and workers report ten times a second; so reports go straight to the dispatcher, which listens
at `host` (this machine's own address, if none is named) and `port` and says so in the ledger.
"""

from urllib.parse import parse_qsl, urlsplit

from scrapeyard.backends.direct.fleet import DirectFleet
from scrapeyard.backends.direct.host import Host, own_address
from scrapeyard.backends.memory.fleet import MemoryFleet
from scrapeyard.backends.sqs.opening import open_queue
from scrapeyard.model.errors import Refused
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.queue import Queue
from scrapeyard.wiring.opened import Opened

_SOMEWHERE = "10.255.255.255"
"""No packet is sent there; it only tells which of this machine's addresses others see."""


async def live(address: str, opened: Opened) -> tuple[Queue, Fleet]:
    """Queue and fleet."""
    options = dict(parse_qsl(urlsplit(address).query))
    queue = opened.kept(open_queue(address))
    port = options.get("port", "0")
    if not port.isdigit() or int(port) > 65_535:
        raise Refused(f"{port!r} is no port: write port=8787, or leave it out for any that is free.")
    host = options.get("host") or await own_address(_SOMEWHERE)
    return queue, opened.kept(DirectFleet(opened.ledger.memos, lambda: Host(MemoryFleet(), host, int(port))))
