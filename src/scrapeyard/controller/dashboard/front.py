"""How a page is served: who asks, what may be done, in which frame it is shown, and what its browser may run.

Pages show what strangers wrote: names, reasons, whole web pages. So every value is escaped by the template engine, no
page runs a script or loads a style that is not a file of ours, and none may be put in a frame elsewhere. A form is
taken only with the word that our own page gave it.
"""

import hmac
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl

import jinja2
from fastapi import FastAPI, Request, Response
from fastapi.responses import RedirectResponse

from scrapeyard.controller.access.logins import LASTS, Logins, token
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.problems import Answered, of_error, of_fault, problem
from scrapeyard.controller.api.streams import LONGEST, MEDIA, sent, streamed
from scrapeyard.controller.audit.acting import acting, called
from scrapeyard.controller.dashboard import words
from scrapeyard.model.access import ApiKey, Scope
from scrapeyard.model.errors import ScrapeyardError

COOKIE = "scrapeyard"
LARGEST_FORM = 64 << 10
EVERY = 1.5
"""Seconds between two looks at whether a page has changed that somebody looks at."""
_OPEN = ApiKey("loopback", "this machine", "", (Scope.ADMIN,), 0.0)
"""Who looks when no key was ever made: then only this machine is served."""
_FORM_WORD = "loopback"
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Sheet:
    """A page as it is to be shown: a template and what it tells."""

    def __init__(self, template: str, title: str, **values: object) -> None:
        self.template = template
        self.title = title
        self.values = values
        self.status = 200


class Ask:
    """One request, admitted."""

    def __init__(self, request: Request, key: ApiKey, form: Mapping[str, str]) -> None:
        self.request = request
        self.key = key
        self.form = form

    def part(self, name: str) -> str:
        """A part of the path."""
        return cast("str", self.request.path_params[name])

    def query(self, name: str, default: str = "") -> str:
        """A value of the query."""
        return self.request.query_params.get(name, default)[:500]

    def number(self, name: str, default: int) -> int:
        """A whole number of the query; what is none counts as the default."""
        said = self.query(name)
        return int(said) if said.lstrip("-").isdecimal() and len(said) < 16 else default


Handler = Callable[[Ask], Awaitable[Sheet | Response]]


class Front:
    """All pages, and who is let in to them."""

    def __init__(self, app: FastAPI, office: Office) -> None:
        self._app = app
        self._office = office
        self._tries = office.tries
        self._logins = Logins(office.memos, office.keys, office.clock)
        self._pages = jinja2.Environment(
            loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._pages.filters.update(words.FILTERS)
        app.add_api_route("/login", self._ask_login, methods=["GET"], include_in_schema=False)
        app.add_api_route("/login", self._login, methods=["POST"], include_in_schema=False)
        app.add_api_route("/logout", self._logout, methods=["POST"], include_in_schema=False)

    def page(self, path: str, handler: Handler, scope: Scope = Scope.READ) -> None:
        """Add a page that is looked at."""
        self._app.add_api_route(path, self._endpoint(handler, scope), methods=["GET"], include_in_schema=False)

    def deed(self, path: str, handler: Handler, scope: Scope = Scope.OPERATE) -> None:
        """Add a form that does something."""
        self._app.add_api_route(path, self._endpoint(handler, scope), methods=["POST"], include_in_schema=False)

    def _endpoint(self, handler: Handler, scope: Scope) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            key = await self._who(request)
            if key is not None and request.method == "GET" and MEDIA in request.headers.get("accept", ""):
                pieces = self._live(handler, scope, request)
                return streamed(pieces, self._office.closing.is_set, LONGEST)
            if key is None:
                return RedirectResponse(f"/login?to={request.url.path}", 303, _HEADERS)
            try:
                if not key.allows(scope):
                    has = ", ".join(key.scopes)
                    raise Answered(problem("not_allowed", f"Your key has the scopes {has}; {scope} is wanted."))
                form = await self._form(request) if request.method == "POST" else {}
                with acting(called(key)):
                    answer = await handler(Ask(request, key, form))
            except Exception as error:  # noqa: BLE001 - whatever it is, a person is told so on a page
                answer = _trouble(error)
            return answer if isinstance(answer, Response) else self._shown(answer, request, key)

        return endpoint

    async def _live(self, handler: Handler, scope: Scope, request: Request) -> AsyncGenerator[bytes]:
        """The page anew whenever it has changed, as long as whoever looks may look."""
        last = b""
        while (key := await self._who(request)) is not None and key.allows(scope):
            try:
                sheet = await handler(Ask(request, key, {}))
            except Exception as error:  # noqa: BLE001 - the page itself tells it when it is loaded
                sheet = _trouble(error)
            if not isinstance(sheet, Sheet):
                return
            text = bytes(self._shown(sheet, request, key).body)
            if text != last:
                last = text
                yield sent(text)
            await self._office.clock.sleep(EVERY)

    def _shown(self, sheet: Sheet, request: Request, key: ApiKey | None) -> Response:
        word = request.cookies.get(COOKIE, "") or _FORM_WORD
        text = self._pages.get_template(sheet.template).render(
            title=sheet.title,
            here=request.url.path,
            key=key,
            may_operate=key is not None and key.allows(Scope.OPERATE),
            may_submit=key is not None and key.allows(Scope.SUBMIT),
            token=token(word),
            now=self._office.clock.now(),
            **sheet.values,
        )
        return Response(text, sheet.status, _HEADERS, "text/html; charset=utf-8")

    async def _who(self, request: Request) -> ApiKey | None:
        if not await self._office.keys.any():
            return _OPEN if _is_here(request) else None
        return await self._logins.who(request.cookies.get(COOKIE, ""))

    async def _form(self, request: Request) -> dict[str, str]:
        """The fields of a form, if it is one of ours."""
        fields = await _fields(request)
        word = request.cookies.get(COOKIE, "") or _FORM_WORD
        foreign = request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
        if foreign or not hmac.compare_digest(fields.get("token", "").encode(), token(word).encode()):
            raise Answered(problem("not_allowed", "The form is too old or comes from elsewhere: load the page again."))
        return fields

    async def _ask_login(self, request: Request) -> Response:
        return self._shown(
            Sheet("login.html", "Log in", trouble="", to=_safe(request.query_params.get("to"))), request, None
        )

    async def _login(self, request: Request) -> Response:
        fields = await _fields(request)
        address = request.client.host if request.client else ""
        now = self._office.clock.monotonic()
        wait = self._tries.wait(address, now)
        key = await self._office.keys.check(fields.get("key", "").strip()) if wait <= 0 else None
        if key is None:
            if wait <= 0:
                self._tries.wrong(address, now)
            said = f"Too many wrong keys; wait {wait:.0f} s." if wait > 0 else "That is no key that is good here."
            sheet = Sheet("login.html", "Log in", trouble=said, to=_safe(fields.get("to")))
            sheet.status = 429 if wait > 0 else 401
            return self._shown(sheet, request, None)
        answer = RedirectResponse(_safe(fields.get("to")), 303, _HEADERS)
        secure = request.url.scheme == "https"
        word = await self._logins.begin(key)
        answer.set_cookie(COOKIE, word, max_age=int(LASTS), httponly=True, samesite="lax", secure=secure)
        return answer

    async def _logout(self, request: Request) -> Response:
        await self._form(request)
        await self._logins.end(request.cookies.get(COOKIE, ""))
        answer = RedirectResponse("/login", 303, _HEADERS)
        answer.delete_cookie(COOKIE)
        return answer


async def _fields(request: Request) -> dict[str, str]:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST_FORM:
            raise Answered(problem("too_large", f"At most {LARGEST_FORM >> 10} KiB are taken here."))
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=200))


def _safe(to: str | None) -> str:
    """Where to go after the login: a page of ours, never another site."""
    good = to is not None and to.startswith("/") and not to.startswith("//") and "\\" not in to and to.isprintable()
    return to if good and to is not None else "/jobs"


def _is_here(request: Request) -> bool:
    """Whether the address that the browser was given is this machine's: another site's name that points here is not."""
    host = (request.url.hostname or "").strip("[]")
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _trouble(error: Exception) -> Sheet:
    told: Any
    if isinstance(error, Answered):
        told = error.problem
    else:
        told = of_error(error) if isinstance(error, ScrapeyardError) else of_fault(error)
    sheet = Sheet("trouble.html", told.title, problem=told)
    sheet.status = told.status
    return sheet
