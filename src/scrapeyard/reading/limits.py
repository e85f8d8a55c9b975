"""How much one item may say. A page is a stranger's, and an extractor in a loop would fill a disk."""

from typing import Final

MOST_RECORDS: Final = 10_000
"""Records per item."""

LARGEST_ROW: Final = 1024 * 1024
"""Bytes of one record as JSON."""
