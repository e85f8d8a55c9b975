"""All pages of the dashboard, under the addresses that people bookmark."""

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import RedirectResponse
from fastapi.staticfiles import StaticFiles

from scrapeyard.controller.api.office import Office
from scrapeyard.controller.dashboard.catalogue import CataloguePages
from scrapeyard.controller.dashboard.front import Front
from scrapeyard.controller.dashboard.items import ItemPages
from scrapeyard.controller.dashboard.jobs import JobPages
from scrapeyard.controller.dashboard.places import PlacePages
from scrapeyard.controller.dashboard.steering import Steering
from scrapeyard.controller.dashboard.trying import Trying


def add_dashboard(app: FastAPI, office: Office) -> None:
    """Add every page to the application."""
    front = Front(app, office)
    for pages in (
        JobPages(office),
        ItemPages(office),
        Steering(office),
        Trying(office),
        PlacePages(office),
        CataloguePages(office),
    ):
        pages.add_to(front)
    app.mount("/static", StaticFiles(directory=Path(__file__).parent / "static"), name="static")
    app.add_api_route("/", _home, methods=["GET"], include_in_schema=False)


async def _home() -> RedirectResponse:
    return RedirectResponse("/jobs", 307)
