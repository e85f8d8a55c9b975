"""The store of blobs by its address: `file:///path`, `s3://bucket/prefix` or `memory:`.

A scraping process opens this and nothing else; so what only one kind of store needs is loaded when it is named.
"""

from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from scrapeyard.backends.files.blobs import FileBlobs
from scrapeyard.backends.memory.blobs import MemoryBlobs
from scrapeyard.model.errors import Refused
from scrapeyard.ports.blobs import Blobs

MEMORY = "memory:"
_OBJECT_STORES = ("s3", "gs", "az")


def open_blobs(address: str) -> Blobs:
    """The store at this address."""
    if address == MEMORY:
        return MemoryBlobs()
    if address.partition(":")[0] in _OBJECT_STORES:
        blobs: Blobs = extra("scrapeyard.backends.s3.opening", "s3").open_s3(address)
        return blobs
    return FileBlobs(path_in(address, "file"))


def commit_window(address: str, lease: float) -> tuple[float, int]:
    """How many seconds an ended visit may wait to become durable, and how many may wait together.

    A disk makes many small things durable cheaply. An object store wants to be paid for each request, whatever its
    size, so visits are gathered there for up to a third of the lease; what a crash costs is that much work done anew.
    """
    return (lease / 3, 2_000) if address.partition(":")[0] in _OBJECT_STORES else (0.2, 200)


def extra(module: str, name: str) -> Any:
    """A backend that needs packages which are not always installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise Refused(f"{error.name} is not installed: install scrapeyard[{name}] for this address.") from error


def path_in(address: str, scheme: str) -> Path:
    """The path in an address of this scheme."""
    parts = urlsplit(address)
    if parts.scheme != scheme or parts.netloc or not parts.path:
        raise Refused(f"{address!r} is not an address that is known here; write {scheme}:///absolute/path or {MEMORY}.")
    return Path(unquote(parts.path))
