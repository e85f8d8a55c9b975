"""The county's back door: turn its dial and the proxies' mood while a job runs, and ask what was served.

It believes nobody: a body has a size limit, an unknown field or a rate above 1 gets status 400 and a sentence.
"""

from typing import Any

import msgspec
import orjson
from aiohttp import web

from scrapeyard.demo.county.faults import FaultsRefused
from scrapeyard.demo.county.proxies.mood import Mood
from scrapeyard.demo.county.proxies.pool import Pool, Pools
from scrapeyard.demo.county.site import Site
from scrapeyard.demo.county.visitors import Origin

PLACE = "/_county/"
MOST_BYTES = 16 * 1024
MOST_SECONDS = 3_600.0


class _Unusable(Exception):
    """A body that cannot be used, and the status that says so."""

    def __init__(self, why: str, status: int = 400) -> None:
        super().__init__(why)
        self.status = status


def routes(site: Site, pools: Pools) -> list[web.RouteDef]:
    """Dial, proxies, counts, and a fresh start."""

    async def setting(_: web.Request) -> web.Response:
        return _json(site.dial.faults.model_dump(mode="json"))

    async def turn(request: web.Request) -> web.Response:
        try:
            change = await _asked(request)
            seconds = _seconds(change)
            site.dial.turn(site.dial.faults.changed(change), seconds)
        except (_Unusable, FaultsRefused) as refused:
            return _refusal(refused)
        return await setting(request)

    async def proxies(_: web.Request) -> web.Response:
        return _json({origin.value: pool.told() for origin, pool in pools.items()})

    async def upset(request: web.Request) -> web.Response:
        try:
            change = await _asked(request)
            seconds = _seconds(change)
            turned = _by_pool(pools, change)
        except (_Unusable, FaultsRefused) as refused:
            return _refusal(refused)
        for pool, mood in turned:
            pool.turn(mood, seconds)
        return await proxies(request)

    async def stats(_: web.Request) -> web.Response:
        visitors = dict(site.visitors.requests)
        return _json({"requests": dict(site.requests), "faults": dict(site.dial.served), "visitors": visitors})

    async def reset(_: web.Request) -> web.Response:
        site.dial.reset()
        site.requests.clear()
        site.visitors.requests.clear()
        return _json({"reset": True})

    return [
        web.get(f"{PLACE}faults", setting),
        web.post(f"{PLACE}faults", turn),
        web.get(f"{PLACE}proxies", proxies),
        web.post(f"{PLACE}proxies", upset),
        web.get(f"{PLACE}stats", stats),
        web.post(f"{PLACE}reset", reset),
    ]


async def _asked(request: web.Request) -> dict[str, Any]:
    body = await request.content.read(MOST_BYTES + 1)
    while len(body) <= MOST_BYTES and (more := await request.content.read(MOST_BYTES)):
        body += more
    if len(body) > MOST_BYTES:
        raise _Unusable(f"The body is too long, send at most {MOST_BYTES} bytes.", 413)
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise _Unusable('The body must be a JSON object, for example {"rates": {"blocked": 0.02}}.') from error


def _seconds(change: dict[str, Any]) -> float | None:
    """For how long it is meant, taken out of the change; None for good."""
    seconds = change.pop("seconds", None)
    if seconds is None:
        return None
    if not isinstance(seconds, int | float) or not 0 < seconds <= MOST_SECONDS:
        raise _Unusable(f"seconds: take a number above 0, at most {MOST_SECONDS:g}.")
    return float(seconds)


def _by_pool(pools: Pools, change: dict[str, Any]) -> list[tuple[Pool, Mood]]:
    """The pools that are named, each with its new mood."""
    turned: list[tuple[Pool, Mood]] = []
    for name, mood in change.items():
        if name not in pools:
            raise _Unusable(f"proxies: there are none of {name[:40]!r}; there are {', '.join(pools) or 'none at all'}.")
        pool = pools[Origin(name)]
        try:
            turned.append((pool, pool.mood.changed(msgspec.convert(mood, dict[str, Any]))))
        except msgspec.ValidationError as error:
            raise _Unusable(f'{name}: say what to change, for example {{"{name}": {{"dead": 0.8}}}}.') from error
    return turned


def _refusal(refused: Exception) -> web.Response:
    return _json({"error": str(refused)}, refused.status if isinstance(refused, _Unusable) else 400)


def _json(content: dict[str, Any], status: int = 200) -> web.Response:
    return web.Response(body=orjson.dumps(content), status=status, content_type="application/json")
