"""IPRoyal's residential proxies: one door, and everything that is wanted of an exit is added to the password."""

from typing import Final

from scrapeyard.model.place import ANYWHERE, Place
from scrapeyard.scraping.proxies.address import Endpoint
from scrapeyard.scraping.proxies.options import IpRoyalGateway
from scrapeyard.scraping.proxies.provider import NoProxy
from scrapeyard.scraping.secrets import Secrets

_NAMES = """
al=alabama ak=alaska az=arizona ar=arkansas ca=california co=colorado ct=connecticut de=delaware dc=districtofcolumbia
fl=florida ga=georgia hi=hawaii id=idaho il=illinois in=indiana ia=iowa ks=kansas ky=kentucky la=louisiana me=maine
md=maryland ma=massachusetts mi=michigan mn=minnesota ms=mississippi mo=missouri mt=montana ne=nebraska nv=nevada
nh=newhampshire nj=newjersey nm=newmexico ny=newyork nc=northcarolina nd=northdakota oh=ohio ok=oklahoma or=oregon
pa=pennsylvania ri=rhodeisland sc=southcarolina sd=southdakota tn=tennessee tx=texas ut=utah vt=vermont va=virginia
wa=washington wv=westvirginia wi=wisconsin wy=wyoming
"""
_STATES: Final = {code: name for code, _, name in (pair.partition("=") for pair in _NAMES.split())}
"""The provider wants a state's whole name."""


class IpRoyal:
    """Fills Gateway."""

    def __init__(self, options: IpRoyalGateway, secrets: Secrets) -> None:
        """`Refused` if a secret is not known."""
        self._options = options
        self._username = secrets.word(options.username)
        self._password = secrets.word(options.password)

    def exit(self, place: Place, word: str) -> str:
        """See Gateway."""
        options = self._options
        wanted = "".join((self._password, *_where(place), f"_session-{word}", f"_lifetime-{options.lifetime}"))
        return Endpoint(options.scheme, options.host, options.port, self._username, wanted).url


def _where(place: Place) -> list[str]:
    if place == ANYWHERE:
        return []
    words = [f"_country-{place.country}"]
    if place.zip:
        raise NoProxy(f"IPRoyal chooses no exits by post code, as {place} would need.")
    if place.state:
        state = _STATES.get(place.state) if place.country == "us" else None
        if state is None:
            raise NoProxy(f"IPRoyal chooses exits by state in the US only, and knows no {place}.")
        words.append(f"_state-{state}")
    if place.city:
        words.append(f"_city-{place.city.replace('_', '')}")
    return words
