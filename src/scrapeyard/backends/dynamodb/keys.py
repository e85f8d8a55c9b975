"""Where everything lies: the partition and the sort key of each sort of row.

An item's row is found by a digest of its key, which spreads a job over 256 partitions however its keys look and in
whatever order they are worked on; pages of the list tell which digest stands at which place.
"""

import struct
from hashlib import blake2b
from zlib import crc32

from scrapeyard.backends.dynamodb.table import Key

JOBS = "jobs."
"""One partition for each state: ids of jobs by the time of their creation."""
OPEN = "open"
"""Jobs of which offers are out."""
LEADERS = "leaders"
MEMOS = "memos"
EVENTS = "events"

TAB_SHARDS = 4
WORKER_SHARDS = 4
TROUBLE_SHARDS = 8
PER_PAGE = 250
"""Places of the list in one row."""
DIGEST = 16


def job_key(job: str) -> Key:
    """The job itself."""
    return f"{job}.job", b"job"


def desk_key(job: str) -> Key:
    """What the dispatcher and the loading change of it all the time."""
    return f"{job}.job", b"desk"


def named_part(name: str) -> str:
    """The jobs of one name, which may be long and strange."""
    return "named." + blake2b(name.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def since(created: float) -> bytes:
    """Sorts as the time does."""
    return struct.pack(">d", created)


def digest_of(job: str, key: str) -> bytes:
    """What an item is found by."""
    return blake2b(key.encode(errors="surrogatepass"), digest_size=DIGEST, person=_person(job)).digest()


def item_key(job: str, digest: bytes) -> Key:
    """An item."""
    return f"{job}.{digest[0]:02x}", digest


def item_parts(job: str) -> list[str]:
    """All partitions in which there are items of a job."""
    return [f"{job}.{first:02x}" for first in range(256)]


def page_key(job: str, page: int) -> Key:
    """A page of the list."""
    return f"{job}.list", struct.pack(">I", page)


def again_part(job: str) -> str:
    """Items that were offered before and wait, in pages by the earliest time."""
    return f"{job}.again"


def tab_part(job: str, worker: str) -> str:
    """Where a worker's tab of a job lies."""
    return f"{job}.tab{crc32(worker.encode()) % TAB_SHARDS}"


def tab_parts(job: str) -> list[str]:
    """Where all tabs of a job lie."""
    return [f"{job}.tab{shard}" for shard in range(TAB_SHARDS)]


def worker_key(worker: str) -> Key:
    """A worker."""
    return f"workers.{crc32(worker.encode()) % WORKER_SHARDS}", worker.encode()


def worker_parts() -> list[str]:
    """Where all workers lie."""
    return [f"workers.{shard}" for shard in range(WORKER_SHARDS)]


def trouble_part(job: str, seq: int) -> str:
    """Where the index has an item that is in trouble."""
    return f"{job}.{seq % TROUBLE_SHARDS}"


def trouble_parts(job: str) -> list[str]:
    """Where the index has all of them."""
    return [f"{job}.{shard}" for shard in range(TROUBLE_SHARDS)]


def _person(job: str) -> bytes:
    return blake2b(job.encode(), digest_size=16).digest()
