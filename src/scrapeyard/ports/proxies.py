"""Ways to a site other than the direct one: proxies by tier, lent for a session and judged by what became of it."""

from typing import Protocol

import msgspec

from scrapeyard.model.failures import Kind


class Proxy(msgspec.Struct, frozen=True):
    """One proxy as it is used. `id` may be shown and kept; `url` has the credentials in it and is never shown.

    `trust` names a PEM file of the authorities by which the proxy signs what it passes on, if it does that.
    """

    id: str
    url: str
    trust: str = ""

    def __repr__(self) -> str:
        return f"Proxy({self.id!r})"


class Proxies(Protocol):
    """The proxies of all tiers, as the settings name them."""

    async def lend(self, tier: str, session: str) -> Proxy | None:
        """A proxy for this tier; None for the direct one.

        The same `session` gets the same proxy while that is in use; another session gets another where there are
        several. `VisitError` of kind `proxy_exhausted` when there is none for now, `no_proxy` when the settings have
        none for this tier and place: never a silent direct request.
        """
        ...

    def judged(self, proxy: str, kind: Kind | None) -> None:
        """What became of a visit through that proxy: None is a success."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
