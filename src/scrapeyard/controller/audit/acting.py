"""Who acts at this moment: the holder of a key at a door, a schedule, or else whoever started this process."""

import getpass
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from scrapeyard.model.access import ApiKey

_who: ContextVar[str] = ContextVar("who")


@contextmanager
def acting(who: str) -> Generator[None]:
    """What is done within is done by them."""
    before = _who.set(who)
    try:
        yield
    finally:
        _who.reset(before)


def who_acts() -> str:
    """By whom it is done."""
    return _who.get(None) or _here()


def called(key: ApiKey) -> str:
    """The holder of a key."""
    return f"key {key.id} ({key.name})" if key.digest else key.name


@cache
def _here() -> str:
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # a container's user without a name
        user = f"uid {os.getuid()}" if hasattr(os, "getuid") else "unknown"
    return f"{user}@{socket.gethostname()}"
