"""How much memory there is for this process, and how much of it is in use.

A worker in a container or in a service with a limit sees the machine's memory, not its own share. The limit may stand
at any level of its control groups, and the kernel counts the cache of files among what is used, although it gives that
back before it kills anybody: a worker that writes segments all day would otherwise seem full for ever.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")
_UNLIMITED = 1 << 60


class Memory(NamedTuple):
    """Bytes in use and the limit."""

    used: int
    limit: int


class _Names(NamedTuple):
    """What the files of one version of control groups are called."""

    limit: str
    used: str
    cache: str


_V2 = _Names("memory.max", "memory.current", "inactive_file")
_V1 = _Names("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def memory(root: Path = ROOT, membership: Path = MEMBERSHIP) -> Memory:
    """Whichever is nearest to its limit: the machine, or one of the groups that this process is in."""
    return max(_known(root, membership), key=lambda one: one.used / one.limit)


def most(root: Path = ROOT, membership: Path = MEMBERSHIP) -> int:
    """Bytes that this process and its like could ever have."""
    return min(one.limit for one in _known(root, membership))


def _known(root: Path, membership: Path) -> list[Memory]:
    machine = psutil.virtual_memory()
    return [Memory(machine.total - machine.available, machine.total), *_groups(root, membership)]


def _groups(root: Path, membership: Path) -> Iterator[Memory]:
    """Every group with a limit, from the own one up to the root; in a container the root is the container's."""
    for line in membership.read_text().splitlines() if membership.is_file() else ():
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        names = _V1 if controllers else _V2
        top = root / "memory" if controllers else root
        parts = [part for part in path.split("/") if part not in {"", ".."}]
        for depth in range(len(parts), -1, -1):
            found = _group(top.joinpath(*parts[:depth]), names)
            if found is not None:
                yield found


def _group(folder: Path, names: _Names) -> Memory | None:
    try:
        limit, used = (folder / names.limit).read_text().strip(), int((folder / names.used).read_text())
        stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        return None  # no group of this name is seen from here, or it has no say in memory
    if not limit.isdigit() or not 0 < int(limit) < _UNLIMITED:
        return None
    return Memory(max(0, used - int(stat.get(names.cache, 0))), int(limit))
