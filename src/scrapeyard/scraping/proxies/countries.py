"""Countries by name, for providers that do not tell their codes."""

from typing import Final

_NAMES = """
ar Argentina|at Austria|au Australia|be Belgium|bg Bulgaria|br Brazil|ca Canada|ch Switzerland|cl Chile|co Colombia
cy Cyprus|cz Czech Republic|cz Czechia|de Germany|dk Denmark|ee Estonia|eg Egypt|es Spain|fi Finland|fr France
gb United Kingdom|gb Great Britain|gr Greece|hk Hong Kong|hr Croatia|hu Hungary|id Indonesia|ie Ireland|il Israel
in India|is Iceland|it Italy|jp Japan|kr South Korea|lt Lithuania|lu Luxembourg|lv Latvia|md Moldova|mt Malta
mx Mexico|my Malaysia|nl Netherlands|no Norway|nz New Zealand|pe Peru|ph Philippines|pk Pakistan|pl Poland
pt Portugal|ro Romania|rs Serbia|ru Russia|se Sweden|sg Singapore|si Slovenia|sk Slovakia|th Thailand|tr Turkey
tw Taiwan|ua Ukraine|us United States|us USA|us United States of America|vn Vietnam|za South Africa
"""
_PAIRS = (pair.partition(" ") for pair in _NAMES.strip().replace("\n", "|").split("|"))
BY_NAME: Final = {name.lower(): code for code, _, name in _PAIRS}


def country_of(words: str) -> str:
    """The code of the country that stands last in a location (`New York, United States`); empty if none is known."""
    parts = [part.strip(" )").lower() for part in words.replace("(", ",").split(",")]
    return next((BY_NAME[part] for part in reversed(parts) if part in BY_NAME), "")
