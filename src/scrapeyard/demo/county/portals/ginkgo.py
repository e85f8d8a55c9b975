"""Ginkgo: an empty page and a JSON endpoint behind it, which wants the page's token and a script's header."""

from itertools import count
from typing import Any

import orjson
from aiohttp import web

from scrapeyard.demo.county.dice import fingerprint
from scrapeyard.demo.county.html.chrome import page
from scrapeyard.demo.county.html.template import Template
from scrapeyard.demo.county.parcels import Parcel
from scrapeyard.demo.county.site import Ask, Site, html

NAME = "Ginkgo County Land Records"
APP = """<meta name="csrf-token" content="{{token}}">
<div id="app" data-api="/ginkgo/api/parcels"><noscript>This page needs JavaScript.</noscript></div>
<script type="text/javascript">window.__CONFIG__ = {"apiBase": "/ginkgo/api", "token": "{{token}}", "pageSize": 25};
</script>"""


def routes(site: Site) -> list[web.RouteDef]:
    """The page and the endpoint behind it."""
    app = Template(page(NAME, "/ginkgo", "Land Records", APP))
    seed = site.options.seed
    given = count(1)

    async def front(_: web.Request) -> web.Response:
        return html(app.fill({"token": _token(seed, next(given))}))

    async def api(request: web.Request) -> web.StreamResponse:
        if request.headers.get("X-Requested-With") != "XMLHttpRequest":
            return _json({"error": "This endpoint is for the Land Records page."}, 403)
        if not _is_ours(seed, request.headers.get("X-CSRF-Token", "")):
            return _json({"error": "The token is missing or invalid. Reload the page."}, 403)
        return await site.answer(
            request,
            Ask(request.query.get("number", "")),
            lambda parcel, redesigned: _json({"count": 1, "results": [_told(parcel, redesigned)]}),
            lambda: _json({"count": 0, "results": []}),
        )

    return [web.get("/ginkgo/", front), web.get("/ginkgo/api/parcels", api)]


def _token(seed: int, number: int) -> str:
    return f"{number:x}.{fingerprint(seed, 'ginkgo', number):016x}"


def _is_ours(seed: int, token: str) -> bool:
    number, _, _ = token[:40].partition(".")
    try:
        return token == _token(seed, int(number, 16))
    except ValueError:
        return False


def _json(content: dict[str, Any], status: int = 200) -> web.Response:
    return web.Response(body=orjson.dumps(content), status=status, content_type="application/json")


def _told(parcel: Parcel, redesigned: bool) -> dict[str, Any]:
    value = parcel.values[0]
    values = {"year": value.year, "land": value.land, "improvements": value.improvements, "total": value.total}
    bills = [
        {"year": bill.year, "billNumber": bill.number, "dueDate": bill.due, "amount": f"{bill.amount / 100:.2f}",
         "balance": f"{bill.balance / 100:.2f}", "paidOn": bill.paid_on, "status": bill.status}
        for bill in parcel.bills
    ]  # fmt: skip
    owners = [{"name": owner.name, "percent": owner.percent, "since": owner.since} for owner in parcel.owners]
    if redesigned:
        return {"id": parcel.number, "attributes": {"titleHolders": owners, "location": parcel.situs, "roll": values}}
    return {
        "parcelNumber": parcel.number,
        "situsAddress": parcel.situs,
        "mailingAddress": list(parcel.mailing),
        "legalDescription": parcel.legal,
        "landUse": {"code": parcel.use_code, "text": parcel.use},
        "acres": float(parcel.acres),
        "values": values,
        "owners": owners,
        "bills": bills,
    }
