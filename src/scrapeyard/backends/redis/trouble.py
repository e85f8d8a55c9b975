"""What Redis or the way to it complains of, said so that a person knows what to do. Foreign errors stop here.

The most specific word comes first.
"""

from typing import NamedTuple

from redis import exceptions as said

from scrapeyard.model.errors import StorageError


class Trouble(NamedTuple):
    """One sort of complaint. `final` says that trying again will not help."""

    errors: tuple[type[Exception], ...]
    sentence: str
    final: bool = False


TROUBLES = (
    Trouble(
        (said.AuthenticationError, said.AuthenticationWrongNumberOfArgsError),
        "Redis at {where} does not let this user in: put the user and the password of it into the address, "
        "redis://user:password@host/0.",
        final=True,
    ),
    Trouble(
        (said.NoPermissionError,),
        "Redis at {where} forbids this ({error}): allow the user ~prefix keys, scripts and streams.",
        final=True,
    ),
    Trouble(
        (said.ReadOnlyError,),
        "Redis at {where} only reads, as a replica does: let the address lead to the primary.",
    ),
    Trouble(
        (said.BusyLoadingError,),
        "Redis at {where} is starting: wait a moment.",
    ),
    Trouble(
        (said.OutOfMemoryError,),
        "Redis at {where} has no memory left: give it more, or see who else fills it.",
    ),
    Trouble(
        (said.TimeoutError, TimeoutError),
        "Redis at {where} does not answer: look at the server and the network between.",
    ),
    Trouble(
        (said.ConnectionError, OSError),
        "Redis at {where} cannot be reached ({error}): start it, or mend the address.",
    ),
)
_OTHERS = Trouble((), "Redis at {where} refused ({error}): run `scrapeyard doctor`.", final=True)

FOREIGN = (said.RedisError, OSError, TimeoutError)
"""Everything that may come out of the driver."""


def in_our_words(error: Exception, where: str) -> StorageError:
    """Our word for a complaint of Redis'."""
    trouble = next((trouble for trouble in TROUBLES if isinstance(error, trouble.errors)), _OTHERS)
    plain = " ".join(str(error).split())[:300] or type(error).__name__
    return StorageError(trouble.sentence.format(where=where, error=plain), final=trouble.final)
