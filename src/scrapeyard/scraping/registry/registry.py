"""The catalogue of scrapers: hundreds of modules, known by their source, each imported only when it is wanted.

A module that cannot be read is listed with the reason and hides none of the others. A name that two modules claim is
nobody's until one of them is renamed, but a job that pinned one of the two by digest still gets it.
"""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

import msgspec

from scrapeyard.model.errors import NotFound
from scrapeyard.model.scraper import BrokenScraper, ScraperCard, ScraperRef
from scrapeyard.ports.scrapers import LoadedScraper
from scrapeyard.scraping.author.declare import Scraper
from scrapeyard.scraping.registry.cache import ScanCache
from scrapeyard.scraping.registry.describe import Told, tell
from scrapeyard.scraping.registry.describing import describe
from scrapeyard.scraping.registry.importing import SourceFinder
from scrapeyard.scraping.registry.opening import import_scrapers, read_text, why
from scrapeyard.scraping.registry.places import Module, find_modules
from scrapeyard.scraping.registry.sources import digest_of, parts_of

Equip = Callable[[Scraper[...], str, str], LoadedScraper]
"""Makes a declared scraper ready to visit; given its digest and the path of its module."""


class _Entry(NamedTuple):
    module: Module
    digest: str
    names: tuple[str, ...]


class ScraperRegistry:
    """Fills the `Scrapers` port. `isolated` imports unknown modules in another process to learn their schemas."""

    def __init__(
        self,
        places: Sequence[str],
        cache: Path,
        equip: Equip,
        *,
        installed: bool = True,
        isolated: bool = True,
    ) -> None:
        self._places = tuple(places)
        self._cache = ScanCache.opened(cache)
        self._equip = equip
        self._installed = installed
        self._isolated = isolated
        self._finder = SourceFinder()
        self._failed: dict[str, str] = {}
        self._entries: list[_Entry] = []
        self._problems: list[BrokenScraper] = []

    def catalogue(self) -> Sequence[ScraperCard]:
        """See Scrapers."""
        self._survey()
        self._learn(self._entries)
        taken = self._taken_twice()
        found = [card for entry in self._entries for card in self._cards(entry) if card.ref.name not in taken]
        return sorted(found, key=lambda card: card.ref.name)

    def broken(self) -> Sequence[BrokenScraper]:
        """See Scrapers."""
        self._survey()
        self._learn(self._entries)
        failed = [
            BrokenScraper(str(entry.module.path), self._failed[entry.digest])
            for entry in self._entries
            if entry.digest in self._failed
        ]
        twice = [
            BrokenScraper(path, f"the name {name!r} is also declared in {other}; rename one of the two")
            for name, paths in self._taken_twice().items()
            for path, other in zip(paths, [*paths[1:], paths[0]], strict=True)
        ]
        return sorted([*self._problems, *failed, *twice], key=lambda each: each.source)

    def digests(self) -> frozenset[str]:
        """See Scrapers."""
        self._survey()
        return frozenset(entry.digest for entry in self._entries if entry.digest not in self._failed)

    def find(self, name: str) -> ScraperCard:
        """See Scrapers. The path of a module that declares one scraper stands for its name."""
        self._survey()
        entries = [entry for entry in self._entries if name in entry.names] or self._at(name)
        self._learn(entries)
        cards = [
            card
            for entry in entries
            for card in self._cards(entry)
            if name in {card.ref.name, card.source} or self._at(name)
        ]
        if len({card.ref for card in cards}) == 1:
            return cards[0]
        if cards:
            raise NotFound(
                f"{name!r} could be {' or '.join(f'{card.ref.name} in {card.source}' for card in cards)}; "
                "rename one, or name fewer places."
            )
        raise NotFound(self._missing(name, entries))

    def load(self, ref: ScraperRef) -> LoadedScraper:
        """See Scrapers."""
        self._survey()
        entries = [entry for entry in self._entries if ref.name in entry.names]
        for entry in entries:
            if entry.digest != ref.digest:
                continue
            text = read_text(entry.module)
            path = str(entry.module.path)
            if text.digest == ref.digest:
                try:
                    found = import_scrapers(entry.module, text, self._finder).get(ref.name)
                except (Exception, SystemExit) as error:
                    raise NotFound(f"{ref.name} cannot be imported from {path}: {why(error, path)}") from error
                if found is not None:
                    return self._equip(found, ref.digest, path)
        raise NotFound(self._other_version(ref, entries))

    def _survey(self) -> None:
        """Look at all files again: cheap, since only those that changed are read."""
        found = find_modules(self._places, installed=self._installed)
        look = self._cache.look
        entries: list[_Entry] = []
        problems = [BrokenScraper(place, reason) for place, reason in found.problems]
        for module in found.modules:
            said = look(module.path)
            if said is None:
                continue
            if said.problem is not None:
                problems.append(BrokenScraper(str(module.path), said.problem))
            if said.scrapers:
                digest = digest_of(module, parts_of(module, look), look)
                entries.append(_Entry(module, digest, said.scrapers))
        self._entries, self._problems = entries, problems  # at once: another thread may be reading them
        self._cache.save(frozenset(entry.digest for entry in self._entries))

    def _learn(self, entries: Sequence[_Entry]) -> None:
        unknown = {
            entry.digest: entry.module
            for entry in entries
            if self._cache.cards(entry.digest) is None and entry.digest not in self._failed
        }
        if not unknown:
            return
        modules = list(unknown.values())
        answers: list[Told] = describe(modules) if self._isolated else [tell(each, self._finder) for each in modules]
        for digest, told in zip(unknown, answers, strict=True):
            if told.problem is not None:
                self._failed[digest] = told.problem
            elif told.digest == digest:  # else it changed under our eyes; the next survey sees that
                self._cache.remember(digest, told.cards)
        self._cache.save(self.known())

    def known(self) -> frozenset[str]:
        """The digests last seen."""
        return frozenset(entry.digest for entry in self._entries)

    def _cards(self, entry: _Entry) -> list[ScraperCard]:
        source = str(entry.module.path)
        return [msgspec.structs.replace(card, source=source) for card in self._cache.cards(entry.digest) or ()]

    def _at(self, path: str) -> list[_Entry]:
        if not path.endswith(".py"):
            return []
        file = Path(path).expanduser().resolve()
        return [entry for entry in self._entries if entry.module.path == file]

    def _taken_twice(self) -> dict[str, list[str]]:
        claims: dict[str, dict[str, str]] = {}
        for entry in self._entries:
            for name in entry.names:
                claims.setdefault(name, {}).setdefault(entry.digest, str(entry.module.path))
        return {name: sorted(paths.values()) for name, paths in claims.items() if len(paths) > 1}

    def _missing(self, name: str, entries: Sequence[_Entry]) -> str:
        for entry in entries:
            if entry.digest in self._failed:
                return f"{name!r} cannot be used: {entry.module.path}: {self._failed[entry.digest]}"
        names = sorted({known for entry in self._entries for known in entry.names})
        near = get_close_matches(name, names, n=3, cutoff=0.5)
        hint = (
            f"; did you mean {' or '.join(near)}?"
            if near
            else f"; there are {len(names)}, see `scrapeyard scraper list`."
        )
        broken = "".join(f" Not readable: {each.source} ({each.reason})." for each in self._problems[:3])
        return f"There is no scraper {name!r}{hint}{broken}"

    def _other_version(self, ref: ScraperRef, entries: Sequence[_Entry]) -> str:
        if not entries:
            return self._missing(ref.name, ())
        here = ", ".join(f"{entry.digest[:12]} in {entry.module.path}" for entry in entries)
        return (
            f"The job pins {ref.name} version {ref.version} with digest {ref.digest[:12]}, but what is here is {here}; "
            "put that version back, or retry the items with the version that is here."
        )
