"""Hazel: a guest's session dies after some requests or minutes; the answer is then a login page at status 200."""

from aiohttp import web

from scrapeyard.demo.county.html.chrome import page
from scrapeyard.demo.county.html.record import RecordPage
from scrapeyard.demo.county.html.template import Template
from scrapeyard.demo.county.html.trouble import no_records
from scrapeyard.demo.county.portals.asked import posted, shown
from scrapeyard.demo.county.sessions import Sessions
from scrapeyard.demo.county.site import Ask, Site, html, moved

NAME = "Hazel County Online Services"
COOKIE = "HZSESSION"
LOGIN = """{{message}}
<form id="guest" method="post" action="/hazel/enter">
<label>User <input type="text" name="user" /></label> <label>Password <input type="password" name="secret" /></label>
<button type="submit" name="login" value="1">Sign in</button>
<button type="submit" name="guest" id="btnGuest" value="1">Continue as guest</button></form>"""
SEARCH = """<form id="search" method="get" action="/hazel/parcel">
<label for="number">Parcel number</label> <input type="text" name="number" id="number" />
<button type="submit">Search</button></form>
{{results}}"""
EXPIRED = '<div class="message" id="sessionExpired">Your session has expired. Please sign in again.</div>'
WRONG = '<div class="message" id="loginFailed">The user name or password is not correct.</div>'


def routes(site: Site) -> list[web.RouteDef]:
    """Login, search, record."""
    sessions = Sessions(site.now, site.options.session_requests, site.options.session_seconds)
    login = Template(page(NAME, "/hazel", "Sign In", LOGIN))
    search = Template(page(NAME, "/hazel", "Search", SEARCH))
    record = RecordPage(NAME, "/hazel", ("summary", "values", "bills", "owners"))

    def gone(request: web.Request) -> web.Response | None:
        alive = sessions.use(request.cookies.get(COOKIE))
        return None if alive else html(login.fill({"message": EXPIRED}))

    async def front(_: web.Request) -> web.Response:
        return html(login.fill({"message": ""}))

    async def enter(request: web.Request) -> web.Response:
        if "guest" not in await posted(request):
            return html(login.fill({"message": WRONG}))
        answer = moved("/hazel/search")
        answer.set_cookie(COOKIE, sessions.start().key, path="/hazel", httponly=True)
        return answer

    async def blank(request: web.Request) -> web.Response:
        return gone(request) or html(search.fill({"results": ""}))

    async def parcel(request: web.Request) -> web.StreamResponse:
        if expired := gone(request):
            return expired
        number = request.query.get("number", "")
        return await site.answer(
            request,
            Ask(number),
            lambda parcel, redesigned: html(record.fill(parcel, redesigned)),
            lambda: html(search.fill({"results": no_records(shown(number))})),
        )

    return [
        web.get("/hazel/", front),
        web.post("/hazel/enter", enter),
        web.get("/hazel/search", blank),
        web.get("/hazel/parcel", parcel),
    ]
