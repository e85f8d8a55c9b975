"""Elm: the number goes into three boxes, "No records found" comes at status 200, and the pages are in windows-1252."""

from aiohttp import web

from scrapeyard.demo.county.html.chrome import page
from scrapeyard.demo.county.html.record import RecordPage
from scrapeyard.demo.county.html.template import Template
from scrapeyard.demo.county.html.trouble import no_records
from scrapeyard.demo.county.parcels import Parcel
from scrapeyard.demo.county.portals.asked import shown
from scrapeyard.demo.county.site import Ask, Site

NAME = "Elm County Auditor"
CHARSET = "windows-1252"
FORM = """<form id="boxes" method="get" action="/elm/result"><fieldset><legend>Parcel number</legend>
<input type="text" name="book" size="3" maxlength="3" /> - <input type="text" name="page" size="4" maxlength="4" /> -
<input type="text" name="lot" size="3" maxlength="3" /> <input type="submit" value="Find" /></fieldset></form>
{{results}}"""


def routes(site: Site) -> list[web.RouteDef]:
    """The form and its result."""
    search = Template(page(NAME, "/elm", "Parcel Search", FORM), CHARSET)
    record = RecordPage(NAME, "/elm", ("summary", "values", "bills"), charset=CHARSET)
    headers = {"Content-Type": record.content_type}

    def searching(results: str = "") -> web.Response:
        return web.Response(body=search.fill({"results": results}), headers=headers)

    def found(parcel: Parcel, redesigned: bool) -> web.Response:
        return web.Response(body=record.fill(parcel, redesigned), headers=headers)

    async def blank(_: web.Request) -> web.Response:
        return searching()

    async def result(request: web.Request) -> web.StreamResponse:
        boxes = [request.query.get(name, "").strip() for name in ("book", "page", "lot")]
        number = "-".join(boxes)
        whole = [len(box) for box in boxes] == [3, 4, 3]  # a box without its leading zeros finds nothing
        return await site.answer(
            request, Ask(number if whole else ""), found, lambda: searching(no_records(shown(number)))
        )

    return [web.get("/elm/", blank), web.get("/elm/result", result)]
