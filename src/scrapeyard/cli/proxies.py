"""`proxies`: which sets of proxies there are, which tiers go through them at what price, and whether they work now."""

import os
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Code
from scrapeyard.cli.here import Here
from scrapeyard.cli.wording import counted, money
from scrapeyard.model.errors import NotFound, ScrapeyardError, VisitError
from scrapeyard.model.place import ANYWHERE, Place, place_of

if TYPE_CHECKING:
    from scrapeyard.scraping.proxies.checking import Checked
    from scrapeyard.settings import Settings

PANEL = "Set up"
WHERE_AM_I = "https://api.ipify.org/"

NamesArgument = Annotated[list[str] | None, Argument(metavar="[NAME]...", help="Only these sets.")]
CheckOption = Annotated[bool, Option("--check", help="Ask for a page through them; costs a little traffic.")]
UrlOption = Annotated[str, Option("--url", metavar="URL", help="The page; one that tells an address shows the exit.")]
PlaceOption = Annotated[str | None, Option("--place", metavar="PLACE", help="Only exits there: us, us-ca, de-berlin.")]
MostOption = Annotated[int, Option("--most", min=1, help="How many of a list are tried.")]


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    examples = [
        "scrapeyard proxies",
        "scrapeyard proxies --check",
        "scrapeyard proxies home --check --place us-ca --url https://geo.brdtest.com/mygeo.json",
    ]
    command(app, PANEL, examples=examples)(proxies)


async def proxies(
    here: Here,
    names: NamesArgument = None,
    check: CheckOption = False,
    url: UrlOption = WHERE_AM_I,
    place: PlaceOption = None,
    most: MostOption = 50,
) -> Code:
    """List the sets of proxies of the settings; with --check, see whether they work from here.

    A check asks through each proxy of a list, and through three exits of a provider that has a single door. The exit
    code is 1 if a set has none that works.
    """
    settings = here.settings()
    chosen = names or sorted(settings.proxies)
    unknown = [name for name in chosen if name not in settings.proxies]
    if unknown:
        known = ", ".join(sorted(settings.proxies)) or "none"
        raise NotFound(f"There is no section [proxies.{unknown[0]}] in the settings; there are: {known}.")
    if not chosen:
        here.say("The settings name no proxies; docs/guides/proxies.md shows how to set up each provider.")
    if not check:
        _list(here, settings, chosen)
        return Code.FINE
    here.log(settings, quiet=True)
    at = place_of(place) if place else ANYWHERE
    working = [await _tell(here, name, _checked(settings, name, at, url, most)) for name in chosen]
    return Code.FINE if all(working) else Code.REFUSED


def _list(here: Here, settings: "Settings", names: Sequence[str]) -> None:
    rows: list[tuple[str, str, str, str]] = []
    for name in names:
        found = {tier: one for tier, one in settings.tiers.items() if one.proxies == name}
        prices = [f"{money(one.usd_per_gb)}/GB" for one in found.values() if one.usd_per_gb]
        prices += [f"{money(one.usd_per_request)}/request" for one in found.values() if one.usd_per_request]
        if here.json:
            here.give({"name": name, "kind": settings.proxies[name].kind, "tiers": sorted(found)})
        rows.append((name, settings.proxies[name].kind, ", ".join(found) or "no tier", ", ".join(prices) or "no price"))
    if not here.json:
        here.table(["set", "kind", "tiers", "price"], rows)


async def _tell(here: Here, name: str, checking: "AsyncIterator[Checked]") -> bool:
    """Print each answer as it comes; gives whether any was good."""
    good = seen = 0
    try:
        async for one in checking:
            seen, good = seen + 1, good + one.works
            if here.json:
                here.give({"set": name, "proxy": one.proxy, "kind": one.kind, "ms": one.ms, "said": one.said})
            else:
                here.row([one.proxy, one.kind or "works", f"{one.ms:,} ms", one.said])
    except ScrapeyardError as error:
        kind = error.failure.value if isinstance(error, VisitError) else "refused"
        if here.json:
            here.give({"set": name, "proxy": None, "kind": kind, "ms": None, "said": str(error)})
        else:
            here.row([name, kind, "", str(error)])
        return False
    here.say(f"{name}: {good} of {counted(seen, 'proxy', 'proxies')} that were tried work.")
    return good > 0


async def _checked(settings: "Settings", name: str, place: Place, url: str, most: int) -> "AsyncIterator[Checked]":
    from scrapeyard.backends.system.clock import SystemClock  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED
    from scrapeyard.scraping.proxies.checking import check  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED
    from scrapeyard.scraping.secrets import Secrets  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED
    from scrapeyard.wiring.yard import http_options, proxy_pool  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED

    secrets = Secrets(settings.secrets_dir, os.environ)
    alone = settings.model_copy(update={"proxies": {name: settings.proxies[name]}})
    pool, client = proxy_pool(alone, secrets, SystemClock()), http_options(settings).connected()
    try:
        async for one in check(await pool.sample(name, place, most), client, url, secrets.redaction):
            pool.judged(one.proxy, one.kind)
            yield one
    finally:
        await client.close()
        await pool.close()
