"""A small blob, read whole."""

from scrapeyard.model.errors import StorageError
from scrapeyard.ports.blobs import Blobs

_LIMIT = 256 << 20


async def whole(blobs: Blobs, key: str) -> bytes:
    """All bytes of a blob, as they were at one moment; a blob that was replaced by something huge is refused."""
    pieces: list[bytes] = []
    size = 0
    async for piece in blobs.stream(key):
        pieces.append(piece)
        size += len(piece)
        if size > _LIMIT:
            raise StorageError(f"{key} is larger than {_LIMIT >> 20} MiB: it is not a blob of ours.", final=True)
    return b"".join(pieces)
