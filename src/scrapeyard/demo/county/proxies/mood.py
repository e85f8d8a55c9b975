"""How badly a provider's proxies behave, as a value: how many are dead, how many connections break, which errors come.

Read from a JSON body and from tests, so it is checked in one place and refused in one sentence.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scrapeyard.demo.county.faults import FaultsRefused, Rate, Seconds, refused_in_words


class ProviderError(StrEnum):
    """What a provider answers in place of the site."""

    NO_PEERS = "no_peers"
    PEER_LOST = "peer_lost"
    QUOTA = "quota"
    POLICY = "policy"
    ZONE = "zone"


class Told(NamedTuple):
    """How a provider words an error: status, code and message of its own, and the standard's word for it."""

    status: int
    reason: str
    code: str
    message: str
    standard: str


TOLD: Mapping[ProviderError, Told] = {
    ProviderError.NO_PEERS: Told(
        502, "Bad Gateway", "no_peers", "No peers available for this targeting", "proxy_internal_response"
    ),
    ProviderError.PEER_LOST: Told(
        502, "Bad Gateway", "peer_30010", "The peer went away before it answered", "proxy_internal_error"
    ),
    ProviderError.QUOTA: Told(
        402, "Payment Required", "quota_10", "The balance of this zone is used up", "proxy_internal_response"
    ),
    ProviderError.POLICY: Told(
        403, "Forbidden", "policy_20050", "This target needs a verified account", "http_request_denied"
    ),
    ProviderError.ZONE: Told(
        407, "Proxy Authentication Required", "client_10010", "The zone is switched off", "proxy_configuration_error"
    ),
}


class Mood(BaseModel):
    """A provider's mood. `dead` is the share of its proxies that refuse every connection; `flaky` the share of requests
    that break off or end in a bare 502; `errors` the shares that end in an error of the provider's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dead: Rate = 0.0
    flaky: Rate = 0.0
    errors: Mapping[ProviderError, Rate] = {}
    latency: Annotated[Seconds, Field(le=60)] = 0.0

    def changed(self, change: Mapping[str, Any]) -> "Mood":
        """This mood with the named fields replaced."""
        try:
            return Mood.model_validate({**self.model_dump(), **change})
        except ValidationError as error:
            raise FaultsRefused(refused_in_words(error, "proxies")) from error
