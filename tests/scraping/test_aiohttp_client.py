"""The aiohttp client keeps what `Http` relies on."""

from pathlib import Path

from scrapeyard.scraping.egress import Egress
from scrapeyard.scraping.http.aiohttp_client import AiohttpClient
from scrapeyard.scraping.http.client import STANDARD_LIMITS, Client, Limits, Timeouts
from scrapeyard.scraping.http.names import Lookup
from scraping.client_suite import HERE, PATIENT, ClientSuite


class TestAiohttpClient(ClientSuite):
    speaks_http2 = False
    speaks_socks = False

    def make(
        self,
        *,
        timeouts: Timeouts = PATIENT,
        limits: Limits | None = None,
        egress: Egress = HERE,
        trust: Path | None = None,
        lookup: Lookup | None = None,
    ) -> Client:
        return AiohttpClient(timeouts, limits or STANDARD_LIMITS, egress=egress, trust=trust, lookup=lookup)
