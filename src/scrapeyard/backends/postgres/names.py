"""How an item's key is named in the index, which cannot hold the longest ones.

PostgreSQL refuses an index entry of more than about 2,700 bytes, and a key may have four times 1,024. So a long key is
named by its beginning and its digest. A name that was shortened is longer than any that was not, so the two kinds never
meet.
"""

from hashlib import sha256

_LONGEST = 1_024


def name_of(key: bytes) -> bytes:
    """The name of a key."""
    return key if len(key) <= _LONGEST else key[:_LONGEST] + sha256(key).digest()


def rest_of(key: bytes) -> bytes | None:
    """What has to be kept beside the name: the whole key, where its name does not tell it."""
    return key if len(key) > _LONGEST else None
