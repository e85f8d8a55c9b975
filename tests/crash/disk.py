"""A disk that loses power: rebuilds files as they would be found after a cut at any place of a recorded run.

What was synced is there. What was written since the last sync of its file is there or not, each write by itself, or
torn between two sectors, as the dice will have it.
"""

import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

SECTOR = 512
HERE = Path(__file__).parent


class Cut(StrEnum):
    """How a disk may leave what was not synced."""

    DROPPED = "dropped"
    SOME = "some writes kept"
    TORN = "some sectors kept"


@dataclass(frozen=True)
class Entry:
    """One thing that a process did to a file."""

    op: str
    name: str
    offset: int
    data: bytes = b""


def build_recorder(folder: Path) -> Path:
    """Compile the recorder."""
    library = folder / "recorder.so"
    command = ["cc", "-shared", "-fPIC", "-O1", "-o", library, HERE / "recorder.c", "-ldl", "-lpthread"]
    subprocess.run(command, check=True)
    return library


def recorded(recorder: Path, script: Path, folder: Path, *arguments: str) -> list[Entry]:
    """Run a script that works in `folder`, and read what it really did to the files there."""
    folder.mkdir()
    record = folder.with_name(f"{folder.name}.record")
    settings = {"LD_PRELOAD": str(recorder), "CRASH_FOLDER": str(folder.resolve()), "CRASH_RECORD": str(record)}
    command = [sys.executable, script, folder.resolve(), *arguments]
    run = subprocess.run(command, check=False, env=os.environ | settings, stderr=subprocess.PIPE)
    assert run.returncode == 0, run.stderr.decode()[-2000:]
    return list(_entries(record.read_bytes()))


def _entries(record: bytes) -> Iterator[Entry]:
    place = 0
    while place < len(record):
        end = record.index(b"\n", place)
        op, name, offset, size = record[place:end].decode().rsplit(" ", 3)
        place = end + 1 + int(size)
        yield Entry(op, name, int(offset), record[end + 1 : place])


@dataclass
class Disk:
    """Files as far as they are durable, and what was done to them since.

    A `strict` disk also forgets a new file whose folder was never synced, however well the file itself was.
    """

    strict: bool = False
    named: set[str] = field(default_factory=set[str])
    durable: dict[str, bytearray] = field(default_factory=dict[str, bytearray])
    pending: dict[str, list[Entry]] = field(default_factory=dict[str, list[Entry]])
    removed: dict[str, bytearray] = field(default_factory=dict[str, bytearray])

    def do(self, entry: Entry) -> None:
        """What the process did next."""
        name = entry.name
        if entry.op == "sync":
            for done in self.pending.pop(name, []):
                _apply(self.durable.setdefault(name, bytearray()), done)
            self.named |= {known for known in (*self.durable, *self.pending) if known.rpartition("/")[0] == name}
            self.removed.clear()
        elif entry.op == "remove":
            self.pending.pop(name, None)
            self.removed[name] = self.durable.pop(name, bytearray())
        else:
            self.removed.pop(name, None)
            self.pending.setdefault(name, []).append(entry)

    def after_cut(self, how: Cut, dice: random.Random) -> dict[str, bytes]:
        """The files as they are found when the power is back."""
        files = {name: bytearray(data) for name, data in self.durable.items()}
        for name, entries in self.pending.items():
            for entry in entries:
                for part in _kept(entry, how, dice):
                    _apply(files.setdefault(name, bytearray()), part)
        for name, data in self.removed.items():
            if dice.random() < 0.5:
                files.setdefault(name, data)
        if self.strict:
            for name in [name for name in files if name not in self.named]:
                if how is Cut.DROPPED or dice.random() < 0.5:
                    del files[name]
        return {name: bytes(data) for name, data in files.items()}


def _kept(entry: Entry, how: Cut, dice: random.Random) -> Sequence[Entry]:
    if how is Cut.DROPPED:
        return ()
    if how is Cut.SOME or not entry.data:
        return (entry,) if dice.random() < 0.5 else ()
    return [
        Entry("write", entry.name, entry.offset + start, entry.data[start : start + SECTOR])
        for start in range(0, len(entry.data), SECTOR)
        if dice.random() < 0.5
    ]


def _apply(file: bytearray, entry: Entry) -> None:
    if entry.op == "cut":
        del file[entry.offset :]
        file.extend(bytes(entry.offset - len(file)))
        return
    file.extend(bytes(max(0, entry.offset - len(file))))
    file[entry.offset : entry.offset + len(entry.data)] = entry.data
