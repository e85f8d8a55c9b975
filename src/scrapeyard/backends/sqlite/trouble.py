"""What SQLite complains of, said so that a person knows what to do. Foreign errors stop here, cause kept."""

import sqlite3

from scrapeyard.model.errors import StorageError

_ADVICE: dict[int, tuple[str, bool]] = {
    sqlite3.SQLITE_FULL: ("The disk that holds {path} is full: make room there, then go on.", False),
    sqlite3.SQLITE_READONLY: (
        "{path} cannot be written: give this user write access to the file and its folder.",
        True,
    ),
    sqlite3.SQLITE_CANTOPEN: ("{path} cannot be opened: check that its folder exists and is writable.", True),
    sqlite3.SQLITE_BUSY: ("{path} stayed locked by another process for too long: find out which one hangs.", False),
    sqlite3.SQLITE_LOCKED: ("{path} stayed locked by another process for too long: find out which one hangs.", False),
    sqlite3.SQLITE_IOERR: ("The disk failed while {path} was used: check the disk, then go on.", False),
    sqlite3.SQLITE_CORRUPT: ("{path} is damaged: restore it from a copy, or start with a new data folder.", True),
    sqlite3.SQLITE_NOTADB: ("{path} is not a Scrapeyard database: choose another data folder.", True),
    sqlite3.SQLITE_NOMEM: ("Memory ran out while {path} was used: free some, then go on.", False),
}
_OTHERS = ("SQLite refused to work on {path} ({error}): run `scrapeyard doctor`.", True)
_WAIT_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


def primary_code(error: sqlite3.Error) -> int:
    """SQLite's own number of an error without its fine print; 0 where the driver complained, not the library."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return 0 if code is None else code & 0xFF


def is_contention(error: sqlite3.Error) -> bool:
    """Whether another connection was merely in the way."""
    return primary_code(error) in _WAIT_CODES


def storage_error(error: sqlite3.Error, path: object) -> StorageError:
    """Our word for a complaint of SQLite's."""
    sentence, final = _ADVICE.get(primary_code(error), _OTHERS)
    return StorageError(sentence.format(path=path, error=error), final=final)
