"""Whatever strangers wrote, in any field: no script of theirs runs in a real browser, and no cell is a formula."""

import csv
import io
import zipfile

import msgspec
import pytest

from api.conftest import served
from api.work import a_job, page, worked
from dashboard.payloads import ALL, SCRIPTS
from dashboard.stage import browser
from scrapeyard.model.event import Event, event_id
from scrapeyard.model.item import Selection
from scrapeyard.model.site import SEEN, ProxyView
from scrapeyard.model.states import VisitState
from scrapeyard.settings import ApiSettings

pytest_plugins = ["api.conftest"]
RISKY = tuple("=+-@\t\r\n＝＋－＠")


def hostile_ends(keys):
    """Items whose every field a stranger wrote: reasons, details, proxies, pages and their names, records."""
    record = msgspec.json.encode({f"f{place} {text}": text for place, text in enumerate(ALL)})
    whole = "<!doctype html>" + "\n".join(f"<p>{text}</p>" for text in ALL)
    ends = {}
    for place, key in enumerate(keys):
        text = ALL[place % len(ALL)]
        if place % 40 == 0:
            pages = [
                page(whole),
                page(whole, f"plain {text}", "text/plain"),
                page(whole, "drawing", "image/svg+xml"),
            ]
            ends[key] = {"pages": pages, "records": [("Bill", record)], "reason": text}
        else:
            ends[key] = {"state": VisitState.FAILED, "kind": "blocked", "reason": text}
    return ends


@pytest.fixture
async def hostile(settings):
    settings = settings.model_copy(update={"api": ApiSettings(port=0)})
    async with served(settings) as site:
        keys = [text.strip() for text in ALL]
        job = await a_job(site, *dict.fromkeys(keys), name=SCRIPTS[0])
        await worked(site, job, hostile_ends([item.key for item in await site.yard.ledger.items.page(job.id)]))
        ledger, now = site.yard.ledger, site.yard.clock.now()
        told = [
            Event(event_id(now, place / 1000), now, text[:60], text, job.id, text, msgspec.json.encode({"x": text}))
            for place, text in enumerate(SCRIPTS[:40])
        ]
        await ledger.events.add(told)
        views = [ProxyView(text, 1, 0, {text: 1}, now, text) for text in ALL]
        await ledger.memos.keep(SEEN, msgspec.json.encode(views), seen=None)
        await site.yard.service.sites.hold("county", SCRIPTS[3], SCRIPTS[8])
        await site.yard.service.jobs.pause(job.id, "".join(SCRIPTS[:5]))
        yield site, job


async def test_there_are_enough_of_them():
    assert len(SCRIPTS) >= 200


async def test_no_script_of_a_stranger_runs_on_any_page(hostile):
    site, job = hostile
    ran = []
    async with browser() as chromium:
        context = await chromium.new_context()
        await context.expose_binding("pwned", lambda source, *args: ran.append((source["page"].url, args)))
        looking = await context.new_page()
        looking.on("dialog", lambda dialog: ran.append((looking.url, dialog.message)))
        strange = []

        def asked(request):
            if not request.url.startswith((site.call.base, "data:", "about:")):
                strange.append(request.url)

        looking.on("request", asked)
        base = f"{site.call.base}/jobs/{job.id}"
        found = await site.yard.service.items.find(job.id, Selection(frozenset({VisitState.SUCCEEDED})), limit=4)
        await looking.goto(site.call.base + "/jobs")
        query = await looking.evaluate("(keys) => keys.map(encodeURIComponent)", [item.key for item in found])
        paths = ["", "/items", "/items?after=49", "/items?after=99", "/items?after=149", "/items?after=199"]
        paths += [f"/item?key={each}" for each in query]
        paths += [f"/item?key={query[0]}&page=drawing", f"/kept?key={query[0]}", f"/kept?key={query[0]}&name=drawing"]
        others = [f"{site.call.base}/{name}" for name in ("sites", "proxies", "events")]
        for path in [*(base + path for path in paths), *others]:
            try:
                await looking.goto(path)
            except Exception as error:  # noqa: BLE001 - what is saved instead of shown ends the navigation
                assert "Download" in str(error) or "ERR_ABORTED" in str(error), error  # noqa: PT017
                continue
            for summary in await looking.query_selector_all("details summary"):
                await summary.click()
            await looking.mouse.move(300, 300)
            for link in (await looking.query_selector_all("main a"))[:80]:
                assert not (await link.get_attribute("href") or "").lower().startswith(("javascript:", "data:"))
        assert not ran
        assert not strange


async def test_no_cell_of_a_table_is_a_formula(hostile):
    site, job = hostile
    said = await site.call("POST", f"/v1/jobs/{job.id}/export", {"format": "csv", "include_attempts": True})
    assert said.status == 200
    cells = 0
    with zipfile.ZipFile(io.BytesIO(said.body)) as archive:
        for name in archive.namelist():
            for row in csv.reader(io.StringIO(archive.read(name).decode(), newline="")):
                for cell in row:
                    cells += 1
                    number = cell.replace(",", "").replace(".", "").lstrip("+-").isdigit()
                    assert number or not cell.startswith(RISKY), (name, cell)
    assert cells > 1_000
