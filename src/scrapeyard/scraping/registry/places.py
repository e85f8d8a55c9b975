"""From what a person names (a file, a folder, a package, whatever is installed) to the modules that may hold scrapers.

A module belongs to a root folder, so that `from .shared import …` means the same whichever way the module was found.
"""

import importlib.util
import os
from collections.abc import Iterable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple

from scrapeyard.model.errors import NotFound, Refused

GROUP = "scrapeyard.scrapers"
MOST_FILES = 20_000
DOT = "·"
"""Stands for a dot within the name of a file or folder, such as `us.ca.alameda.py`."""
_SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages"})
_OURS = Path(__file__).resolve().parents[2]


class Root(NamedTuple):
    """A folder that relative imports stay within; `package` is its name for absolute imports, if it has one."""

    folder: Path
    package: str = ""


class Module(NamedTuple):
    """One file of a root, by its dotted name there; empty for the root's own `__init__`."""

    path: Path
    root: Root
    dotted: str


class Places(NamedTuple):
    """What was found, and what could not be looked at, with the reason."""

    modules: list[Module]
    problems: list[tuple[str, str]]


def find_modules(places: Iterable[str], *, installed: bool) -> Places:
    """All modules of these places, each file once, in order of path within a place."""
    found: dict[Path, Module] = {}
    problems: list[tuple[str, str]] = []
    for place in [*places, *(_installed() if installed else ())]:
        try:
            for module in _modules(place):
                found.setdefault(module.path, module)
                if len(found) > MOST_FILES:
                    raise Refused(f"more than {MOST_FILES:,} modules; name a folder that holds only scrapers")
        except (Refused, OSError, ImportError, ValueError) as error:
            problems.append((place, str(error)))
    return Places(list(found.values()), problems)


def _installed() -> list[str]:
    return sorted({entry.value.partition(":")[0].strip() for entry in entry_points(group=GROUP)})


def _modules(place: str) -> Iterator[Module]:
    path = Path(place).expanduser()
    if path.is_dir():
        yield from _folder(path.resolve(), "")
    elif path.is_file():
        file = path.resolve()
        yield _module(file, _root(file.parent, ""))
    elif place.endswith(".py") or os.sep in place or not all(part.isidentifier() for part in place.split(".")):
        raise NotFound(f"there is no file or folder {place!r}; check the path, or name a package such as acme.scrapers")
    else:
        yield from _package(place)


def _package(name: str) -> Iterator[Module]:
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        spec = None
    except Exception as error:  # looking for a.b imports a, which is a stranger's code
        raise Refused(f"{name.rpartition('.')[0]!r} cannot be imported ({type(error).__name__}: {error})") from error
    if spec is None:
        raise NotFound(f"there is no file, folder or package {name!r}; install the package, or give a path")
    folders = list(spec.submodule_search_locations or ())
    for folder in folders:
        yield from _folder(Path(folder).resolve(), name)
    if not folders:
        if spec.origin is None or not spec.origin.endswith(".py"):
            raise NotFound(f"{name!r} has no Python source; name a package that has")
        file = Path(spec.origin).resolve()
        yield _module(file, _root(file.parent, name.rpartition(".")[0]))


def _folder(folder: Path, package: str) -> Iterator[Module]:
    root = _root(folder, package)
    for at, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if _looked_into(Path(at, name)))
        for name in sorted(files):
            if name.endswith(".py") and not name.startswith("."):
                yield _module(Path(at, name), root)


def _looked_into(folder: Path) -> bool:
    return folder.name not in _SKIPPED and not folder.name.startswith(".") and not (folder / "pyvenv.cfg").exists()


def _root(folder: Path, package: str) -> Root:
    """The topmost package above a folder, or the folder itself. What lies in our own package stops short of it: this
    program is no part of a scraper."""
    while (folder / "__init__.py").is_file() and (folder.parent / "__init__.py").is_file() and folder.parent != _OURS:
        folder, package = folder.parent, package.rpartition(".")[0]
    return Root(folder, package)


def _module(path: Path, root: Root) -> Module:
    parts = path.relative_to(root.folder).with_suffix("").parts
    named = [part.replace(".", DOT) for part in (parts[:-1] if parts[-1] == "__init__" else parts)]
    return Module(path, root, ".".join(named))
