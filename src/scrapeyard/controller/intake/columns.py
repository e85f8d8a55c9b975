"""Which column of a list is which input: by what the person said, else by name, whatever its case, spaces and dashes.

An empty cell of an input that may be left out is left out, so that a table and a JSON object without the field mean
the same item.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

from scrapeyard.controller.intake.tables import Cells, shown
from scrapeyard.model.errors import BadInput

Shape = Callable[[Cells], dict[str, object]]
"""From the cells of a row to the inputs by name."""


class Fields:
    """The inputs of a scraper, and how a list's columns are matched with them."""

    def __init__(self, schema: Mapping[str, object], said: Mapping[str, str]) -> None:
        properties, required = schema.get("properties"), schema.get("required")
        self.names: tuple[str, ...] = tuple(map(str, properties)) if isinstance(properties, dict) else ()  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - JSON
        self._required = frozenset(map(str, required)) if isinstance(required, list) else frozenset[str]()  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - JSON
        self._said = said
        self._named: tuple[tuple[str, ...], dict[str, str]] = ((), {})
        unknown = [field for field in said if self.names and field not in self.names]
        if unknown:
            raise BadInput(f"There is no input {unknown[0]!r} to map; the inputs are {', '.join(self.names)}.")

    def shape(self, columns: Sequence[str]) -> Shape:
        """How rows of these columns become inputs. `BadInput` names what is missing or could be meant twice."""
        places = self.match(columns)
        optional = [field for field in places if field not in self._required] if self.names else []
        if not places:
            return lambda _: {}
        names, cells_of = tuple(places), itemgetter(*places.values())
        last = max(places.values())
        if len(names) == 1:
            only = names[0]

            def pick(cells: Cells) -> dict[str, object]:
                return {only: cells_of(cells)}
        else:

            def pick(cells: Cells) -> dict[str, object]:
                return dict(zip(names, cells_of(cells), strict=True))

        def shape(cells: Cells) -> dict[str, object]:
            row = pick(cells if len(cells) > last else [*cells, *[""] * (last + 1 - len(cells))])
            if optional and "" in row.values():
                for field in optional:
                    if row[field] == "":
                        del row[field]
            return row

        return shape

    def match(self, columns: Sequence[str]) -> dict[str, int]:
        """The place of each input's column."""
        found: dict[str, int] = {}
        for field in self.names or dict.fromkeys((*self._said, *(column for column in columns if column))):
            places = _places(self._said.get(field, field), columns)
            if len(places) > 1:
                raise BadInput(_ambiguous(field, [columns[place] for place in places]))
            if places:
                found[field] = places[0]
            elif field in self._said or field in self._required:
                raise BadInput(
                    f"The list has no column {self._said.get(field, field)!r}; it has {_listed(columns)}. "
                    f'Name the right one with --map {field}="…", or say --no-header if the first line is data.'
                )
        return found

    def named(self, row: Mapping[str, object]) -> dict[str, object]:
        """The inputs of a row that names its own columns. Rows mostly have the same names as the row before."""
        names = tuple(row)
        if names != self._named[0]:
            known = {folded(name): name for name in reversed(names)}
            wanted = {
                field: said if (said := self._said.get(field, field)) in row else known.get(folded(said), said)
                for field in (self.names or dict.fromkeys((*self._said, *names)))
            }
            self._named = (names, {field: name for field, name in wanted.items() if name in row})
        found = {field: row[name] for field, name in self._named[1].items()}
        if self.names:
            for field in [field for field, value in found.items() if value is None or value == ""]:
                if field not in self._required:
                    del found[field]
        return found


def folded(name: str) -> str:
    """A name without what people write differently."""
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def _places(wanted: str, columns: Sequence[str]) -> list[int]:
    exact = [place for place, column in enumerate(columns) if column == wanted]
    return exact or [place for place, column in enumerate(columns) if folded(column) == folded(wanted) != ""]


def _ambiguous(field: str, names: Sequence[str]) -> str:
    if len(set(names)) == 1:
        return f"The list has {len(names)} columns called {shown(names[0], 40)!r}: rename all but the right one."
    named = ", ".join(repr(shown(name, 40)) for name in names[:20])
    return f"Several columns could be {field!r}: {named}; choose with --map {field}=…"


def _listed(columns: Sequence[str]) -> str:
    listed = ", ".join(repr(shown(column, 40)) for column in columns[:20])
    return f"{listed} and {len(columns) - 20:,} more" if len(columns) > 20 else listed or "none"
