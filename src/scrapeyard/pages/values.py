"""Numbers and amounts as pages write them, exact, or refused.

`$1,234.50`, `(1,234.50)`, `1,234.50-` and `1,234.50 CR` are amounts; `12,34` and `1.2 million` are not, and a
wrong guess would go into a ledger unnoticed. So grouping is checked, and the European style is asked for by name.
"""

import re
from decimal import Decimal
from typing import Final, Literal

from scrapeyard.pages.errors import BadValue
from scrapeyard.pages.wording import tidy

Style = Literal["1,234.50", "1.234,50"]
"""How the page writes a thousand and a half: its sign for thousands first, its decimal sign last."""

LONGEST: Final = 60
"""A longer text is not a number that a page shows a person."""

_US: Final = re.compile(r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?:['’ ][0-9]{3})+|[0-9]+)?(?:\.[0-9]*)?")
_EU: Final = re.compile(r"(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]{1,3}(?:['’ ][0-9]{3})+|[0-9]+)?(?:,[0-9]*)?")
_SIGNS: Final = "-−–"
_CURRENCY: Final = re.compile(
    r"US\$|C\$|A\$|CA\$|[$€£¥]|\b(?:USD|EUR|GBP|CAD|AUD|CHF|MXN)\b|(?<=[0-9])(?:USD|EUR|GBP|CAD|AUD|CHF|MXN)\b"
    r"|\b(?:USD|EUR|GBP|CAD|AUD|CHF|MXN)(?=[0-9])",
)
_CREDIT: Final = re.compile(r"\s?\b(CR|DR)\.?$", re.IGNORECASE)
_NOTHING: Final = frozenset({"n/a", "na", "n.a", "none", "null", "nil", "not available", "tbd", "unknown", "$", "#n/a"})


def says_nothing(text: str) -> bool:
    """Whether a text stands for no value: empty, dashes, `N/A` and the like."""
    bare = tidy(text).strip(" -−–—.*_$").casefold()
    return not bare or bare in _NOTHING


def as_number(text: str, *, style: Style = "1,234.50") -> Decimal:
    """The number a text writes, exact; a percent sign is allowed and left out. Raises BadValue."""
    line = tidy(text)
    return _figure(line.removesuffix("%").rstrip(), text, style, "a number")


def as_integer(text: str, *, style: Style = "1,234.50") -> int:
    """The whole number a text writes; `12.00` is one, `12.5` is not. Raises BadValue."""
    value = _figure(tidy(text), text, style, "a whole number")
    if value != value.to_integral_value():
        raise BadValue(text, "a whole number")
    return int(value)


def as_money(text: str, *, style: Style = "1,234.50") -> Decimal:
    """The amount a text writes, whatever its currency sign; parentheses, a trailing minus and CR are negative."""
    line = tidy(text)
    if len(line) > LONGEST:
        raise BadValue(text, "an amount of money")
    credit = _CREDIT.search(line)
    if credit:
        line = line[: credit.start()]
    line, signs = _CURRENCY.subn(" ", line)
    if signs > 2:  # "US$ 5.00 USD" is an amount, "$1 $2 $3" is three
        raise BadValue(text, "an amount of money")
    value = _figure(" ".join(line.split()), text, style, "an amount of money")
    if credit and credit[1].upper() == "CR":
        if value < 0:
            raise BadValue(text, "an amount of money")
        return -value
    return value


def _figure(line: str, text: str, style: Style, wanted: str) -> Decimal:
    if len(line) > LONGEST:
        raise BadValue(text, wanted)
    digits, negative = _unsigned(line)
    pattern = _US if style == "1,234.50" else _EU
    if not pattern.fullmatch(digits) or not any("0" <= sign <= "9" for sign in digits):
        raise BadValue(text, wanted)
    for sign in ("'", "’", " ", "," if style == "1,234.50" else "."):
        digits = digits.replace(sign, "")
    value = Decimal(digits.replace(",", "."))
    return -value if negative and value else value


def _unsigned(line: str) -> tuple[str, bool]:
    """The digits, and whether a sign or parentheses make them negative. A second sign stays and is refused later."""
    if line.startswith("(") and line.endswith(")"):
        return line[1:-1].strip(), True
    if line[:1] in _SIGNS and line:
        return line[1:].lstrip(), True
    if line[-1:] in _SIGNS and line:
        return line[:-1].rstrip(), True
    if line[:1] == "+":
        return line[1:].lstrip(), False
    return line, False
