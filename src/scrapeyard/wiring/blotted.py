"""What a process prints, with every secret blotted out that it knows of.

Authors print, libraries warn, tracebacks show what an error was made of; all of that ends in a log file.
"""

import io
import os
from contextlib import suppress
from typing import TextIO

from scrapeyard.backends.system.clock import SystemClock
from scrapeyard.model.errors import Refused
from scrapeyard.model.secret import Redaction
from scrapeyard.scraping.http.options import HttpOptions
from scrapeyard.scraping.proxies.options import ProxyOptions
from scrapeyard.scraping.proxies.pool import opened
from scrapeyard.scraping.secrets import Secrets


class Blotted(io.TextIOBase):
    """A text stream that lets no secret through."""

    def __init__(self, inner: TextIO, redaction: Redaction) -> None:
        self._inner = inner
        self._redaction = redaction

    def write(self, text: str, /) -> int:
        """See TextIO."""
        self._inner.write(self._redaction.text(text))
        return len(text)

    def flush(self) -> None:
        """See TextIO."""
        self._inner.flush()

    def fileno(self) -> int:
        """See TextIO."""
        return self._inner.fileno()

    def isatty(self) -> bool:
        """See TextIO."""
        return self._inner.isatty()

    def writable(self) -> bool:
        """See TextIO."""
        return True


def redaction_of(options: ProxyOptions, http: HttpOptions) -> Redaction:
    """All secrets that the environment holds or the settings of proxies refer to. A missing one is not this one's
    business: whoever needs it says so."""
    secrets = Secrets(options.secrets, os.environ)
    for name, one in options.sets.items():
        with suppress(Refused):
            opened(name, one, secrets, SystemClock(), http)
    return secrets.redaction
