"""What PostgreSQL or the way to it complains of, said so that a person knows what to do. Foreign errors stop here.

The most specific word comes first. `passing` marks what may be gone in a second; all of it has undone its transaction,
unless the connection broke while the commit was under way.
"""

import ssl
from typing import NamedTuple

import asyncpg
from asyncpg import exceptions as said

from scrapeyard.model.errors import BadInput, ScrapeyardError, StorageError


class Trouble(NamedTuple):
    """One sort of complaint. `final` says that trying again will not help."""

    errors: tuple[type[BaseException], ...]
    sentence: str
    passing: bool = False
    final: bool = False


TROUBLES = (
    Trouble(
        (said.InvalidPasswordError, said.InvalidAuthorizationSpecificationError),
        "PostgreSQL at {where} does not let this user in ({error}): set the user in the address and the password in "
        "PGPASSWORD or in a password file.",
        final=True,
    ),
    Trouble(
        (said.InvalidCatalogNameError,),
        "PostgreSQL at {where} has no such database ({error}): make it with `createdb`, or mend the address.",
        final=True,
    ),
    Trouble(
        (said.InsufficientPrivilegeError,),
        "PostgreSQL at {where} forbids this ({error}): let the user create a schema in the database, or own the one it "
        "is given.",
        final=True,
    ),
    Trouble(
        (said.UndefinedTableError, said.UndefinedColumnError, said.InvalidSchemaNameError),
        "Tables of Scrapeyard are missing at {where} ({error}): restore them from a copy, or choose another schema.",
        final=True,
    ),
    Trouble(
        (said.DataCorruptedError, said.IndexCorruptedError),
        "The database at {where} is damaged ({error}): restore it from a copy.",
        final=True,
    ),
    Trouble((said.DiskFullError,), "The disk of PostgreSQL at {where} is full: make room there, then go on."),
    Trouble(
        (said.TooManyConnectionsError,),
        "PostgreSQL at {where} has no connection left: raise its max_connections, or ask for fewer per process with "
        "?connections=2 in the address.",
        passing=True,
    ),
    Trouble((said.OutOfMemoryError,), "PostgreSQL at {where} ran out of memory: give it more, or lower its settings."),
    Trouble(
        (said.ReadOnlySQLTransactionError,),
        "PostgreSQL at {where} only reads, as a standby does: let the address lead to the primary "
        "(?target_session_attrs=read-write chooses among several hosts).",
        passing=True,
    ),
    Trouble(
        (said.CannotConnectNowError, said.AdminShutdownError, said.CrashShutdownError),
        "PostgreSQL at {where} is starting or stopping: wait a moment.",
        passing=True,
    ),
    Trouble(
        (said.DeadlockDetectedError, said.SerializationError, said.LockNotAvailableError),
        "PostgreSQL at {where} kept rows locked for too long: look for transactions that hang there.",
        passing=True,
    ),
    Trouble(
        (said.QueryCanceledError,),
        "PostgreSQL at {where} took too long over a statement: look at its load and its autovacuum.",
    ),
    Trouble(
        (said.IdleInTransactionSessionTimeoutError,), "This process stood still within a transaction.", passing=True
    ),
    Trouble(
        (ssl.SSLCertVerificationError,),
        "PostgreSQL at {where} shows a certificate that is not trusted here ({error}): name its authority with "
        "?sslrootcert=… in the address.",
        final=True,
    ),
    Trouble(
        (asyncpg.PostgresConnectionError, ConnectionResetError, BrokenPipeError, said.InterfaceError),
        "The connection to PostgreSQL at {where} broke: look at the server and the network between.",
        passing=True,
    ),
    Trouble(
        (TimeoutError,),
        "PostgreSQL at {where} does not answer: look at the server and the network between.",
        passing=True,
    ),
    Trouble(
        (OSError,),
        "PostgreSQL at {where} cannot be reached ({error}): start it, or mend the address.",
        passing=True,
    ),
)
_OTHERS = Trouble((), "PostgreSQL at {where} refused ({error}): run `scrapeyard doctor`.", final=True)

UNKEEPABLE = (asyncpg.CharacterNotInRepertoireError, asyncpg.UntranslatableCharacterError, said.DataError)
DOUBLE = asyncpg.UniqueViolationError
"""A row that is there already."""

FOREIGN = (asyncpg.PostgresError, said.InterfaceError, said.InternalClientError, OSError, TimeoutError)
"""Everything that may come out of the driver."""


def trouble_of(error: BaseException) -> Trouble:
    """The first that fits."""
    return next((trouble for trouble in TROUBLES if isinstance(error, trouble.errors)), _OTHERS)


def answered(error: BaseException) -> bool:
    """Whether the server itself said no, and the connection is as good as before."""
    lost = (asyncpg.PostgresConnectionError, said.OperatorInterventionError, said.IdleInTransactionSessionTimeoutError)
    stale = (said.ReadOnlySQLTransactionError,)
    return isinstance(error, asyncpg.PostgresError) and not isinstance(error, (*lost, *stale))


def in_our_words(error: BaseException, where: str) -> ScrapeyardError:
    """Our word for a complaint of PostgreSQL's."""
    if isinstance(error, UNKEEPABLE):
        return BadInput("A name or text has a character that PostgreSQL cannot keep (such as NUL): leave it out.")
    trouble = trouble_of(error)
    return StorageError(trouble.sentence.format(where=where, error=_plain(error)), final=trouble.final)


def _plain(error: BaseException) -> str:
    """One line of what was said, which never is an address with its password."""
    return " ".join(str(error).split())[:300] or type(error).__name__
