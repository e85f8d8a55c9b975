"""Which keys a blob may have. Checked by every store, so that a key can never climb out of its root.

Keys are ours and plain; a key that is not plain comes from a bug or from a stranger, and is refused alike.
"""

import re

from scrapeyard.model.errors import BadInput

_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._=-]{0,199}")
_LONGEST = 900


def parts_of(key: str) -> tuple[str, ...]:
    """The folders and the name of a blob."""
    parts = tuple(key.split("/"))
    if len(key) > _LONGEST or not all(_PART.fullmatch(part) for part in parts):
        raise BadInput(
            f"{key[:120]!a} is no blob key: use plain names (letters, digits, . _ = -) joined by single slashes."
        )
    return parts


def check_prefix(prefix: str) -> tuple[str, ...]:
    """The whole folders of a prefix, which may end in the middle of a name, or be empty."""
    *folders, rest = prefix.split("/")
    if prefix:
        parts_of("/".join((*folders, rest or "x")))
    return tuple(folders)
