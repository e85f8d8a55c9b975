"""Something that was learned and must outlive the process that learned it."""

import msgspec


class Memo(msgspec.Struct, frozen=True):
    """A small named value. `version` changes with every writing, so that nobody overwrites what they have not seen."""

    name: str
    body: bytes
    version: int
