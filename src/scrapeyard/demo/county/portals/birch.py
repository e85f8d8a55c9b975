"""Birch: nobody gets to the search without having agreed to a disclaimer; the agreement is a session cookie.

The search form's `hdAction` is empty until a script fills it in, so a plain submit finds the form again and no parcel.
"""

from html import escape

from aiohttp import web

from scrapeyard.demo.county.dice import fingerprint
from scrapeyard.demo.county.html import trouble
from scrapeyard.demo.county.html.chrome import page
from scrapeyard.demo.county.html.record import RecordPage
from scrapeyard.demo.county.html.template import Template
from scrapeyard.demo.county.portals.asked import posted, shown
from scrapeyard.demo.county.sessions import Sessions
from scrapeyard.demo.county.site import Ask, Site, html, moved

NAME = "Birch County Public Access"
COOKIE = "BIRCHSESSION"
STEPS = ("search", "record")
DISCLAIMER = """<form id="frmDisclaimer" method="post" action="/birch/disclaimer">
<p>The data on this site is provided as is. By choosing Agree you accept that it may be incomplete.</p>
<input type="hidden" name="hdToken" value="{{token}}" />
<input type="submit" name="btAgree" id="btAgree" value="Agree" />
<input type="submit" name="btDecline" id="btDecline" value="Disagree" /></form>"""
SEARCH = """<form id="frmMain" method="post" action="/birch/search"
 onsubmit="document.getElementById('hdAction').value='Search'">
<input type="hidden" name="hdAction" id="hdAction" value="" />
<label for="inpParid">Parcel ID</label> <input type="text" name="inpParid" id="inpParid" maxlength="30" />
<select name="selPageSize" id="selPageSize">
<option value="15" selected>15</option><option value="50">50</option></select>
<input type="submit" name="btSearch" id="btSearch" value="Search" /></form>
{{results}}"""


class _Birch:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._sessions = Sessions(site.now)
        self._token = f"{fingerprint(site.options.seed, 'birch'):016x}"
        self._disclaimer = Template(page(NAME, "/birch", "Disclaimer", DISCLAIMER)).fill({"token": self._token})
        self._search = Template(page(NAME, "/birch", "Parcel Search", SEARCH))
        self._record = RecordPage(NAME, "/birch", ("summary", "owners", "sales"))

    def _agreed(self, request: web.Request) -> bool:
        return self._sessions.use(request.cookies.get(COOKIE)) is not None

    def _searching(self, results: str = "") -> web.Response:
        return html(self._search.fill({"results": results}))

    async def disclaimer(self, _: web.Request) -> web.Response:
        return html(self._disclaimer)

    async def agree(self, request: web.Request) -> web.Response:
        form = await posted(request)
        if "btAgree" not in form or form.get("hdToken") != self._token:
            return html(self._disclaimer)
        answer = moved("/birch/search")
        answer.set_cookie(COOKIE, self._sessions.start().key, path="/birch", httponly=True)
        return answer

    async def blank(self, request: web.Request) -> web.Response:
        return self._searching() if self._agreed(request) else moved("/birch/disclaimer")

    async def submitted(self, request: web.Request) -> web.StreamResponse:
        if not self._agreed(request):
            return moved("/birch/disclaimer")
        form = await posted(request)
        if form.get("hdAction") != "Search":
            return self._searching()
        number = form.get("inpParid", "")
        return await self._site.answer(
            request,
            Ask(number, "search", STEPS),
            lambda parcel, _: moved(f"/birch/datalet?pin={parcel.number}"),
            lambda: self._searching(trouble.no_records(shown(number))),
        )

    async def datalet(self, request: web.Request) -> web.StreamResponse:
        if not self._agreed(request):
            return moved("/birch/disclaimer")
        number = request.query.get("pin", "")
        return await self._site.answer(
            request,
            Ask(number, "record", STEPS),
            lambda parcel, redesigned: html(self._record.fill(parcel, redesigned)),
            lambda: self._searching(trouble.no_records(escape(number[:40]))),
        )


def routes(site: Site) -> list[web.RouteDef]:
    """Disclaimer, search and datalet."""
    birch = _Birch(site)
    return [
        web.get("/birch/disclaimer", birch.disclaimer),
        web.post("/birch/disclaimer", birch.agree),
        web.get("/birch/search", birch.blank),
        web.post("/birch/search", birch.submitted),
        web.get("/birch/datalet", birch.datalet),
    ]
