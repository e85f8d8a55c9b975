"""Where in the world a proxy should be, as it stands behind the colon of a tier: `residential:us-ca`.

A place is a country, perhaps with a state, a city or a post code: `us`, `us-ca`, `us-ca-oakland`, `de-berlin`,
`us-94601`. What cannot be read that way is refused, because a typing slip would otherwise be a visit from elsewhere.
"""

import re

import msgspec

from scrapeyard.model.errors import BadInput

_COUNTRY = re.compile(r"[a-z]{2}")
_ZIP = re.compile(r"[0-9]{5}")
_CITY = re.compile(r"[a-z][a-z_]{2,39}")


class Place(msgspec.Struct, frozen=True):
    """A place; empty parts do not restrict."""

    country: str = ""
    state: str = ""
    city: str = ""
    zip: str = ""

    def __str__(self) -> str:
        return "-".join(part for part in (self.country, self.state, self.city, self.zip) if part)


ANYWHERE = Place()


def parted(tier: str) -> tuple[str, Place]:
    """A tier without its place, and the place. `BadInput` if that is none."""
    name, colon, where = tier.partition(":")
    if not name or (colon and not where):
        raise BadInput(f"{tier[:80]!r} is no tier; write a name such as residential, or residential:us-ca.")
    return name, place_of(where) if colon else ANYWHERE


def place_of(where: str) -> Place:
    """A place as it is written. `BadInput` if it is none."""
    country, *rest = where.lower().replace(" ", "_").split("-")
    if not _COUNTRY.fullmatch(country):
        raise _unknown(where)
    place = Place(country)
    for part in rest:
        if _ZIP.fullmatch(part) and not (place.zip or place.city):
            place = msgspec.structs.replace(place, zip=part)
        elif _COUNTRY.fullmatch(part) and place == Place(country):
            place = msgspec.structs.replace(place, state=part)
        elif _CITY.fullmatch(part) and not (place.zip or place.city):
            place = msgspec.structs.replace(place, city=part)
        else:
            raise _unknown(where)
    return place


def _unknown(where: str) -> BadInput:
    return BadInput(
        f"{where[:80]!r} is no place; write a country and perhaps a state, a city or a post code: "
        "us, us-ca, us-ca-oakland, de-berlin, us-94601."
    )
