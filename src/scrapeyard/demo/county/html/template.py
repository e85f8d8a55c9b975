"""A page whose constant parts are encoded once: what is left per visit is a few values and one join.

The site shares a machine with what it is there to test, so a page must cost it next to nothing.
"""

import re
from collections.abc import Mapping
from datetime import date
from html import escape

_HOLE = re.compile(r"\{\{(\w+)\}\}")


class Template:
    """Text with holes like `{{name}}`. Values are put in as they are: escape them first."""

    def __init__(self, text: str, charset: str = "utf-8") -> None:
        parts = _HOLE.split(text)
        self._charset = charset
        self._constant = [part.encode(charset) for part in parts[::2]]
        self._names = parts[1::2]

    def fill(self, values: Mapping[str, str]) -> bytes:
        """The page with its holes filled."""
        charset = self._charset
        out = [self._constant[0]]
        for name, constant in zip(self._names, self._constant[1:], strict=True):
            out.append(values[name].encode(charset, "xmlcharrefreplace"))
            out.append(constant)
        return b"".join(out)


def dollars(amount: int) -> str:
    """Whole dollars as a county writes them."""
    return f"${amount:,}"


def day(one: date) -> str:
    """A date as a county writes it; twice as fast as a format, and a page has a dozen of them."""
    return f"{one.month:02d}/{one.day:02d}/{one.year}"


def cents(amount: int) -> str:
    """Cents as dollars; what is negative stands in brackets."""
    text = f"${abs(amount) / 100:,.2f}"
    return f"({text})" if amount < 0 else text


def hidden(fields: Mapping[str, str]) -> str:
    """Hidden inputs, as WebForms puts them first into its form."""
    return "\n".join(
        f'<input type="hidden" name="{name}" id="{name}" value="{escape(value)}" />' for name, value in fields.items()
    )
