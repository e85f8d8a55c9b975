"""How sites are talked to, and what each of them allows."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from scrapeyard.scraping.egress import opening
from scrapeyard.settings.section import Count, Positive, Section


def _opening(text: str) -> str:
    """An opening that can be understood."""
    try:
        opening(text)
    except ValueError as error:
        raise PydanticCustomError("opening", "{reason}", {"reason": str(error)}) from error
    return text


HeaderText = Annotated[str, Field(pattern=r"^[\x20-\x7e]{0,300}$")]
Port = Annotated[int, Field(ge=1, le=65_535)]
Opening = Annotated[str, AfterValidator(_opening)]


class HttpSettings(Section):
    """How scrapers talk to sites."""

    client: Literal["wreq", "aiohttp"] = "wreq"
    """The HTTP client behind the seam."""
    contact: HeaderText = ""
    """Where a site's owner finds you, such as an e-mail address or a page: it stands in the User-Agent."""
    user_agent: HeaderText = ""
    """Sent with every request; empty means the product's own name and version, and the contact. By its first word, or
    the one after `compatible;`, a robots.txt names you."""
    connect_timeout: Positive = 10.0
    """Seconds to get a connection."""
    idle_timeout: Positive = 10.0
    """Seconds that an answer may stand still."""
    total_timeout: Positive = 60.0
    """Seconds for one request with its whole answer."""
    wire_mb: Count = 10
    """Largest body on the wire, in MiB."""
    decoded_mb: Count = 50
    """Largest body after decompression, in MiB."""
    download_mb: Count = 256
    """Largest file download, in MiB."""
    ports: tuple[Port, ...] = (80, 443)
    """Ports at which scrapers may visit sites on the Internet."""
    allow: tuple[Opening, ...] = ()
    """Places on this machine or in private networks that scrapers may visit: an address or network, with or without a
    port, such as `127.0.0.1:8100`, `[::1]:8100` or `10.1.0.0/16`. Nothing else of the kind is visited, and the
    metadata services of clouds never."""


class SessionSettings(Section):
    """What workers keep of the sessions that they have opened at sites."""

    share: Literal["none", "guests", "all"] = "guests"
    """Which sessions workers leave for each other in the ledger, cookies and all: `none`; those of `guests`, for whose
    opening no secret was used; or `all`, logins too. Whoever can read the ledger can use what is there."""


class SiteSettings(Section):
    """Limits of one site, as its operator or you want them.

    What is set here takes the place of the scraper's own default; a job can only be stricter than that.
    """

    rate: Positive | None = None
    """Requests per second, over all workers and jobs."""
    concurrency: Count | None = None
    """Items at once, over all workers and jobs."""
    robots: bool | None = None
    """Whether its robots.txt is kept to; left out, it is, unless the scraper's author says otherwise."""
    days: tuple[Annotated[int, Field(ge=0, le=6)], ...] = (0, 1, 2, 3, 4, 5, 6)
    """Days on which the site may be visited: 0 is Monday."""
    start: Annotated[str, Field(pattern=r"^\d\d:\d\d$")] = "00:00"
    """When the window opens, in the site's time zone."""
    end: Annotated[str, Field(pattern=r"^\d\d:\d\d$")] = "24:00"
    """When the window closes; before `start` means on the next day."""
    timezone: str = "UTC"
    """The site's time zone, such as `America/New_York`."""
