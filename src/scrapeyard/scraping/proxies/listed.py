"""Proxies as the settings list them, by address and perhaps by place."""

from collections.abc import Iterable

from scrapeyard.model.errors import BadInput, Refused
from scrapeyard.model.secret import Secret
from scrapeyard.scraping.proxies.address import Endpoint, endpoint
from scrapeyard.scraping.proxies.options import Listed
from scrapeyard.scraping.proxies.provider import UNPLACED, Roll
from scrapeyard.scraping.secrets import SCHEME, Secrets

MOST = 100_000
"""Proxies of one list."""


class ListedSource:
    """Fills Source."""

    def __init__(self, options: Listed, secrets: Secrets) -> None:
        """`Refused` if a secret is not known or an address cannot be read."""
        self._secrets = secrets
        self._username = secrets.word(options.username)
        self._password = secrets.word(options.password or "")
        roll = {UNPLACED: options.urls, **options.places}
        self._roll = {place: tuple(self._read(lines)) for place, lines in roll.items() if lines}
        if not self._roll:
            raise Refused("A list of proxies is empty: give it `urls` or `places`.")

    async def roll(self) -> Roll:
        """See Source."""
        return self._roll

    async def close(self) -> None:
        """See Source."""

    def _read(self, lines: Iterable[str]) -> Iterable[Endpoint]:
        for line in lines:
            if line.startswith(SCHEME):
                yield from endpoints(self._secrets.resolve(line).reveal(), self._secrets)
            else:
                found = endpoint(line)
                yield Endpoint(found.scheme, found.host, found.port, self._username, self._password)


def endpoints(text: str, secrets: Secrets) -> list[Endpoint]:
    """One proxy a line; empty lines and those that begin with # do not count. Their passwords are secrets."""
    lines = [line.strip() for line in text.splitlines()]
    wanted = [line for line in lines if line and not line.startswith("#")]
    if len(wanted) > MOST:
        raise BadInput(f"A list of proxies has more than {MOST:,} lines.")
    found = [endpoint(line) for line in wanted]
    for one in found:
        if one.password:
            secrets.learn(Secret(one.password))
    return found
