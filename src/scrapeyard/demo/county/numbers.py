"""Which number has the parcel at a given place, and which place has a number, without keeping a list of either.

Numbers read `007-0012-019`: book, page, lot. The leading zeros and dashes are there on purpose, since lost zeros are
the commonest fault of a parcel list. Neighbours in the list lie in different books, as in an export of a real roll.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

from scrapeyard.demo.county.dice import fingerprint

BOOKS = 40
LOTS = 25
MOST_PARCELS = BOOKS * LOTS * 9_999
GHOST_LOT = 900  # no page has so many lots, so a number with this one never exists


def number_at(index: int) -> str:
    """The parcel number at this place of the roll."""
    rest, book = divmod(index, BOOKS)
    page, lot = divmod(rest, LOTS)
    return f"{book + 1:03d}-{page + 1:04d}-{lot + 1:03d}"


def index_of(number: str, parcels: int) -> int | None:
    """The place of a number in a roll of so many parcels; None if there is none. Dashes and blanks do not matter."""
    if len(number) > 20:
        return None
    digits = number.strip().replace("-", "").replace(" ", "")
    if len(digits) != 10 or not (digits.isascii() and digits.isdigit()):
        return None
    book, page, lot = int(digits[:3]) - 1, int(digits[3:7]) - 1, int(digits[7:]) - 1
    if not (0 <= book < BOOKS and page >= 0 and 0 <= lot < LOTS):
        return None
    index = (page * LOTS + lot) * BOOKS + book
    return index if index < parcels else None


def ghost_number(order: int) -> str:
    """A number of the right form that no parcel has."""
    page, book = divmod(order, BOOKS)
    return f"{book + 1:03d}-{page % 9_999 + 1:04d}-{GHOST_LOT + page // 9_999:03d}"


def numbers_on_page(prefix: str, parcels: int) -> list[str]:
    """All numbers of one book page (`007-0012`), in order; empty for anything that is not one."""
    found = (f"{prefix}-{lot:03d}" for lot in range(1, LOTS + 1))
    return [number for number in found if index_of(number, parcels) is not None] if len(prefix) == 8 else []


def listed(parcels: int, ghosts: int = 0, seed: int = 7) -> Iterator[str]:
    """The first so many numbers of the roll with ghosts strewn in between, the same for the same seed."""
    places = {fingerprint(seed, "ghost", order) % max(parcels, 1) for order in range(ghosts)}
    spare = (ghost_number(order) for order in range(ghosts))
    for index in range(parcels):
        if index in places:
            yield next(spare)
        yield number_at(index)
    yield from spare


def write_list(path: Path, parcels: int, ghosts: int = 0, seed: int = 7, column: str = "parcel_id") -> int:
    """Write a CSV of parcel numbers, some of which do not exist, and say how many rows it has."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([column])
        writer.writerows([number] for number in listed(parcels, ghosts, seed))
    return parcels + ghosts
