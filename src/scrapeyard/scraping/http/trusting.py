"""Whose signature is believed: the usual authorities, or our own; and beside them those of a proxy that signs itself.

Some providers open the encryption of what they pass on, and sign it with an authority of their own. That one is
believed for their proxies only.
"""

import re
import ssl
from pathlib import Path

from scrapeyard.model.errors import Refused

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
_LARGEST = 4 << 20


def certificates(trust: str, own: Path | None) -> list[str]:
    """The certificates of a proxy's PEM file and of our own, each as PEM. `Refused` if there are none."""
    return [*_read(Path(trust)), *(_read(own) if own else ())]


def trusting(own: Path | None, trust: str = "") -> ssl.SSLContext:
    """The usual authorities, or our `own` in their place; and those of `trust`."""
    context = ssl.create_default_context(cafile=str(own) if own else None)
    if trust:
        context.load_verify_locations(cadata="\n".join(_read(Path(trust))))
    return context


def _read(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST).decode("latin-1")
    except OSError as error:
        raise Refused(f"The file of authorities {path} cannot be read; check its name and who may read it.") from error
    found = _CERTIFICATE.findall(text)
    if not found:
        raise Refused(f"The file {path} has no certificate in it; it should be PEM, as the provider hands it out.")
    return found
