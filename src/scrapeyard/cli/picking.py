"""Which items, as people say it: since yesterday, until 14:30, the keys in this file."""

import datetime
import re
import sys
from pathlib import Path

from scrapeyard.cli.failing import Misused
from scrapeyard.cli.wording import plain

LARGEST_FILE = 256 << 20
_AGO = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d)")
_SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_CLOCK = re.compile(r"(\d\d?):(\d\d)")


def parse_moment(said: str, now: float) -> float:
    """`2h` is two hours ago, `14:30` was today or else yesterday, a date begins at midnight; local time."""
    text = said.strip()
    if ago := _AGO.fullmatch(text.lower()):
        return now - float(ago[1]) * _SECONDS[ago[2]]
    here = datetime.datetime.fromtimestamp(now).astimezone()
    try:
        if clock := _CLOCK.fullmatch(text):
            then = here.replace(hour=int(clock[1]), minute=int(clock[2]), second=0, microsecond=0)
            return (then if then <= here else then - datetime.timedelta(days=1)).timestamp()
        return datetime.datetime.fromisoformat(text).timestamp()
    except ValueError as error:
        meant = 'write 2h (ago), 14:30, 2026-05-31 or "2026-05-31 14:30".'
        raise Misused(f"{plain(said, 40)!r} is no time; {meant}") from error


def keys_of(path: Path) -> frozenset[str]:
    """The keys in a file, one a line; of a list with tabs, as `scrapeyard items` gives it, the first column."""
    if str(path) == "-":
        data = sys.stdin.buffer.read(LARGEST_FILE + 1)
    else:
        if not path.is_file():
            raise Misused(f"There is no file {str(path)!r} for --keys; check the path.")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise Misused(f"{str(path)!r} is larger than {LARGEST_FILE >> 20} MiB; split it, or choose by kind and time.")
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise Misused(f"{str(path)!r} is no text in UTF-8: save it as that.") from error
    keys = frozenset(key for line in lines if (key := line.partition("\t")[0].strip()))
    if not keys:
        raise Misused(f"{str(path)!r} has no keys: put one on each line.")
    return keys
