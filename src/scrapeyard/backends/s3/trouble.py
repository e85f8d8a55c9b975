"""What an object store complains of, said so that a person knows what to do. Foreign errors stop here, cause kept."""

import re
from collections.abc import Generator
from contextlib import contextmanager

from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

from scrapeyard.model.errors import NotFound, StorageError

_LONGEST = 300
_NO_BUCKET = re.compile("NoSuchBucket|ContainerNotFound|bucket does not exist")
_MAY_NOT = (PermissionDeniedError, UnauthenticatedError)


@contextmanager
def translated(key: str, place: str) -> Generator[None]:
    """Our words for whatever goes wrong with `key` in the store at `place`."""
    try:
        yield
    except FileNotFoundError as error:
        if _NO_BUCKET.search(str(error)):
            raise StorageError(f"{place} does not exist: make it, or correct the address of the blobs.") from error
        raise NotFound(f"There is no blob {key}.") from error
    except _MAY_NOT as error:
        raise StorageError(
            f"{key} in {place} is not ours to use ({said(error)}): check the credentials and what they may do.",
            final=True,
        ) from error
    except (BaseError, OSError) as error:
        raise StorageError(f"{key} in {place} cannot be reached ({said(error)}): check network and store.") from error


def said(error: Exception) -> str:
    """What the store said, as far as it is for people: the code of its answer, else the first line."""
    code = re.search(r"<Code>(\w{1,60})</Code>", str(error))
    return code[1] if code else (str(error).splitlines() or [type(error).__name__])[0][:_LONGEST]
