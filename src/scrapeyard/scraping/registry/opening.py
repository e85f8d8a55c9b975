"""Open one module: read its files, take their digest, import exactly these bytes, see which scrapers it declares."""

from collections.abc import Mapping
from pathlib import Path, PurePath
from traceback import walk_tb
from types import ModuleType
from typing import Any, NamedTuple

from scrapeyard.model.errors import Refused
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.scraping.author.card import card_of
from scrapeyard.scraping.author.declare import Scraper
from scrapeyard.scraping.registry.importing import SourceFinder
from scrapeyard.scraping.registry.places import Module
from scrapeyard.scraping.registry.scan import LARGEST_MODULE, Scan, scan
from scrapeyard.scraping.registry.sources import Part, digest_of, parts_of


class Text(NamedTuple):
    """A module's files as they are at this moment."""

    digest: str
    parts: Mapping[str, Part]
    texts: Mapping[Path, bytes]


def read_text(module: Module) -> Text:
    """Read a module and all that belongs to it, from disk, once."""
    texts: dict[Path, bytes] = {}
    scans: dict[Path, Scan] = {}

    def look(path: Path) -> Scan | None:
        if path not in scans:
            if not path.is_file():
                return None
            with path.open("rb") as source:
                texts[path] = source.read(LARGEST_MODULE + 1)
            scans[path] = scan(texts[path])
        return scans[path]

    parts = parts_of(module, look)
    return Text(digest_of(module, parts, look), parts, texts)


def import_scrapers(module: Module, text: Text, finder: SourceFinder) -> dict[str, Scraper[...]]:
    """Import a module and give the scrapers it declares, by name. Raises whatever its code raises."""
    loaded = finder.load(module, text.digest, text.parts, text.texts)
    found: dict[str, Scraper[...]] = {}
    for declared in _declared(loaded):
        name = declared.declared.name
        if name in found and found[name] is not declared:
            raise Refused(f"{name} is declared twice in one module; rename one")
        found[name] = declared
    return found


def import_cards(module: Module, finder: SourceFinder) -> tuple[str, tuple[ScraperCard, ...]]:
    """A module's digest and the cards of its scrapers."""
    text = read_text(module)
    scrapers = import_scrapers(module, text, finder)
    return text.digest, tuple(card_of(each, text.digest, str(module.path)) for each in scrapers.values())


def why(error: BaseException, path: str) -> str:
    """One line about a module that cannot be imported, with the line of its own where that happened."""
    line: int | None = None
    for frame, at in walk_tb(error.__traceback__):
        if PurePath(frame.f_code.co_filename) == PurePath(path):
            line = at
    match error:
        case Refused():
            said = str(error)
        case SyntaxError():
            said = f"{PurePath(error.filename or path).name}, line {error.lineno}: {error.msg}"
        case ModuleNotFoundError() if _beside(error.name, path):
            said = f"{error}; a module beside it is imported as `from . import {error.name}`"
        case SystemExit():
            said = "it ends the process when it is imported"
        case _:
            said = f"{type(error).__name__}: {error}"
    return " ".join((f"line {line}: {said}" if line is not None else said).split())[:500]


def _beside(name: str | None, path: str) -> bool:
    return bool(name) and name.isidentifier() and Path(path).with_name(f"{name}.py").is_file() if name else False


def _declared(module: ModuleType) -> list[Scraper[...]]:
    """Those declared here; a scraper that is only imported from another module belongs to that one."""
    values: list[Any] = list(vars(module).values())
    return [value for value in values if isinstance(value, Scraper) and value.function.__module__ == module.__name__]
