"""What one format does with one file. Writing blocks, and is done in a thread."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from scrapeyard.export.columns import Column

Values = Sequence[object]


class Sheet(Protocol):
    """One open file of a table."""

    def write(self, rows: Sequence[Values]) -> None:
        """Add rows, their values in the order of the columns."""
        ...

    def close(self) -> None:
        """Write what is left and close the file."""
        ...


class Format(Protocol):
    """One table format. `typed` says that values have to fit the types of their columns."""

    @property
    def suffix(self) -> str: ...

    @property
    def typed(self) -> bool: ...

    def open(self, path: Path, columns: Sequence[Column]) -> Sheet:
        """Begin a file that does not exist yet."""
        ...
