"""Did the proxy fail, or the site behind it?

A provider says so in a header: `Proxy-Status` (RFC 9209) or headers of its own, of which the old ones still come. They
are believed only when a proxy was used, or any site could blame one. Without such a header the answer is the
site's own, whatever its status.
"""

import re
from collections.abc import Mapping
from typing import Final

from scrapeyard.decisions.observation import Observation
from scrapeyard.decisions.signs import Rule
from scrapeyard.model.failures import Kind

_OWN: Final = (
    "x-brd-err-code", "x-brd-error-code", "x-brd-error", "x-brd-err-msg", "x-luminati-error-code", "x-luminati-error",
)  # fmt: skip
_ERROR = re.compile(r"\berror\s*=\s*\"?([a-z_]+)")
_SITES: Final = {
    "dns_error": Kind.DNS,
    "dns_timeout": Kind.DNS,
    "destination_not_found": Kind.DNS,
    "destination_unavailable": Kind.CONN_RESET,
    "connection_refused": Kind.CONN_RESET,
    "connection_terminated": Kind.CONN_RESET,
    "connection_timeout": Kind.TIMEOUT_CONNECT,
    "connection_read_timeout": Kind.TIMEOUT_READ,
    "http_response_timeout": Kind.TIMEOUT_READ,
    "http_response_incomplete": Kind.CONN_RESET,
    "tls_certificate_error": Kind.TLS_ERROR,
    "tls_protocol_error": Kind.TLS_ERROR,
    "tls_alert_received": Kind.TLS_ERROR,
    "http_request_denied": Kind.DENIED,
    "destination_ip_prohibited": Kind.DENIED,
}
"""What the standard's words say of the site; all its others are the proxy's own trouble."""
_FORBIDS: Final = ("policy_", "bad_endpoint")
_NOBODY: Final = ("no_peer", "no peers", "cooling")
_PARTS: Final = (
    ("client_", Kind.PROXY_AUTH), ("wrong_", Kind.PROXY_AUTH), ("zone_not_found", Kind.PROXY_AUTH),
    ("missing_credentials", Kind.PROXY_AUTH), ("feature_not_active", Kind.PROXY_AUTH), ("reject_block", Kind.BLOCKED),
)  # fmt: skip
"""Parts of a provider's own codes; the last one is of an unlocker that the site has blocked."""
_WHO: Final = 407
_SPENT: Final = frozenset({402, 429})
"""What a provider answers when our balance is spent, or the rate that we have paid for."""


def blamed(seen: Observation) -> Kind | None:
    """Whom the proxy blames; None if it says nothing, or that the site itself answered so."""
    if not seen.proxied:
        return None
    own = " ".join(seen.headers[name] for name in _OWN if name in seen.headers).lower()
    standard = seen.headers.get("proxy-status", "").lower()[:2048]
    said = f"{own} {standard}"
    error = _ERROR.search(standard)
    if not own and error is None:
        return None
    if any(part in said for part in _FORBIDS):
        return Kind.DENIED
    if seen.status in _SPENT or any(part in said for part in _NOBODY):
        return Kind.PROXY_EXHAUSTED
    found = next((kind for part, kind in _PARTS if part in said), None)
    if found is not None:
        return found
    if "target_" in said:
        return None
    return _SITES.get(error[1], Kind.PROXY_ERROR) if error else Kind.PROXY_ERROR


def refusal(status: int, headers: Mapping[str, str]) -> Kind:
    """Why a proxy would not open a tunnel to the site, from its answer. The site itself has not been asked."""
    said = blamed(Observation(status=status, headers=headers, proxied=True))
    if said is not None:
        return said
    if any("target_" in headers.get(name, "") for name in (*_OWN, "proxy-status")):
        return Kind.CONN_RESET
    if status == _WHO:
        return Kind.PROXY_AUTH
    return Kind.PROXY_EXHAUSTED if status in _SPENT else Kind.PROXY_ERROR


def _rule(kind: Kind) -> Rule:
    return (f"proxy_says_{kind.value}", kind, lambda seen: blamed(seen) is kind)


PROXY: Final[tuple[Rule, ...]] = (
    ("proxy_wants_credentials", Kind.PROXY_AUTH, lambda seen: seen.proxied and seen.status == _WHO),
    *(
        _rule(kind)
        for kind in sorted(
            {*_SITES.values(), Kind.PROXY_ERROR, Kind.PROXY_AUTH, Kind.PROXY_EXHAUSTED, *(kind for _, kind in _PARTS)}
        )
    ),
)
