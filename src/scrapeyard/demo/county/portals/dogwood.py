"""Dogwood: one hit goes straight to the record, several make a list, none a message; all from the same search.

One parcel in five also has personal property under the same number, so that even an exact number gives a list; whoever
takes the first row without reading its type may take the wrong one.
"""

from html import escape

from aiohttp import web

from scrapeyard.demo.county.dice import share
from scrapeyard.demo.county.html.chrome import page
from scrapeyard.demo.county.html.record import RecordPage
from scrapeyard.demo.county.html.template import Template, dollars
from scrapeyard.demo.county.html.trouble import no_records
from scrapeyard.demo.county.numbers import numbers_on_page
from scrapeyard.demo.county.parcels import Parcel
from scrapeyard.demo.county.portals.asked import shown
from scrapeyard.demo.county.site import Ask, Site, html, moved

NAME = "Dogwood County Revenue"
STEPS = ("search", "record")
FORM = """<form id="searchForm" method="get" action="/dogwood/search">
<label for="q">Parcel number, or book and page</label> <input type="search" name="q" id="q" />
<button type="submit">Go</button></form>
{{results}}"""


def has_personal_property(seed: int, number: str) -> bool:
    """Whether this parcel's number also finds an account of personal property."""
    return share(seed, "personal", number) < 0.2


class _Dogwood:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._search = Template(page(NAME, "/dogwood", "Search", FORM))
        self._record = RecordPage(NAME, "/dogwood", ("summary", "values"))

    def _searching(self, results: str = "") -> web.Response:
        return html(self._search.fill({"results": results}))

    async def blank(self, _: web.Request) -> web.Response:
        return self._searching()

    async def search(self, request: web.Request) -> web.StreamResponse:
        asked = request.query.get("q", "").strip()
        many = numbers_on_page(asked, self._site.options.parcels)
        if len(many) > 1:
            parcels = [parcel for number in many if (parcel := self._site.find(number))]
            return self._searching(_list([_row(parcel, personal=False) for parcel in parcels]))
        number = many[0] if many else asked
        return await self._site.answer(
            request,
            Ask(number, "search", STEPS),
            lambda parcel, _: self._hits(parcel),
            lambda: self._searching(no_records(shown(asked))),
        )

    def _hits(self, parcel: Parcel) -> web.Response:
        if has_personal_property(self._site.options.seed, parcel.number):
            return self._searching(_list([_row(parcel, personal=True), _row(parcel, personal=False)]))
        return moved(f"/dogwood/parcel/{parcel.number}")

    async def parcel(self, request: web.Request) -> web.StreamResponse:
        number = request.match_info["number"]
        return await self._site.answer(
            request,
            Ask(number, "record", STEPS),
            lambda parcel, redesigned: html(self._record.fill(parcel, redesigned)),
            lambda: self._searching(no_records(shown(number))),
        )

    async def personal(self, request: web.Request) -> web.Response:
        number = request.match_info["number"]
        parcel = self._site.find(number)
        if parcel is None or not has_personal_property(self._site.options.seed, parcel.number):
            return self._searching(no_records(shown(number)))
        return self._searching(
            f'<h3>Personal Property</h3><span id="lblParcel">{parcel.number}</span> '
            f'<span id="lblTotalValue">{dollars(parcel.values[0].land // 20)}</span>'
        )


def _list(rows: list[str]) -> str:
    return f"""<p id="hitCount">{len(rows)} records found</p>
<table class="data" id="searchResults">
<thead><tr><th>Parcel</th><th>Type</th><th>Owner</th><th>Location</th></tr></thead>
<tbody>{"".join(rows)}</tbody></table>"""


def _row(parcel: Parcel, *, personal: bool) -> str:
    kind, where = ("PERSONAL", "personal") if personal else ("REAL", "parcel")
    return (
        f'<tr class="hit"><td><a href="/dogwood/{where}/{parcel.number}">{parcel.number}</a></td>'
        f'<td class="type">{kind}</td><td>{escape(parcel.owner)}</td><td>{parcel.situs}</td></tr>\n'
    )


def routes(site: Site) -> list[web.RouteDef]:
    """Search, the records it leads to, and the accounts it should not lead to."""
    dogwood = _Dogwood(site)
    return [
        web.get("/dogwood/", dogwood.blank),
        web.get("/dogwood/search", dogwood.search),
        web.get("/dogwood/parcel/{number}", dogwood.parcel),
        web.get("/dogwood/personal/{number}", dogwood.personal),
    ]
