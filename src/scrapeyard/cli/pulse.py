"""A sign of life for whoever watches a container: a file that a role's own loop touches for as long as the loop turns.

Storage that is away does not stop the loop. So a container is replaced when its process hangs, and not when a database
is restarted, which would take the whole fleet down at the very moment in which it should wait.
"""

import asyncio
import os
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

_EVERY = 2.0
STALE = 20.0
"""Seconds without a touch after which a role counts as hung."""
_FORGOTTEN = 3_600.0
"""Seconds after which a file that a killed process left is removed by the next one."""


@asynccontextmanager
async def pulse(data: Path, role: str) -> AsyncGenerator[None]:
    """Give signs of life in the name of a role, until the block ends."""
    folder = _folder(data)
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.iterdir():
        if time.time() - left.stat().st_mtime > _FORGOTTEN:
            left.unlink(missing_ok=True)
    file = folder / f"{role}-{os.getpid()}"
    beating = asyncio.create_task(_beat(file), name="pulse")
    try:
        yield
    finally:
        beating.cancel()
        file.unlink(missing_ok=True)


async def _beat(file: Path) -> None:
    while True:
        await asyncio.to_thread(file.touch)
        await asyncio.sleep(_EVERY)


def silence(data: Path, role: str, now: float) -> float | None:
    """Seconds since the last sign of life of this role, or of any if none is named; None if there was none."""
    folder = _folder(data)
    files = folder.glob(f"{role}-*" if role else "*") if folder.is_dir() else ()
    heard: list[float] = []
    for file in files:
        try:
            heard.append(file.stat().st_mtime)
        except FileNotFoundError:  # it ended at this moment
            continue
    return max(0.0, now - max(heard)) if heard else None


def _folder(data: Path) -> Path:
    return data.expanduser().absolute() / "alive"
