"""Which files make up a scraper, and the one digest that stands for them all.

A job pins a scraper by content. If the digest covered the module alone, a change in the shared module beside it would
slip through; if it covered the whole folder, every change would touch every scraper. So it covers the module and what
it imports from its own root, step by step.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from scrapeyard.scraping.registry.places import DOT, Module, Root
from scrapeyard.scraping.registry.scan import Import, Scan

Look = Callable[[Path], Scan | None]
"""What a file's source says; None when there is no such file."""


class Part(NamedTuple):
    """One file of a scraper."""

    dotted: str
    path: Path
    is_package: bool


def parts_of(module: Module, look: Look) -> dict[str, Part]:
    """The module and everything of its root that it imports, by dotted name; the root itself is ``""``."""
    found: dict[str, Part] = {}
    waiting = [module.dotted, *_parents(module.dotted)]
    while waiting:
        dotted = waiting.pop()
        if dotted in found or (part := _part(module.root, dotted, look)) is None:
            continue
        found[dotted] = part
        said = look(part.path)
        for entry in said.imports if said is not None else ():
            for target in _targets(entry, part, module.root.package):
                waiting += [target, *_parents(target)]
    return found


def digest_of(module: Module, parts: dict[str, Part], look: Look) -> str:
    """One digest for all parts, by their place beside the module; the module's own name does not count."""
    marks: list[str] = []
    for part in parts.values():
        said = look(part.path)
        place = "" if part.path == module.path else Path(os.path.relpath(part.path, module.path.parent)).as_posix()
        marks.append(f"{place}\n{said.sha256 if said is not None else ''}\n")
    return hashlib.sha256("".join(sorted(marks)).encode()).hexdigest()


def _part(root: Root, dotted: str, look: Look) -> Part | None:
    base = root.folder.joinpath(*(piece.replace(DOT, ".") for piece in dotted.split("."))) if dotted else root.folder
    package = base / "__init__.py"
    if look(package) is not None:
        return Part(dotted, package, is_package=True)
    file = base.with_name(f"{base.name}.py")
    if dotted and look(file) is not None:
        return Part(dotted, file, is_package=False)
    return None


def _targets(entry: Import, part: Part, package: str) -> list[str]:
    """The dotted names within the root that an import may mean."""
    if entry.level:
        above = part.dotted.split(".") if part.dotted else []
        drop = entry.level - 1 if part.is_package else entry.level
        if drop > len(above):
            return []
        base = ".".join([*above[: len(above) - drop], *([entry.module] if entry.module else [])])
    elif package and (entry.module == package or entry.module.startswith(f"{package}.")):
        base = entry.module[len(package) + 1 :]
    else:
        return []
    return [base, *(f"{base}.{name}" if base else name for name in entry.names if name != "*")]


def _parents(dotted: str) -> list[str]:
    pieces = dotted.split(".")
    return ["", *(".".join(pieces[:end]) for end in range(1, len(pieces)))] if dotted else []
