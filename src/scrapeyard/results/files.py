"""Files that a person wants as files: PDFs, images and large downloads, each a blob of its own.

The blob is named for its content, so a form that a thousand items link to is stored once. Hashing a large one
takes longer than a loop may stand still and is done in a thread.
"""

import asyncio
import hashlib
from pathlib import Path

from scrapeyard.model.capture import Capture, Kept, Place
from scrapeyard.model.errors import Conflict, StorageError
from scrapeyard.ports.blobs import Blobs
from scrapeyard.results.headers import clean_words
from scrapeyard.results.keys import file_key, media_type

_HASHED_IN_PLACE = 1 << 16


def is_file(content_type: str) -> bool:
    """Whether content of this type is kept as a file of its own rather than in a segment."""
    media = media_type(content_type)
    return media == "application/pdf" or (media.startswith("image/") and media != "image/svg+xml")


async def keep_file(blobs: Blobs, job: str, kept: Kept, url: str) -> Capture:
    """Store one file, durable at once."""
    if kept.path is not None:
        sha256, size = await asyncio.to_thread(_hash_file, kept.path)
    elif len(kept.body) > _HASHED_IN_PLACE:
        sha256, size = await asyncio.to_thread(_hash, kept.body), len(kept.body)
    else:
        sha256, size = _hash(kept.body), len(kept.body)
    key = file_key(job, sha256, kept.content_type)
    try:
        if kept.path is not None:
            await blobs.put_file(key, kept.path)
        else:
            await blobs.put(key, kept.body)
    except Conflict:
        await _check_known(blobs, key, size)
    if kept.path is not None:
        await asyncio.to_thread(kept.path.unlink, missing_ok=True)
    content_type = clean_words(kept.content_type, 200)
    return Capture(kept.name, Place(key, 0, size), sha256, size, url, kept.status, content_type, kept.fetched)


def _hash(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _hash_file(path: Path) -> tuple[str, int]:
    try:
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            return sha256, file.tell()
    except OSError as error:
        raise StorageError(
            f"A download cannot be read back ({error.strerror}): leave its file in place until the visit has ended."
        ) from error


async def _check_known(blobs: Blobs, key: str, size: int) -> None:
    """The same content is there already; a blob of another size is not it, whatever its name says."""
    known = await blobs.stat(key)
    if known is None or known.size != size:
        raise StorageError(f"The blob {key} is not what its name says: remove it, then redrive the item.", final=True)
