"""The county without any portal in the way: an index, a roll to leaf through, and one page per parcel.

`/detail` is the page that benchmarks fetch, so it does nothing but generate, fill and send. A parcel that does not
exist is a 404 here; all other portals say so at status 200.
"""

from aiohttp import web

from scrapeyard.demo.county.html.chrome import page
from scrapeyard.demo.county.html.record import RecordPage
from scrapeyard.demo.county.html.template import Template
from scrapeyard.demo.county.html.trouble import no_records
from scrapeyard.demo.county.numbers import number_at
from scrapeyard.demo.county.parcels import Parcel
from scrapeyard.demo.county.portals.asked import shown
from scrapeyard.demo.county.site import Ask, Site, html

NAME = "Briar County"
PAGE_SIZE = 50
PORTALS = (
    ("/detail?parcel=001-0001-001", "Parcel page, no portal in the way"),
    ("/list", "The roll, fifty parcels a page"),
    ("/alder/Search.aspx", "Alder County: WebForms search"),
    ("/birch/search", "Birch County: disclaimer, then search"),
    ("/cedar/Ledger.aspx", "Cedar County: account ledger, paged by postback"),
    ("/dogwood/", "Dogwood County: one hit or many"),
    ("/elm/", "Elm County: number in three boxes"),
    ("/fir/account/001-0001-001", "Fir County: tax bills as PDF"),
    ("/ginkgo/", "Ginkgo County: JSON behind a page"),
    ("/hazel/", "Hazel County: guest sessions that expire"),
)


def routes(site: Site) -> list[web.RouteDef]:
    """Index, roll and parcel pages."""
    links = "\n".join(f'<li><a href="{to}">{text}</a></li>' for to, text in PORTALS)
    index = page(NAME, "", "Property Records", f'<ul id="portals">\n{links}\n</ul>').encode()
    roll = Template(page(NAME, "", "Roll", '<ul id="roll">\n{{rows}}</ul>\n<p id="pages">{{pages}}</p>'))
    missing = Template(page(NAME, "", "Parcel Detail", "{{message}}"))
    record = RecordPage(NAME, "")
    headers = {"Content-Type": record.content_type}

    def found(parcel: Parcel, redesigned: bool) -> web.Response:
        return web.Response(body=record.fill(parcel, redesigned), headers=headers)

    async def detail(request: web.Request) -> web.StreamResponse:
        number = request.query.get("parcel", "")

        def nothing() -> web.Response:
            return html(missing.fill({"message": no_records(shown(number))}), 404)

        return await site.answer(request, Ask(number), found, nothing)

    async def front(_: web.Request) -> web.Response:
        return html(index)

    async def leaf(request: web.Request) -> web.Response:
        return html(roll.fill(_leaf(request.query.get("page", "1"), site.options.parcels)))

    async def robots(_: web.Request) -> web.Response:
        return web.Response(text="User-agent: *\nDisallow: /_county/\nAllow: /\n")

    return [
        web.get("/", front),
        web.get("/detail", detail),
        web.get("/list", leaf),
        web.get("/robots.txt", robots),
    ]


def _leaf(asked: str, parcels: int) -> dict[str, str]:
    last = (parcels - 1) // PAGE_SIZE + 1
    place = min(max(int(asked), 1), last) if asked.isascii() and asked.isdigit() and len(asked) < 10 else 1
    numbers = (number_at(at) for at in range((place - 1) * PAGE_SIZE, min(place * PAGE_SIZE, parcels)))
    onward = f' <a class="next" href="/list?page={place + 1}">Next</a>' if place < last else ""
    return {
        "rows": "\n".join(f'<li><a class="detail" href="/detail?parcel={one}">{one}</a></li>' for one in numbers),
        "pages": f"Page {place} of {last}{onward}",
    }
