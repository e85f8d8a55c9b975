"""What is live in Redis or Valkey: `redis://host:port/0`, or `rediss://` for TLS."""

from scrapeyard.backends.redis.fleet import RedisFleet
from scrapeyard.backends.redis.queue import RedisQueue
from scrapeyard.backends.redis.server import open_server
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.queue import Queue
from scrapeyard.wiring.opened import Opened


async def live(address: str, opened: Opened) -> tuple[Queue, Fleet]:
    """Queue and fleet."""
    server = await opened.once(address, open_server)
    return RedisQueue(server), RedisFleet(server)
