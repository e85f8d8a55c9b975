"""Alder: a WebForms search. Every answer carries sealed state which the next post must bring along, else error 500."""

from html import escape

from aiohttp import web

from scrapeyard.demo.county.html import trouble
from scrapeyard.demo.county.html.chrome import page
from scrapeyard.demo.county.html.record import RecordPage
from scrapeyard.demo.county.html.template import Template, hidden
from scrapeyard.demo.county.parcels import Parcel
from scrapeyard.demo.county.portals.asked import posted, shown
from scrapeyard.demo.county.site import Ask, Site, html
from scrapeyard.demo.county.viewstate import Seal, StateRefused

NAME = "Alder County Assessor"
STEPS = ("search", "record")
FIELD, BUTTON = "ctl00$MainContent$txtParcel", "ctl00$MainContent$btnSearch"
FORM = f"""<form name="aspnetForm" method="post" action="./Search.aspx" id="aspnetForm">
<div class="aspNetHidden">{{{{state}}}}</div>
<fieldset><legend>Search by parcel number</legend>
<label for="ctl00_MainContent_txtParcel">Parcel</label>
<input name="{FIELD}" type="text" maxlength="20" id="ctl00_MainContent_txtParcel" value="{{{{typed}}}}" />
<input type="submit" name="{BUTTON}" value="Search" id="ctl00_MainContent_btnSearch" />
<input type="submit" name="ctl00$MainContent$btnClear" value="Clear" id="ctl00_MainContent_btnClear" />
</fieldset></form>
{{{{results}}}}"""


def routes(site: Site) -> list[web.RouteDef]:
    """Search page, its postback, and the detail page."""
    seal = Seal(site.options.seed, "alder")
    search = Template(page(NAME, "/alder", "Real Property Search", FORM))
    record = RecordPage(NAME, "/alder", ("summary", "values", "history"), "ctl00_MainContent_")

    def searching(results: str = "", typed: str = "") -> web.Response:
        state = hidden(seal.fields("Search", typed=typed))
        return html(search.fill({"state": state, "typed": escape(typed), "results": results}))

    async def blank(_: web.Request) -> web.Response:
        return searching()

    async def submitted(request: web.Request) -> web.StreamResponse:
        form = await posted(request)
        try:
            seal.opened("Search", form)
        except StateRefused as refused:
            return html(trouble.STATE_ERROR.format(why=refused), 500)
        if BUTTON not in form:
            return searching()
        number = form.get(FIELD, "")[:40]
        return await site.answer(
            request,
            Ask(number, "search", STEPS),
            lambda parcel, redesigned: searching(_hit(parcel, redesigned), number),
            lambda: searching(trouble.no_records(shown(number)), number),
        )

    async def detail(request: web.Request) -> web.StreamResponse:
        number = request.query.get("KeyValue", "")
        return await site.answer(
            request,
            Ask(number, "record", STEPS),
            lambda parcel, redesigned: html(record.fill(parcel, redesigned)),
            lambda: searching(trouble.no_records(shown(number))),
        )

    return [
        web.get("/alder/Search.aspx", blank),
        web.post("/alder/Search.aspx", submitted),
        web.get("/alder/Detail.aspx", detail),
    ]


def _hit(parcel: Parcel, redesigned: bool) -> str:
    table, link = ("gridHits", "open") if redesigned else ("ctl00_MainContent_gvResults", "detail")
    return f"""<table class="data" id="{table}"><tr><th>Parcel</th><th>Owner</th><th>Address</th></tr>
<tr><td><a class="{link}" href="Detail.aspx?KeyValue={parcel.number}">{parcel.number}</a></td>
<td>{escape(parcel.owner)}</td><td>{parcel.situs}</td></tr></table>"""
