"""The county's two providers of proxies, as settings that a person could have written for them."""

import os
from collections.abc import Mapping
from typing import Any

from scrapeyard.demo.county.proxies.pool import CUSTOMER, USER, ZONE
from scrapeyard.demo.outside import Outside
from scrapeyard.settings import BrightDataProxies, ListedProxies, TierSettings

TIERS = ("direct", "datacenter", "residential")
USD_PER_GB = {"direct": 0.0, "datacenter": 0.6, "residential": 8.0}
"""About what such proxies cost."""
_NAME = "county-proxies"


async def proxied(world: Outside) -> Mapping[str, Any]:
    """Settings for both providers; the password goes by reference, as it has to."""
    os.environ[f"SCRAPEYARD_SECRET_{_NAME.upper().replace('-', '_')}"] = world.password
    password = f"secret://{_NAME}"
    sets: dict[str, ListedProxies | BrightDataProxies] = {}
    listed = tuple(f"http://{proxy['address']}" for proxy in await world.proxies("datacenter"))
    if listed:
        sets["datacenter"] = ListedProxies(kind="list", urls=listed, username=USER, password=password)
    for door in (proxy["address"] for proxy in await world.proxies("residential")):
        host, _, port = door.rpartition(":")
        sets["residential"] = BrightDataProxies(
            kind="brightdata", customer=CUSTOMER, zone=ZONE, password=password, host=host, port=int(port)
        )
    tiers = {
        tier: TierSettings(proxies=tier if tier in sets else "", usd_per_gb=price)
        for tier, price in USD_PER_GB.items()
        if tier in sets or tier == "direct"
    }
    return {"proxies": sets, "tiers": tiers}
