"""A marked point whose further lines stand below its first word; into a pipe it goes as one whole line."""

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text


class Point:
    """One point. `mark` stands before it, `indent` columns from the edge."""

    def __init__(self, mark: str, text: Text, indent: int = 0) -> None:
        self._lead = f"{' ' * indent}{mark}"
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """See rich: what does not wrap is not laid out either."""
        if options.no_wrap:
            yield Text.assemble(self._lead, " ", self._text)
            return
        grid = Table.grid(padding=(0, 1))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        grid.add_row(Text(self._lead), self._text)
        yield grid
