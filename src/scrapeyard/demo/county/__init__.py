"""The make-believe county's site: thousands of parcels behind eight portals, as well or as badly behaved as one likes.

`async with serve(CountyOptions(parcels=2_000, faults=profile("mild"))) as county` in a test,
`python -m scrapeyard.demo.county` as a process. The README beside this file has the routes and selectors.
"""

from scrapeyard.demo.county.dial import barred, lasting
from scrapeyard.demo.county.faults import Fault, Faults, FaultsRefused, profile
from scrapeyard.demo.county.numbers import listed, number_at, write_list
from scrapeyard.demo.county.parcels import Parcel, parcel
from scrapeyard.demo.county.proxies.mood import Mood, ProviderError
from scrapeyard.demo.county.roll import steady_numbers
from scrapeyard.demo.county.server import County, serve, start
from scrapeyard.demo.county.site import CountyOptions
from scrapeyard.demo.county.visitors import Origin

__all__ = [
    "County",
    "CountyOptions",
    "Fault",
    "Faults",
    "FaultsRefused",
    "Mood",
    "Origin",
    "Parcel",
    "ProviderError",
    "barred",
    "lasting",
    "listed",
    "number_at",
    "parcel",
    "profile",
    "serve",
    "start",
    "steady_numbers",
    "write_list",
]
