"""Cedar: the account ledger of a parcel, ten lines a page, leafed through by postback.

The server keeps one grid per session and takes only the view state of the answer it gave last. So each page must be
asked for with the fields of the page before it, and two visits in one session get in each other's way.
"""

from aiohttp import web

from scrapeyard.demo.county.html import trouble
from scrapeyard.demo.county.html.chrome import page
from scrapeyard.demo.county.html.template import Template, cents, day, hidden
from scrapeyard.demo.county.ledger import Entry, entries
from scrapeyard.demo.county.parcels import Parcel
from scrapeyard.demo.county.portals.asked import posted, shown
from scrapeyard.demo.county.sessions import Session, Sessions
from scrapeyard.demo.county.site import Ask, Site, html
from scrapeyard.demo.county.viewstate import Seal, StateRefused

NAME = "Cedar County Treasurer"
COOKIE = "ASP.NET_SessionId"
GRID = "ctl00$gvLedger"
PAGE_SIZE = 10
STEPS = ("search", "page2")
FORM = """<form name="aspnetForm" method="post" action="Ledger.aspx" id="aspnetForm">
<div class="aspNetHidden">{{state}}</div>
<label for="ctl00_txtAccount">Account or parcel</label>
<input name="ctl00$txtAccount" type="text" id="ctl00_txtAccount" />
<input type="submit" name="ctl00$btnFind" value="Find" id="ctl00_btnFind" />
{{results}}</form>"""


class _Cedar:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._sessions = Sessions(site.now)
        self._seal = Seal(site.options.seed, "cedar")
        self._page = Template(page(NAME, "/cedar", "Account Ledger", FORM))

    def _answer(self, session: Session, results: str = "") -> web.Response:
        session.stamp += 1
        state = hidden(self._seal.fields("Ledger", session=session.key, stamp=session.stamp))
        return html(self._page.fill({"state": state, "results": results}))

    async def blank(self, request: web.Request) -> web.Response:
        session = self._sessions.use(request.cookies.get(COOKIE)) or self._sessions.start()
        answer = self._answer(session)
        answer.set_cookie(COOKIE, session.key, path="/cedar", httponly=True)
        return answer

    async def submitted(self, request: web.Request) -> web.StreamResponse:
        form = await posted(request)
        session = self._sessions.use(request.cookies.get(COOKIE))
        try:
            state = self._seal.opened("Ledger", form)
        except StateRefused as refused:
            return _refused(str(refused))
        if session is None or state["session"] != session.key or state["stamp"] != session.stamp:
            return _refused("The state information is not that of the last page of this session.")
        if form.get("__EVENTTARGET") == GRID:
            return await self._leafed(request, session, form.get("__EVENTARGUMENT", ""))
        if "ctl00$btnFind" not in form:
            return self._answer(session)
        session.number = form.get("ctl00$txtAccount", "")[:40]
        return await self._shown(request, session, 1)

    async def _leafed(self, request: web.Request, session: Session, argument: str) -> web.StreamResponse:
        place = argument.removeprefix("Page$")
        parcel = self._site.find(session.number)
        last = _pages(entries(parcel)) if parcel else 0
        if not (place.isascii() and place.isdigit() and len(place) < 4 and 1 <= int(place) <= last):
            return _refused("Invalid postback or callback argument.")
        return await self._shown(request, session, int(place))

    async def _shown(self, request: web.Request, session: Session, place: int) -> web.StreamResponse:
        number = session.number
        if place > 2:  # the dial strikes the first and the second page only, so that a fault stays one per visit
            parcel = self._site.find(number)
            assert parcel is not None
            return self._answer(session, _grid(parcel, place, False))
        return await self._site.answer(
            request,
            Ask(number, STEPS[place - 1], STEPS),
            lambda parcel, redesigned: self._answer(session, _grid(parcel, place, redesigned)),
            lambda: self._answer(session, trouble.no_records(shown(number))),
        )


def _refused(why: str) -> web.Response:
    return html(trouble.STATE_ERROR.format(why=why), 500)


def _pages(lines: list[Entry]) -> int:
    return (len(lines) - 1) // PAGE_SIZE + 1


def _grid(parcel: Parcel, place: int, redesigned: bool) -> str:
    lines = entries(parcel)
    start = (place - 1) * PAGE_SIZE
    part = lines[start : start + PAGE_SIZE]
    rows = "\n".join(
        f"<tr><td>{day(line.booked)}</td><td>{line.year}</td><td>{line.what}</td><td>{cents(line.amount)}</td></tr>"
        for line in part
    )
    links = " ".join(
        f"<span>{other}</span>"
        if other == place
        else f"<a href=\"javascript:__doPostBack('{GRID}','Page${other}')\">{other}</a>"
        for other in range(1, _pages(lines) + 1)
    )
    grid, account = ("ledger-v2", "acct") if redesigned else ("ctl00_gvLedger", "ctl00_lblAccount")
    return f"""<p>Account <span id="{account}">{parcel.number}</span>,
showing <span id="ctl00_lblRange">{start + 1}-{start + len(part)} of {len(lines)}</span></p>
<table class="data" id="{grid}"><thead><tr><th>Date</th><th>Year</th><th>Transaction</th><th>Amount</th></tr></thead>
<tbody>{rows}</tbody><tfoot><tr class="pager"><td colspan="4">{links}</td></tr></tfoot></table>"""


def routes(site: Site) -> list[web.RouteDef]:
    """The ledger page and its postbacks."""
    cedar = _Cedar(site)
    return [web.get("/cedar/Ledger.aspx", cedar.blank), web.post("/cedar/Ledger.aspx", cedar.submitted)]
