"""Import exactly the source that was hashed, under a name that nothing else has.

Two scrapers in different folders may both be called `assessment.py`, and one may change while the process runs. So
each version is imported from the bytes in hand, into a package of its own named after its digest; no byte code of an
earlier version can creep in.
"""

import hashlib
import importlib
import sys
from collections.abc import Mapping
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import decode_source
from pathlib import Path
from types import CodeType, ModuleType
from typing import NamedTuple

from scrapeyard.scraping.registry.places import Module
from scrapeyard.scraping.registry.sources import Part


class Source(NamedTuple):
    """One module's text and where it came from."""

    path: Path
    text: bytes
    is_package: bool


class SourceLoader(InspectLoader):
    """Runs modules from text in memory."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = sources

    def is_package(self, fullname: str) -> bool:
        return self._sources[fullname].is_package

    def get_source(self, fullname: str) -> str:
        return decode_source(self._sources[fullname].text)

    def get_code(self, fullname: str) -> CodeType:
        source = self._sources[fullname]
        return compile(source.text, str(source.path), "exec", dont_inherit=True)


class SourceFinder(MetaPathFinder):
    """Finds the modules of imported scrapers; one for each registry, on the interpreter's list of finders."""

    def __init__(self) -> None:
        self._sources: dict[str, Source] = {}
        self._loader = SourceLoader(self._sources)

    def find_spec(self, fullname: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:  # noqa: ARG002 - the interpreter's own signature
        source = self._sources.get(fullname)
        if source is None:
            return None
        spec = ModuleSpec(fullname, self._loader, origin=str(source.path), is_package=source.is_package)
        spec.has_location = True
        if source.is_package:
            spec.submodule_search_locations = []
        return spec

    def load(self, module: Module, digest: str, parts: Mapping[str, Part], texts: Mapping[Path, bytes]) -> ModuleType:
        """Import a module from these texts; raises whatever its code raises."""
        home = hashlib.sha256(str(module.path).encode()).hexdigest()[:8]
        prefix = f"_scrapers_{digest[:16]}_{home}"
        name = f"{prefix}.{module.dotted}" if module.dotted else prefix
        self._sources.update(_named(prefix, parts, texts))
        if self not in sys.meta_path:
            sys.meta_path.append(self)
        try:
            return importlib.import_module(name)
        except BaseException:
            for loaded in [known for known in sys.modules if known == prefix or known.startswith(f"{prefix}.")]:
                del sys.modules[loaded]
            raise


def _named(prefix: str, parts: Mapping[str, Part], texts: Mapping[Path, bytes]) -> dict[str, Source]:
    """Every part under its full name, with empty packages where folders have no `__init__`."""
    found: dict[str, Source] = {}
    for part in parts.values():
        full = f"{prefix}.{part.dotted}" if part.dotted else prefix
        found[full] = Source(part.path, texts[part.path], part.is_package)
        pieces = full.split(".")
        for end in range(1, len(pieces)):
            found.setdefault(".".join(pieces[:end]), Source(Path(f"<{prefix}>"), b"", is_package=True))
    return found
