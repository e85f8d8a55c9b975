"""Takes the pictures of the dashboard that the README and the guides show, in a real browser over a staged bad day.

`make screenshots` runs this; the pages are those of the product, only what happened is staged.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from playwright.async_api import ViewportSize  # noqa: E402

from api.conftest import SCRAPER, served  # noqa: E402
from dashboard.stage import bad_day, browser  # noqa: E402
from scrapeyard.settings import ApiSettings, Settings  # noqa: E402

FOLDER = ROOT / "docs" / "images"


async def pictures(folder: Path) -> None:
    """Every picture: name and address."""
    with tempfile.TemporaryDirectory() as scratch:
        module = Path(scratch) / "parcel.py"
        module.write_text(SCRAPER)
        settings = Settings(data=Path(scratch) / "data", scrapers=(str(module),), api=ApiSettings(port=0))
        async with served(settings) as site, browser() as chromium:
            job = (await bad_day(site)).id
            failed = "12-0030-001"
            for name, path in (
                ("jobs", "/jobs"),
                ("job", f"/jobs/{job}"),
                ("item", f"/jobs/{job}/item?key=12-0003-001"),
                ("item-blocked", f"/jobs/{job}/item?key={failed}"),
                ("sites", "/sites"),
                ("proxies", "/proxies"),
            ):
                view: ViewportSize = {"width": 1440, "height": 900}
                page = await chromium.new_page(viewport=view, timezone_id="America/New_York")
                await page.goto(site.call.base + path)
                for closed in await page.query_selector_all("#history details summary"):
                    await closed.click()
                await page.screenshot(path=folder / f"{name}.png", full_page=True)
                await page.close()


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    target.mkdir(parents=True, exist_ok=True)
    asyncio.run(pictures(target))
