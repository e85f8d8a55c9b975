"""Text as a person reads it, from text as a page writes it.

Pages are full of line breaks for layout, non-breaking spaces and characters without width. Two texts that look
the same must compare the same, or a parcel number never equals itself.
"""

from typing import Final

INVISIBLE: Final[dict[int, None]] = dict.fromkeys((0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x200E, 0x200F))
"""Soft hyphen, zero-width signs and direction marks: there, but not to be seen."""

_EDGES: Final = " :*?.#-\u2010\u2013\u2014"


def tidy(text: str) -> str:
    """One line: runs of any white space become one space, invisible characters go."""
    if not text.isascii():
        text = text.translate(INVISIBLE)
    return " ".join(text.split())


def lines(text: str) -> list[str]:
    """The tidied lines that are not empty."""
    return [line for line in map(tidy, text.splitlines()) if line]


def folded(text: str) -> str:
    """For comparing without regard to case and spacing."""
    return tidy(text).casefold()


def as_label(text: str) -> str:
    """A label without its colon and asterisk: `Owner Name :*` is `owner name`."""
    return folded(text).strip(_EDGES)
