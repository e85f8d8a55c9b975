"""What a scraping process logs, line by line, each with the item during whose try it was said.

Sixteen items run at once in one process, so a line of an author or a library is worth little without that. The lines
have the form that was set for all logs; secrets are blotted out behind this, where they are written.
"""

import logging
from contextvars import ContextVar
from datetime import UTC, datetime

import orjson

from scrapeyard.model.item import Offer

_UNDER_WAY: ContextVar[Offer | None] = ContextVar("under_way", default=None)
"""The offer that the present task works on."""


def working_on(offer: Offer) -> None:
    """From here on, this task and those that it starts work on this item."""
    _UNDER_WAY.set(offer)


class Line(logging.Formatter):
    """A line for people, or a JSON object for machines."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self._json = form == "json"

    def format(self, record: logging.LogRecord) -> str:
        """See Formatter."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        offer = _UNDER_WAY.get()
        ids = {} if offer is None else {"job": offer.job, "item": offer.key, "seq": offer.seq, "attempt": offer.attempt}
        trace = self.formatException(record.exc_info) if record.exc_info else ""
        if self._json:
            said = {"timestamp": at, "level": record.levelname.lower(), "event": record.getMessage()}
            said |= {"logger": record.name, **ids, **({"exception": trace} if trace else {})}
            return orjson.dumps(said).decode()
        told = "".join(f" {name}={value!r}" for name, value in ids.items())
        return f"{at} {record.levelname} {record.getMessage()}{told}{chr(10) if trace else ''}{trace}"
