"""Tables as rows of named cells.

An HTML table is a picture of a table: cells span rows and columns, headings come in two layers, and a span of
65,534 rows is one attribute away. So cells are laid on a grid first, under a limit, and read from there.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from scrapeyard.pages.errors import TooBig
from scrapeyard.pages.parsing import Node, Parser
from scrapeyard.pages.said import brief, said
from scrapeyard.pages.wording import folded

MOST_CELLS: Final = 250_000
MOST_COLUMNS: Final = 1_000
"""The widest span that the HTML standard allows."""
MOST_TABLES: Final = 1_000
LONGEST_NAME: Final = 200

Row = dict[str, str]


def rows_of(parser: Parser, table: Node, headers: Sequence[str] | None = None) -> list[Row]:
    """The table's body, each row by its headings. Footers are left out: a sum is not a row."""
    head, body = _parts(parser, table)
    if headers is None:
        if not head and body:
            head, body = _head_in_body(parser, body)
        headers = _names(_grid(parser, head))
    elif not head and body and _is_head(parser, body[0]):
        body = body[1:]
    names = list(headers)
    found: list[Row] = []
    for cells in _grid(parser, body):
        while len(names) < len(cells):
            names.append(f"column {len(names) + 1}")
        if any(cells):
            found.append({name: cells[at] if at < len(cells) else "" for at, name in enumerate(names)})
    return found


def is_called(parser: Parser, table: Node, words: str) -> bool:
    """Whether the table's caption, or one of its heading cells, reads so."""
    wanted = folded(words)
    caption = next((child for child in _elements(parser, table) if parser.tag(child) == "caption"), None)
    if caption is not None and folded(brief(parser, caption, LONGEST_NAME) or "") == wanted:
        return True
    head, body = _parts(parser, table)
    cells = (cell for row in head or body[:1] for cell in _cells(parser, row))
    return any(folded(brief(parser, cell, LONGEST_NAME) or "") == wanted for cell in cells)


def _parts(parser: Parser, table: Node) -> tuple[list[Node], list[Node]]:
    """Heading rows and body rows of this table alone, not of tables inside its cells."""
    head: list[Node] = []
    body: list[Node] = []
    for child in _elements(parser, table):
        tag = parser.tag(child)
        if tag == "tr":
            body.append(child)
        elif tag in ("thead", "tbody"):
            rows = [row for row in _elements(parser, child) if parser.tag(row) == "tr"]
            (head if tag == "thead" else body).extend(rows)
    return head, body


def _head_in_body(parser: Parser, body: list[Node]) -> tuple[list[Node], list[Node]]:
    """Rows of nothing but `<th>` on top are the head; where there are none, the first row is."""
    count = 0
    while count < len(body) and _is_head(parser, body[count]):
        count += 1
    count = max(count, 1)
    return body[:count], body[count:]


def _is_head(parser: Parser, row: Node) -> bool:
    cells = _cells(parser, row)
    return bool(cells) and all(parser.tag(cell) == "th" for cell in cells)


def _names(grid: Iterator[list[str]]) -> list[str]:
    """One name a column: layers joined, blanks numbered, a second `Amount` called `Amount 2`."""
    layers = list(grid)
    width = max(map(len, layers), default=0)
    names: list[str] = []
    seen: set[str] = set()
    for at in range(width):
        words = dict.fromkeys(layer[at] for layer in layers if at < len(layer) and layer[at])
        name = plain = " ".join(words) or f"column {at + 1}"
        again = 1
        while name in seen:
            again += 1
            name = f"{plain} {again}"
        seen.add(name)
        names.append(name)
    return names


def _grid(parser: Parser, rows: Sequence[Node]) -> Iterator[list[str]]:
    """The rows with every spanned place filled by the text that spans it."""
    hanging: dict[int, tuple[int, str]] = {}  # column -> rows it still hangs into, text
    laid = 0
    for row in rows:
        line: list[str] = []
        below: dict[int, tuple[int, str]] = {}
        cells = iter(_cells(parser, row))
        while True:
            while (hung := hanging.get(len(line))) is not None:
                if hung[0] > 1:
                    below[len(line)] = (hung[0] - 1, hung[1])
                line.append(hung[1])
            cell = next(cells, None)
            if cell is None:
                break
            text, wide, high = said(parser, cell), _span(parser, cell, "colspan"), _span(parser, cell, "rowspan")
            for _ in range(wide):
                if high > 1:
                    below[len(line)] = (high - 1, text)
                line.append(text)
            if len(line) > MOST_COLUMNS:
                raise TooBig("A row of a table", f"{MOST_COLUMNS:,} columns")
        # what hangs beyond this row's last cell goes on, with a gap before it
        for column in sorted(at for at in hanging if at >= len(line)):
            left, text = hanging[column]
            line.extend("" for _ in range(column - len(line)))
            line.append(text)
            if left > 1:
                below[column] = (left - 1, text)
        hanging = below
        laid += len(line)
        if laid > MOST_CELLS:
            raise TooBig("A table", f"{MOST_CELLS:,} cells")
        yield line


def _span(parser: Parser, cell: Node, name: str) -> int:
    value = parser.attr(cell, name)
    if not value:
        return 1
    digits = value.strip()[:6]
    # rowspan=0 means "to the end of the group"; browsers stop at 65,534
    return (
        min(max(int(digits), 1), MOST_COLUMNS if name == "colspan" else 65_534)
        if digits.isascii() and digits.isdigit()
        else 1
    )


def _cells(parser: Parser, row: Node) -> list[Node]:
    return [cell for cell in _elements(parser, row) if parser.tag(cell) in ("td", "th")]


def _elements(parser: Parser, node: Node) -> list[Node]:
    return [child for child in parser.children(node) if not isinstance(child, str)]
