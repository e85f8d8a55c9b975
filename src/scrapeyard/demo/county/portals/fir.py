"""Fir: an account page with links to tax bills, which are PDFs at addresses without an extension, with an ETag."""

from hashlib import blake2b

from aiohttp import web

from scrapeyard.demo.county.html.chrome import page
from scrapeyard.demo.county.html.record import RecordPage
from scrapeyard.demo.county.html.template import Template
from scrapeyard.demo.county.html.trouble import no_records
from scrapeyard.demo.county.parcels import Parcel
from scrapeyard.demo.county.pdf import bill_pdf
from scrapeyard.demo.county.portals.asked import shown
from scrapeyard.demo.county.site import Ask, Site, html

NAME = "Fir County Treasurer"
STEPS = ("record", "file")


def routes(site: Site) -> list[web.RouteDef]:
    """Account pages and bills."""
    record = RecordPage(NAME, "/fir", ("summary", "bills", "more"))
    missing = Template(page(NAME, "/fir", "Account", "{{message}}"))

    def nothing(number: str, status: int = 200) -> web.Response:
        return html(missing.fill({"message": no_records(shown(number))}), status)

    async def account(request: web.Request) -> web.StreamResponse:
        number = request.match_info["number"]
        return await site.answer(
            request,
            Ask(number, "record", STEPS),
            lambda parcel, redesigned: html(record.fill(parcel, redesigned, more=_links(parcel, redesigned))),
            lambda: nothing(number),
        )

    async def bill(request: web.Request) -> web.StreamResponse:
        year, _, number = request.match_info["bill"].partition("-")
        return await site.answer(
            request,
            Ask(number, "file", STEPS),
            lambda parcel, _: _bill(request, parcel, year) or nothing(number, 404),
            lambda: nothing(number, 404),
        )

    return [web.get("/fir/account/{number}", account), web.get("/fir/bill/{bill}", bill)]


def _links(parcel: Parcel, redesigned: bool) -> str:
    latest, link = ("newest-charge", "doc") if redesigned else ("latestBill", "bill")
    others = "\n".join(
        f'<li><a class="{link}" href="/fir/bill/{bill.number}" onclick="return county.openBill(this.href)">'
        f"{bill.year} bill</a></li>"
        for bill in parcel.bills
    )
    return (
        f'<p><a id="{latest}" href="/fir/bill/{parcel.bills[0].number}">View latest annual bill</a></p>'
        f'<ul class="bills">{others}</ul>'
    )


def _bill(request: web.Request, parcel: Parcel, year: str) -> web.Response | None:
    one = next((bill for bill in parcel.bills if str(bill.year) == year), None)
    if one is None:
        return None
    body = bill_pdf(parcel, one)
    headers = {"ETag": f'"{blake2b(body, digest_size=12).hexdigest()}"', "Cache-Control": "private, must-revalidate"}
    if headers["ETag"] in request.headers.get("If-None-Match", ""):
        return web.Response(status=304, headers=headers)
    return web.Response(
        body=body, headers={**headers, "Content-Type": "application/pdf", "Content-Disposition": "inline"}
    )
