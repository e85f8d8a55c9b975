"""The wreq client keeps what `Http` relies on."""

from pathlib import Path

import pytest

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.scraping.egress import Egress
from scrapeyard.scraping.http.client import STANDARD_LIMITS, Client, Limits, Timeouts
from scrapeyard.scraping.http.names import Lookup
from scrapeyard.scraping.http.wreq_client import WreqClient
from scraping.client_suite import HERE, PATIENT, ClientSuite, asking
from scraping.servers import always, serving


class TestWreqClient(ClientSuite):
    def make(
        self,
        *,
        timeouts: Timeouts = PATIENT,
        limits: Limits | None = None,
        egress: Egress = HERE,
        trust: Path | None = None,
        lookup: Lookup | None = None,
    ) -> Client:
        return WreqClient(timeouts, limits or STANDARD_LIMITS, egress=egress, trust=trust, lookup=lookup)

    async def test_a_proxy_that_babbles_in_place_of_a_tunnel_is_a_proxy_error(self) -> None:
        for raw in (b"x" * 40_000 + b"\r\n\r\n", b"SSH-2.0-nobody\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n"):
            async with serving(always(raw, then_close=True)) as way, self.client() as client:
                with pytest.raises(VisitError) as raised:
                    await client.send(asking("https://only.proxy.knows/", way.url("")))
                assert raised.value.failure is Kind.PROXY_ERROR
