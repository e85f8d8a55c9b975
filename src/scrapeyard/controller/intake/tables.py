"""What every format is turned into: a table with named columns, and its rows, each with the line it came from."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol


class Spoiled(NamedTuple):
    """A row that could not even be taken apart, or into more `cells` than there are columns."""

    reason: str
    raw: str = ""
    cells: Sequence[object] = ()


Cells = Sequence[object]
Row = Cells | dict[str, object] | Spoiled
"""Cells in the order of the columns, of which the last may be missing; or, where each row names its own, a dict."""


class Table(Protocol):
    """One list, opened. `columns` is None where rows name their own; `unit` is what a row's number counts."""

    @property
    def columns(self) -> Sequence[str] | None: ...

    @property
    def unit(self) -> str: ...

    @property
    def remarks(self) -> Sequence[str]:
        """What a person should know of how it was read; complete once the rows are through."""
        ...

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Every row with its line, or its number where there are no lines."""
        ...


def shown(text: str, most: int) -> str:
    """As much of a stranger's text as fits in a sentence."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
