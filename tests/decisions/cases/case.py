# ruff: noqa: E501 - the lines of a page stand as they come
"""How a labelled ending is written down, and pages of the usual shapes to build it from.

A case says how the visit ended: quietly (nobody has read the page, or nobody missed anything), with a required part
missing, with the error that its status raises, or with an error of its own. All pages here are written by hand
after the manner of those that are met in the wild.
"""

from collections.abc import Mapping
from typing import NamedTuple

from scrapeyard.model.failures import Kind
from scrapeyard.pages.errors import Missing
from scrapeyard.scraping.http.answers import status_error

URL = "https://records.county.example/parcel/001-0001"
MISSING = Missing("#owner", URL)


class Case(NamedTuple):
    """One ending and its label; None is an ordinary page."""

    name: str
    kind: Kind | None
    body: bytes = b""
    error: BaseException | None = None
    status: int = 200
    headers: Mapping[str, str] = {}
    proxied: bool = False


def quiet(name: str, kind: Kind | None, body: str, status: int = 200, **headers: str) -> Case:
    """Nobody complained. Header names are written with underscores."""
    return Case(name, kind, body.encode(), None, status, dashed(headers))


def unread(name: str, kind: Kind, body: str, status: int = 200, **headers: str) -> Case:
    """The reader found a required part missing."""
    return Case(name, kind, body.encode(), MISSING, status, dashed(headers))


def refused(name: str, kind: Kind, status: int, body: str = "", **headers: str) -> Case:
    """The status itself raised an error."""
    error = status_error(status, URL, headers.get("retry_after", ""), 0.0)
    return Case(name, kind, body.encode(), error, status, dashed(headers))


def dashed(headers: Mapping[str, str]) -> dict[str, str]:
    """Header names as they come: some lower case, some not."""
    return {
        name.replace("_", "-").title() if len(name) % 2 else name.replace("_", "-"): headers[name] for name in headers
    }


def page(title: str, body: str, head: str = "") -> str:
    """A whole page."""
    return f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}</head><body>{body}</body></html>'


ROWS = "".join(
    f"<tr><td>{year}</td><td>Land and improvements</td><td>${year * 97:,}</td><td>paid</td></tr>"
    for year in range(1994, 2025)
)
PARCEL = (
    '<header><a href="/">County of Example</a><form action="/find"><input type="text" name="q"></form></header>'
    '<h1>Parcel 001-0001-001</h1><dl><dt>Owner</dt><dd id="owner">MARGARET HOLLOWAY</dd>'
    "<dt>Situs</dt><dd>12 MAIN ST</dd></dl><table>" + ROWS + "</table>"
    "<p>Values are as of January 1. Appeals must be filed with the clerk of the board by November 30.</p>"
)
"""What an ordinary parcel page holds."""


def parcel(extra: str = "", head: str = "", title: str = "Parcel 001-0001-001 | County of Example") -> str:
    """An ordinary parcel page with something added."""
    return page(title, PARCEL + extra, head)


def long(text: str = "<p>The board meets on the first Tuesday of each month in room 214.</p>", times: int = 900) -> str:
    """Enough text that nobody takes the page for a notice."""
    return text * times
