"""What a scraper author imports. Each name is loaded at its first use, so that a controller needs no HTTP client."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapeyard.model.errors import (
        Absent,
        Ambiguous,
        Blocked,
        InvalidInput,
        LoginFailed,
        Maintenance,
        RateLimited,
        SessionExpired,
        VisitError,
    )
    from scrapeyard.model.failures import Kind
    from scrapeyard.model.policy import Window
    from scrapeyard.model.record import Date, Inputs, Money, Record
    from scrapeyard.model.rules import SiteRule
    from scrapeyard.model.secret import Secret
    from scrapeyard.model.session import SessionTerms
    from scrapeyard.pages.dates import as_date
    from scrapeyard.pages.element import Element
    from scrapeyard.pages.errors import BadValue, Missing, WrongItem
    from scrapeyard.pages.files import File
    from scrapeyard.pages.forms import Form
    from scrapeyard.pages.page import Page
    from scrapeyard.pages.values import as_integer, as_money, as_number
    from scrapeyard.scraping.author.declare import Scraper, scraper
    from scrapeyard.scraping.author.visit import Visit
    from scrapeyard.scraping.http.http import Http
    from scrapeyard.scraping.http.live_page import LivePage

_HOMES = {
    "Absent": "scrapeyard.model.errors",
    "Ambiguous": "scrapeyard.model.errors",
    "BadValue": "scrapeyard.pages.errors",
    "Blocked": "scrapeyard.model.errors",
    "Date": "scrapeyard.model.record",
    "Element": "scrapeyard.pages.element",
    "File": "scrapeyard.pages.files",
    "Form": "scrapeyard.pages.forms",
    "Http": "scrapeyard.scraping.http.http",
    "Inputs": "scrapeyard.model.record",
    "InvalidInput": "scrapeyard.model.errors",
    "Kind": "scrapeyard.model.failures",
    "LivePage": "scrapeyard.scraping.http.live_page",
    "LoginFailed": "scrapeyard.model.errors",
    "Maintenance": "scrapeyard.model.errors",
    "Missing": "scrapeyard.pages.errors",
    "Money": "scrapeyard.model.record",
    "Page": "scrapeyard.pages.page",
    "RateLimited": "scrapeyard.model.errors",
    "Record": "scrapeyard.model.record",
    "Scraper": "scrapeyard.scraping.author.declare",
    "Secret": "scrapeyard.model.secret",
    "SessionExpired": "scrapeyard.model.errors",
    "SessionTerms": "scrapeyard.model.session",
    "SiteRule": "scrapeyard.model.rules",
    "Visit": "scrapeyard.scraping.author.visit",
    "VisitError": "scrapeyard.model.errors",
    "Window": "scrapeyard.model.policy",
    "WrongItem": "scrapeyard.pages.errors",
    "as_date": "scrapeyard.pages.dates",
    "as_integer": "scrapeyard.pages.values",
    "as_money": "scrapeyard.pages.values",
    "as_number": "scrapeyard.pages.values",
    "scraper": "scrapeyard.scraping.author.declare",
}

__all__ = [
    "Absent",
    "Ambiguous",
    "BadValue",
    "Blocked",
    "Date",
    "Element",
    "File",
    "Form",
    "Http",
    "Inputs",
    "InvalidInput",
    "Kind",
    "LivePage",
    "LoginFailed",
    "Maintenance",
    "Missing",
    "Money",
    "Page",
    "RateLimited",
    "Record",
    "Scraper",
    "Secret",
    "SessionExpired",
    "SessionTerms",
    "SiteRule",
    "Visit",
    "VisitError",
    "Window",
    "WrongItem",
    "as_date",
    "as_integer",
    "as_money",
    "as_number",
    "scraper",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'scrapeyard' has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
