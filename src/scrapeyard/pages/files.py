"""A kept file (a PDF bill, a picture): bytes with a name and a type, in memory or on disk.

Small files travel as bytes; a large download stays where it was streamed to, and is read when somebody asks.
"""

import hashlib
from pathlib import Path
from typing import Final, Self

_BLOCK: Final = 1 << 20


class File:
    """One file that a visit kept. It does not change, and neither must the bytes at its path."""

    __slots__ = ("_body", "_path", "_sha256", "content_type", "name", "url")

    def __init__(
        self,
        name: str,
        *,
        body: bytes | None = None,
        path: Path | None = None,
        content_type: str = "",
        url: str = "",
    ) -> None:
        if (body is None) == (path is None):
            raise ValueError("A file is made of a body or of a path; give exactly one.")
        self.name = name
        self.content_type = content_type
        self.url = url
        self._body = body
        self._path = path
        self._sha256: str | None = None

    @property
    def size(self) -> int:
        """Length in bytes."""
        return len(self._body) if self._body is not None else self._there().stat().st_size

    @property
    def sha256(self) -> str:
        """The digest in hex, worked out once, without loading a large file whole."""
        if self._sha256 is None:
            digest = hashlib.sha256()
            if self._body is not None:
                digest.update(self._body)
            else:
                with self._there().open("rb") as source:
                    while block := source.read(_BLOCK):
                        digest.update(block)
            self._sha256 = digest.hexdigest()
        return self._sha256

    @property
    def path(self) -> Path | None:
        """Where the file lies, if it lies on disk."""
        return self._path

    def read(self) -> bytes:
        """The whole file."""
        return self._body if self._body is not None else self._there().read_bytes()

    def called(self, name: str) -> Self:
        """The same file under another name."""
        return type(self)(name, body=self._body, path=self._path, content_type=self.content_type, url=self.url)

    def __repr__(self) -> str:
        return f"File({self.name!r}, {self.content_type or 'unknown type'})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, File):
            return NotImplemented
        return (self.name, self.content_type, self.url, self.sha256) == (
            other.name,
            other.content_type,
            other.url,
            other.sha256,
        )

    def __hash__(self) -> int:
        return hash((self.name, self.sha256))

    def _there(self) -> Path:
        assert self._path is not None
        return self._path
