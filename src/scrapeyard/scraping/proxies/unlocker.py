"""Bright Data's Web Unlocker: a page is asked for by a request of its own to the provider, who gets it somehow.

It is lent as a proxy like any other, with an address that only `scraping.http.unlocking` understands; so a tier can
be an unlocker. Each request stands alone, and the provider chooses exits by country only.
"""

from urllib.parse import quote

from scrapeyard.model.place import ANYWHERE, Place
from scrapeyard.scraping.http.unlocking import SCHEME
from scrapeyard.scraping.proxies.options import BrightDataUnlocker
from scrapeyard.scraping.proxies.provider import NoProxy
from scrapeyard.scraping.secrets import Secrets


class Unlocker:
    """Fills Gateway."""

    def __init__(self, options: BrightDataUnlocker, secrets: Secrets) -> None:
        """`Refused` if the key is not known."""
        scheme, _, rest = options.endpoint.partition("://")
        key = quote(secrets.word(options.key), safe="")
        self._address = f"{SCHEME}{scheme}://{quote(options.zone, safe='')}:{key}@{rest}"

    def exit(self, place: Place, word: str) -> str:
        """See Gateway. The word is of no use: each request may come out elsewhere."""
        del word
        if place not in (ANYWHERE, Place(place.country)):
            raise NoProxy(f"The unlocker chooses its exits by country only, not by {place}.")
        return f"{self._address}#{place.country}"
