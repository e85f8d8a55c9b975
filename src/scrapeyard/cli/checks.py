"""What can be wrong with a set-up, each looked at by a small function that says what it found and how to mend it."""

import datetime
import importlib.util
import os
import platform
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
import psutil

from scrapeyard.cli.wording import counted, duration, plain, size
from scrapeyard.model.job import Job
from scrapeyard.worker.cgroup import most

if TYPE_CHECKING:
    from scrapeyard.ports.scrapers import Scrapers
    from scrapeyard.settings import Settings

if sys.platform != "win32":
    import resource

_USUAL_PLACES = ("scrapers",)
_GB = 10**9
_PYTHONS = frozenset((3, minor) for minor in range(11, 15))
_OLDEST_SQLITE = (3, 35, 0)
_EXTRAS = {
    "tables": (("pyarrow", "python_calamine"), "Parquet and workbooks"),
    "s3": (("obstore",), "blobs in S3 or another object store"),
    "testing": (("hypothesis", "pytest"), "testing backends of your own"),
}
_NETWORK_DISKS = frozenset({"nfs", "nfs4", "cifs", "smbfs", "smb3", "9p", "afpfs", "webdav", "fuse.sshfs"})


class Verdict(StrEnum):
    """How bad it is."""

    FINE = "fine"
    WARNING = "warning"
    BROKEN = "broken"


class Finding(msgspec.Struct, frozen=True):
    """One thing that was looked at. `mend` says what to do, if there is anything to be done."""

    check: str
    verdict: Verdict
    said: str
    mend: str = ""


def of_machine(settings: "Settings") -> Iterator[Finding]:
    """Everything that can be told without opening the storage."""
    folder = settings.data.expanduser().absolute()
    checks: list[Callable[[], Finding]] = [
        python,
        lambda: writable(folder),
        lambda: local_disk(folder),
        lambda: disk_space(folder),
        lambda: files(settings.worker.processes * settings.worker.concurrency),
        lambda: memory(settings.worker.processes, settings.worker.memory_mb),
        sqlite,
        time_zones,
    ]
    for check in checks:
        yield check()
    for name in _EXTRAS:
        yield extra(name)


def python() -> Finding:
    """The interpreter."""
    said = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    if sys.version_info[:2] not in _PYTHONS:
        return Finding("python", Verdict.WARNING, said, "use Python 3.11 to 3.14: others are not tested")
    return Finding("python", Verdict.FINE, said)


def writable(folder: Path) -> Finding:
    """Whether the data folder takes files, and how long it takes to make one durable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"scrapeyard")
            file.flush()
            begun = time.monotonic()
            os.fsync(file.fileno())
            took = time.monotonic() - begun
    except OSError as error:
        mend = f"make {folder} writable for {_user()}, or choose another folder with --data"
        return Finding("folder", Verdict.BROKEN, f"{folder} cannot be written: {error.strerror}", mend)
    said = f"{folder} is writable; making a file durable took {duration(took)}"
    if took > 0.5:
        return Finding("folder", Verdict.WARNING, said, "choose a faster disk with --data: every commit waits for this")
    return Finding("folder", Verdict.FINE, said)


def local_disk(folder: Path) -> Finding:
    """SQLite's write-ahead log needs memory that is shared between processes: no network disk has that."""
    mounts = [part for part in psutil.disk_partitions(all=True) if folder.is_relative_to(part.mountpoint)]
    kind = max(mounts, key=lambda part: len(part.mountpoint)).fstype if mounts else "unknown"
    if kind.lower() in _NETWORK_DISKS:
        said = f"the data folder lies on a network disk ({kind})"
        return Finding("disk", Verdict.BROKEN, said, "choose a folder on a disk of this machine with --data")
    return Finding("disk", Verdict.FINE, f"the data folder lies on a local disk ({kind})")


def disk_space(folder: Path) -> Finding:
    """Room for what is kept."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(there).free
    if free < 10 * _GB:
        verdict = Verdict.BROKEN if free < _GB else Verdict.WARNING
        mend = "free some space, or choose another disk with --data; a page takes about 10 kB"
        return Finding("space", verdict, f"{size(free)} free", mend)
    return Finding("space", Verdict.FINE, f"{size(free)} free")


def files(slots: int) -> Finding:
    """The limit of open files: connections are files too."""
    if sys.platform == "win32":
        return Finding("files", Verdict.FINE, "no limit of open files here")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 256 + 6 * slots
    if 0 <= soft < wanted:
        most = "65536" if hard < 0 or hard >= 65_536 else str(hard)
        return Finding(
            "files", Verdict.WARNING, f"{soft:,} open files are allowed", f"run `ulimit -n {most}` before you start"
        )
    return Finding("files", Verdict.FINE, f"{'any number of' if soft < 0 else f'{soft:,}'} open files are allowed")


def memory(processes: int, megabytes: int) -> Finding:
    """Whether the scraping processes fit, should each of them use what it may."""
    total = most()
    said = f"{size(total)} of memory for {counted(processes, 'scraping process', 'scraping processes')}"
    if processes * megabytes * (1 << 20) > total:
        mend = "lower worker.memory_mb or worker.processes, or none of them is stopped before the machine swaps"
        return Finding("memory", Verdict.WARNING, f"{said} of up to {megabytes:,} MiB", mend)
    return Finding("memory", Verdict.FINE, said)


def sqlite() -> Finding:
    """The database library that Python was built with."""
    said = f"SQLite {sqlite3.sqlite_version}"
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        return Finding("sqlite", Verdict.BROKEN, said, "install a Python with SQLite 3.35 or newer, such as uv's own")
    return Finding("sqlite", Verdict.FINE, said)


def time_zones() -> Finding:
    """Whether crawl windows can be reckoned."""
    try:
        ZoneInfo("America/New_York")
    except ZoneInfoNotFoundError:
        return Finding("zones", Verdict.BROKEN, "no time zones are known", "install the package tzdata")
    return Finding("zones", Verdict.FINE, "time zones are known")


def clock(now: float, newest: Job | None) -> Finding:
    """A clock that was set back would let offers and retries wait for hours."""
    shown = datetime.datetime.fromtimestamp(now).astimezone().isoformat(timespec="seconds")
    if newest is not None and newest.created > now + 5:
        said = f"it is {shown}, but the newest job was begun {duration(newest.created - now)} later than that"
        return Finding("clock", Verdict.BROKEN, said, "set the clock, best by NTP (timedatectl set-ntp true)")
    if now < datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC).timestamp():
        return Finding("clock", Verdict.BROKEN, f"it is {shown}", "set the clock, best by NTP")
    return Finding("clock", Verdict.FINE, f"it is {shown}")


def extra(name: str) -> Finding:
    """One optional part."""
    modules, use = _EXTRAS[name]
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        mend = f"install scrapeyard[{name}], if you need {use}"
        return Finding(f"extra {name}", Verdict.WARNING, f"{' and '.join(missing)} not installed", mend)
    return Finding(f"extra {name}", Verdict.FINE, f"installed, for {use}")


def scrapers(found: "Scrapers", places: tuple[str, ...]) -> Iterator[Finding]:
    """What was found, and what could not be read."""
    cards = found.catalogue()
    broken = found.broken()
    looked = ", ".join(map(repr, places)) or "installed packages"
    if cards:
        yield Finding("scrapers", Verdict.FINE, f"{counted(len(cards), 'scraper')} in {looked}")
    else:
        mend = "make one with `scrapeyard scraper new NAME`, or say where they are with --scrapers"
        yield Finding("scrapers", Verdict.WARNING, f"none in {looked}", mend)
    for each in broken:
        if places == _USUAL_PLACES and each.source in places:
            continue  # nobody named this place, so nobody misses it
        mend = "mend or remove this one; the others are not held up by it"
        yield Finding("scraper", Verdict.BROKEN, f"{plain(each.source)}: {plain(each.reason)}", mend)


def _user() -> str:
    return os.environ.get("USER") or os.environ.get("USERNAME") or "this user"
