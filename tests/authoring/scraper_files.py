"""Scraper modules as authors leave them lying about, written to a folder by the tests of the registry."""

from scrapeyard.scraping.registry.registry import ScraperRegistry
from scrapeyard.scraping.scrapers import HttpOptions, equip

HEAD = "from scrapeyard import Http, Inputs, Page, Record, scraper\n"
BODY = '''
class Parcel(Inputs):
    parcel_id: str


class Row(Record):
    parcel_id: str
    tax: str = "{tax}"


@scraper("{name}", site="county.test", version="{version}")
async def visit(parcel: Parcel, http: Http) -> Page:
    """What {name} shows."""
    return await http.get("https://county.test/")


@visit.extractor
def read(parcel: Parcel, page: Page) -> Row:
    return Row(parcel_id=parcel.parcel_id)
'''


def module(name, *, before="", after="", tax="none", version="1"):
    """The text of a module with one scraper in it."""
    return before + HEAD + BODY.format(name=name, tax=tax, version=version) + after


def write(folder, texts):
    """Write files by their path within the folder."""
    for path, text in texts.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def registry(tmp_path, *places, isolated=False, installed=False, cache="cache"):
    """A registry over these places, or over the folder `scrapers`."""
    names = [str(place) for place in places] or [str(tmp_path / "scrapers")]
    ready = equip(HttpOptions(downloads=tmp_path / "downloads"))
    return ScraperRegistry(names, tmp_path / cache, ready, installed=installed, isolated=isolated)


def names(found):
    return [card.ref.name for card in found.catalogue()]


def reasons(found):
    """What is broken: file name and reason."""
    return {each.source.rpartition("/")[2]: each.reason for each in found.broken()}
