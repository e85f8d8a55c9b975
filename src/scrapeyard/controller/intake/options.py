"""What is asked of an intake, and what it may cost."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from scrapeyard.model.errors import BadInput


class IntakeLimits(msgspec.Struct, frozen=True):
    """What a stranger's list may cost, in bytes but for `fields`, which counts columns.

    `decoded` bounds what a gzip unpacks to, `sheet` a workbook's sheet or a Parquet file, `strings` the texts that a
    workbook's cells share, and `whole` a JSON array; the last two are held in memory.
    """

    line: int = 1 << 20
    fields: int = 4_096
    decoded: int = 16 << 30
    whole: int = 64 << 20
    sheet: int = 2 << 30
    strings: int = 128 << 20


class Shard(msgspec.Struct, frozen=True):
    """One of several machines that share nothing and split a list among them; counted from 0."""

    number: int
    of: int

    @classmethod
    def parsed(cls, text: str) -> "Shard":
        """`0/4` is the first of four."""
        number, _, of = text.partition("/")
        if not (number.isascii() and number.isdigit() and of.isascii() and of.isdigit()) or int(number) >= int(of):
            raise BadInput(f"{text!r} is no shard; write 0/4, 1/4, 2/4 and 3/4 for four machines.")
        return cls(int(number), int(of))


class IntakeOptions(msgspec.Struct, frozen=True):
    """How a list is read. `columns` names the column for an input, where the names differ.

    `schema` is the scraper's input schema, from its card; without it every column is taken for an input of its name.
    `rejects` is where rows that cannot be taken are written, if they are skipped.
    """

    schema: Mapping[str, object] = {}
    columns: Mapping[str, str] = {}
    header: bool = True
    on_bad_row: Literal["fail", "skip"] = "fail"
    rejects: Path | None = None
    shard: Shard | None = None
    limit: int | None = None
    chunk: int = 5_000
    limits: IntakeLimits = IntakeLimits()


def parse_columns(pairs: list[str]) -> dict[str, str]:
    """`parcel_id=Parcel No`, as given on the command line, once for each input."""
    found: dict[str, str] = {}
    for pair in pairs:
        field, sign, column = pair.partition("=")
        if not sign or not field.strip() or not column:
            raise BadInput(f'{pair!r} maps nothing; write --map parcel_id="Parcel No".')
        found[field.strip()] = column
    return found
