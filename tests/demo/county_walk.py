"""How the tests walk through the county: fetch a page, carry its hidden fields, read a table."""

import aiohttp
from selectolax.lexbor import LexborHTMLParser

NUMBER = "001-0001-001"
GHOST = "001-0001-900"


def visitor(county):
    """A client with a cookie jar of its own; `unsafe` since the county has an address and no name."""
    return aiohttp.ClientSession(county.base_url, cookie_jar=aiohttp.CookieJar(unsafe=True))


async def page(call, status=200):
    async with call as answer:
        text = await answer.text()
        assert answer.status == status, text[-2_000:]
        return LexborHTMLParser(text)


def fields(tree, form="form"):
    return {one.attributes["name"]: one.attributes.get("value") or "" for one in tree.css(f"{form} input[type=hidden]")}


def attribute(tree, selector, name):
    found = tree.css_first(selector)
    assert found is not None, f"no {selector}"
    return found.attributes[name]


def text(tree, selector):
    found = tree.css_first(selector)
    assert found is not None, f"no {selector}"
    return found.text(strip=True)


def rows(tree, table):
    return [[cell.text(strip=True) for cell in row.css("td")] for row in tree.css(f"{table} tbody tr")]
