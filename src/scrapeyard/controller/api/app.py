"""The application: all doors, one description, and every error in one form."""

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from scrapeyard.controller.api.alerts import AlertRoutes
from scrapeyard.controller.api.audit import AuditRoutes
from scrapeyard.controller.api.catalogue import CatalogueRoutes
from scrapeyard.controller.api.door import Call, Door
from scrapeyard.controller.api.events import EventRoutes
from scrapeyard.controller.api.items import ItemRoutes
from scrapeyard.controller.api.jobs import JobRoutes
from scrapeyard.controller.api.keys import KeyRoutes
from scrapeyard.controller.api.links import LinkRoutes
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.operation import Operation
from scrapeyard.controller.api.problems import Answered, answer, on_answered, on_fault, on_ours, problem
from scrapeyard.controller.api.results import ResultRoutes
from scrapeyard.controller.api.retention import RetentionRoutes
from scrapeyard.controller.api.schedules import ScheduleRoutes
from scrapeyard.controller.api.sites import SiteRoutes
from scrapeyard.controller.api.uploads import UploadRoutes
from scrapeyard.model.access import Scope
from scrapeyard.model.errors import NotFound, ScrapeyardError

_ABOUT = """Submit lists of items, steer the jobs that work through them, and ask what came of every single item.

Send a key as `Authorization: Bearer KEY`. Times are seconds since 1970 in UTC, money is in millionths of a dollar
where a name ends in `micros`. A problem is answered as `application/problem+json` with a stable `code`.
"""


def create_app(office: Office, version: str) -> FastAPI:
    """The application over one office."""
    app = FastAPI(title="Scrapeyard", version=version, description=_ABOUT, docs_url=None, redoc_url=None)
    door = Door(app, office.keys, office.tries, office.clock)
    for routes in (
        JobRoutes(office),
        ItemRoutes(office),
        EventRoutes(office),
        UploadRoutes(office),
        ResultRoutes(office),
        CatalogueRoutes(office),
        SiteRoutes(office),
        LinkRoutes(office),
        KeyRoutes(office),
        ScheduleRoutes(office),
        AlertRoutes(office),
        AuditRoutes(office),
        RetentionRoutes(office),
    ):
        routes.add_to(door)
    health(door, office)
    app.add_exception_handler(Answered, on_answered)
    app.add_exception_handler(ScrapeyardError, on_ours)
    app.add_exception_handler(HTTPException, _on_http(door))
    app.add_exception_handler(RequestValidationError, on_fault)
    app.add_exception_handler(Exception, on_fault)
    _describe(app, door)
    return app


def health(door: Door, office: Office) -> None:
    """Whether this process lives, whether it can serve, and how it does."""

    async def healthz(_: Call) -> Response:
        """Say that this process lives."""
        return Response("ok\n", media_type="text/plain")

    async def readyz(_: Call) -> Response:
        """Say whether storage answers."""
        await office.memos.recall("ready")
        return Response("ok\n", media_type="text/plain")

    async def metrics(_: Call) -> Response:
        """Show the figures of this controller to Prometheus.

        `docs/reference/metrics.md` says what they mean.
        """
        if office.figures is None:
            raise NotFound("No figures are taken here; `scrapeyard controller` takes them.")
        return Response(office.figures(), media_type="text/plain; version=0.0.4; charset=utf-8")

    door.add(Operation("GET /healthz", None, sends="text/plain"), healthz)
    door.add(Operation("GET /readyz", None, sends="text/plain"), readyz)
    door.add(Operation("GET /metrics", Scope.READ, sends="text/plain", also=(404,)), metrics)


def _on_http(door: Door) -> "Callable[[Request, Exception], Awaitable[Response]]":
    async def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code != 405:
            return answer(problem("not_found" if error.status_code == 404 else "refused", str(error.detail)))
        known = door.methods(request) or (error.headers or {}).get("Allow", "").split(", ")
        return answer(problem("method", f"It knows {', '.join(known)}."), {"Allow": ", ".join(known)})

    return on_http


def _describe(app: FastAPI, door: Door) -> None:
    """One description of everything, with the schemas of our own values."""
    usual = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = door.described(usual())
        return app.openapi_schema

    app.openapi = described
