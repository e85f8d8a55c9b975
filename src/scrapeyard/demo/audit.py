"""The exported records against the county's own books: a demo that only says that all is well would prove little."""

import csv
from collections import Counter
from pathlib import Path

import msgspec

from scrapeyard.demo.county import parcel
from scrapeyard.demo.county.numbers import index_of

_SAMPLE = 4


class Audit(msgspec.Struct, frozen=True):
    """Parcels that have a record, have several, have a wrong one; and a few of the records."""

    parcels: int = 0
    twice: int = 0
    wrong: int = 0
    sample: tuple[dict[str, str], ...] = ()


def audited(table: Path, seed: int, parcels: int) -> Audit:
    """Compare a table of assessments with the truth."""
    seen: Counter[str] = Counter()
    wrong = 0
    sample: list[dict[str, str]] = []
    with table.open(newline="", encoding="utf-8-sig") as file:
        for row in csv.DictReader(file):
            seen[row["_key"]] += 1
            place = index_of(row["_key"], parcels)
            truth = parcel(seed, place) if place is not None else None
            right = truth is not None and (truth.situs, truth.values[0].total) == (
                row["situs"],
                int(float(row["total_value"])),
            )
            wrong += not right
            if len(sample) < _SAMPLE:
                sample.append({name: said for name, said in row.items() if not name.startswith("_")})
    return Audit(len(seen), sum(count > 1 for count in seen.values()), wrong, tuple(sample))
