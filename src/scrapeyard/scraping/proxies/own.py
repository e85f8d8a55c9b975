"""A proxy that an author names for one request: a place that is contacted, so it passes the egress guard like a site.

Proxies of the settings are chosen by whoever runs this deployment and may stand anywhere. One that author code names
may come from a page or from an item's input, and would lead to whatever listens inside. So its address is judged and
pinned: what is connected to is the number that was judged, never a name that is looked up once more.
"""

import msgspec

from scrapeyard.model.errors import BadInput, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.ports.proxies import Proxy
from scrapeyard.scraping.egress import Egress, permitted
from scrapeyard.scraping.http.names import Lookup, Names
from scrapeyard.scraping.proxies.address import endpoint
from scrapeyard.scraping.reach import is_number


class OwnProxies:
    """Judges the proxies that authors name."""

    def __init__(self, egress: Egress, timeout: float, lookup: Lookup | None = None) -> None:
        self._egress = egress
        self._names = Names(egress, timeout, lookup)

    async def taken(self, address: str) -> Proxy:
        """The proxy at that address. `VisitError` of kind DENIED if it may not be reached; its words are not shown."""
        try:
            named = endpoint(address)
        except BadInput as error:
            raise VisitError(str(error), kind=Kind.SCRAPER_BUG) from error
        here = permitted(f"http://{named.place}/", self._egress)
        if is_number(here.host):
            return Proxy("own", msgspec.structs.replace(named, host=here.host).url)
        if named.scheme == "https":  # its certificate is its name's, and a name would be looked up once more
            raise VisitError(
                f"A proxy that a scraper names is reached by the number that was judged, so {here.host} cannot speak "
                "https; name it under [proxies] in the settings.",
                kind=Kind.DENIED,
            )
        numbers = await self._names.addresses(here.host, here.port)
        return Proxy("own", msgspec.structs.replace(named, host=str(numbers[0])).url)
