"""The dashboard in a real browser: a bad day lived through, on a wide screen and a phone, by light and in the dark."""

import os

import pytest
from playwright.async_api import expect

from api.conftest import served
from api.work import a_job
from dashboard.stage import AXE, bad_day, browser, tripped
from scrapeyard.model.states import JobState
from scrapeyard.settings import ApiSettings

pytest_plugins = ["api.conftest"]
PATIENCE = 60_000
SOAK = os.environ.get("SCRAPEYARD_SOAK") == "1"
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture
async def day(settings):
    settings = settings.model_copy(update={"api": ApiSettings(port=0)})
    async with served(settings) as site, browser() as chromium:
        yield site, chromium, await bad_day(site)


def listening(page):
    """What a browser complains of."""
    said = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    return said


async def test_a_bad_day_from_the_first_sign_to_the_tables(day):
    site, chromium, job = day
    page = await chromium.new_page(viewport=WIDE)
    page.set_default_timeout(PATIENCE)
    said = listening(page)
    await page.goto(f"{site.call.base}/jobs")
    await page.get_by_role("link", name="Leon tax bills", exact=True).click()
    await expect(page.get_by_role("heading", name="Leon tax bills")).to_be_visible()
    await expect(page.locator("#why")).to_contain_text("22 of 24 first tries were blocked")
    await page.locator("#history summary").first.click()
    await expect(page.locator("#history .exhibits a").first).to_be_visible()
    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_role("button", name="Resume")).to_be_visible(timeout=PATIENCE)
    assert (await site.yard.service.jobs.get(job.id)).state is JobState.PAUSED
    await page.get_by_role("button", name="Resume").click()
    await expect(page.get_by_role("button", name="Pause")).to_be_visible(timeout=PATIENCE)
    await page.get_by_role("link", name="Failed items").click()
    await page.get_by_role("button", name="Retry these…").click()
    await page.get_by_role("button", name="Retry 16 items").click()
    await expect(page.locator("table.cards tbody tr").first).to_contain_text("waiting", timeout=PATIENCE)
    await page.goto(f"{site.call.base}/jobs/{job.id}")
    async with page.expect_download() as saving:
        await page.get_by_role("link", name="CSV").click()
    assert (await saving.value).suggested_filename.endswith("csv.zip")
    assert not said


async def test_what_happens_shows_by_itself_while_somebody_looks(day):
    site, chromium, job = day
    page = await chromium.new_page(viewport=WIDE)
    said = listening(page)
    await page.goto(f"{site.call.base}/jobs/{job.id}")
    trips = page.locator("#history .timeline > li")
    await expect(trips).to_have_count(1)
    await tripped(site, job, ["12-0031-001"])
    await expect(trips).to_have_count(2, timeout=PATIENCE)
    await site.yard.service.jobs.pause(job.id, "the county called")
    await expect(page.locator("#why")).to_contain_text("the county called", timeout=PATIENCE)
    await page.goto(f"{site.call.base}/jobs")
    await a_job(site, "x", name="one more")
    await expect(page.get_by_role("link", name="one more")).to_be_visible(timeout=PATIENCE)
    assert not said


async def test_one_item_is_tried_and_a_list_run_again_and_a_site_held(day):
    site, chromium, job = day
    page = await chromium.new_page(viewport=WIDE)
    page.set_default_timeout(PATIENCE)
    await page.goto(f"{site.call.base}/scrapers/test.parcel")
    await page.get_by_label("parcel_id").fill("7-7")
    await page.get_by_role("button", name="Try").click()
    await expect(page.get_by_role("heading", name="7-7")).to_be_visible()
    await page.goto(f"{site.call.base}/jobs/{job.id}")
    await page.get_by_text("Run it again as a new job").click()
    await page.get_by_role("button", name="Run again").click()
    await expect(page.locator("#progress")).to_contain_text("of 60 items")
    await page.goto(f"{site.call.base}/sites")
    await page.get_by_label("Reason").fill("maintenance")
    await page.get_by_role("button", name="Hold").click()
    await expect(page.locator(".gate").first).to_contain_text("maintenance")
    await page.get_by_role("button", name="Release and probe").click()
    await expect(page.get_by_role("button", name="Hold")).to_be_visible()


async def test_every_page_is_fit_for_a_screen_reader_a_phone_and_the_dark(day):
    site, chromium, job = day
    paths = [
        "/jobs", f"/jobs/{job.id}", f"/jobs/{job.id}/items", f"/jobs/{job.id}/item?key=12-0003-001", "/sites",
        "/proxies", "/workers", "/scrapers", "/scrapers/test.parcel", "/events", "/login",
    ]  # fmt: skip
    for view, scheme in ((WIDE, "light"), (PHONE, "dark")):
        page = await chromium.new_page(viewport=view, color_scheme=scheme, bypass_csp=True)
        said = listening(page)
        for number, path in enumerate(paths):
            await page.goto(site.call.base + path)
            wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, f"{path} is {wide} px too wide at {view['width']}"
            if not SOAK and number % 2 != (scheme == "dark"):
                continue  # each page is looked at once; at length, in both ways
            await page.add_script_tag(path=str(AXE))
            found = await page.evaluate("axe.run({iframes: false})")
            serious = [
                (each["id"], [node["html"][:200] for node in each["nodes"][:3]])
                for each in found["violations"]
                if each["impact"] in ("serious", "critical")
            ]
            assert not serious, (path, scheme, serious)
        assert not said
        await page.close()
