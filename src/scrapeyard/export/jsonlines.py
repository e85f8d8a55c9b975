"""JSON Lines: one object a line, with the values exactly as the record has them."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from scrapeyard.export.columns import Column, names_of
from scrapeyard.export.fitting import whole_text
from scrapeyard.export.sheets import Values


class LinesFormat:
    """JSONL."""

    suffix = ".jsonl"
    typed = False

    def open(self, path: Path, columns: Sequence[Column]) -> "LinesSheet":
        """Begin a file."""
        return LinesSheet(path, names_of(columns))


class LinesSheet:
    """One JSONL file."""

    def __init__(self, path: Path, names: list[str]) -> None:
        self._file = path.open("xb")
        self._names = names
        self._encoder = msgspec.json.Encoder()

    def write(self, rows: Sequence[Values]) -> None:
        for row in rows:
            values = [whole_text(value) if isinstance(value, str) else value for value in row]
            self._file.write(self._encoder.encode(dict(zip(self._names, values, strict=True))) + b"\n")

    def close(self) -> None:
        self._file.close()
