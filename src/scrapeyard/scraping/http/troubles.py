"""What went wrong on the wire, in the same words whichever client noticed it."""

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind

SHOWN = 160
"""How much of an address a message shows."""

_SENTENCES: dict[Kind, str] = {
    Kind.TIMEOUT_CONNECT: "No connection to {url} within the connect time-out.",
    Kind.TIMEOUT_READ: "The answer of {url} did not come in time.",
    Kind.CONN_RESET: "The connection to {url} was refused, broke, or ended too early.",
    Kind.DNS: "The name in {url} does not resolve; check its spelling.",
    Kind.TLS_ERROR: "The certificate or TLS handshake of {url} is not acceptable.",
    Kind.PROXY_ERROR: "The proxy did not reach {url}.",
    Kind.PROXY_AUTH: "The proxy {url} refuses our user name or password; check its secret in the settings.",
    Kind.PROXY_EXHAUSTED: "The proxy has nobody left to reach {url} with, or its quota is used up; check its balance.",
    Kind.DENIED: "The proxy or its provider does not allow {url}.",
    Kind.TOO_LARGE: "The headers of {url} pass the size limit.",
    Kind.BAD_BODY: "The answer of {url} is not well-formed HTTP.",
    Kind.SCRAPER_BUG: "The request for {url} cannot be sent; check its address, method and headers.",
}


def trouble(kind: Kind, url: str) -> VisitError:
    """The error of that kind, about that address."""
    return VisitError(_SENTENCES[kind].format(url=shown(url)), kind=kind)


def shown(url: str) -> str:
    """An address for a message: without its query, which may hold what is private, and cut."""
    bare = url.partition("?")[0]
    return bare if len(bare) <= SHOWN else bare[: SHOWN - 1] + "…"
