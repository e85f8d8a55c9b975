"""The other process, in which modules are imported to learn their schemas; run as `python -m`.

A module may print, exit, hang or crash on import. Here that harms nobody: what it prints goes to the error stream,
and the parent knows from the last line which module was being read.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from scrapeyard.model.scraper import ScraperCard
from scrapeyard.scraping.registry.importing import SourceFinder
from scrapeyard.scraping.registry.opening import import_cards, why
from scrapeyard.scraping.registry.places import Module, Root


class Ask(msgspec.Struct, frozen=True):
    """Which modules to import, and the parent's import path."""

    modules: list[tuple[str, str, str, str]]
    path: list[str]


class Told(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the answer. A line with neither digest nor problem says that a module is begun."""

    module: str
    digest: str | None = None
    cards: tuple[ScraperCard, ...] = ()
    problem: str | None = None


def ask_for(modules: Sequence[Module]) -> bytes:
    """The question to write to the other process."""
    rows = [(str(module.path), str(module.root.folder), module.root.package, module.dotted) for module in modules]
    return msgspec.json.encode(Ask(rows, list(sys.path)))


def answers(lines: bytes) -> list[Told]:
    """The lines of an answer, without a last one that was cut short."""
    return [msgspec.json.decode(line, type=Told) for line in lines.split(b"\n")[:-1]]


def tell(module: Module, finder: SourceFinder) -> Told:
    """Import one module and say what came of it."""
    path = str(module.path)
    try:
        digest, cards = import_cards(module, finder)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an author's module can raise anything; it is told
        return Told(path, problem=why(error, path))
    return Told(path, digest, cards)


def main() -> None:
    """Answer one question from standard input, a line for each step."""
    answer = os.dup(1)
    os.dup2(2, 1)  # an author's print must not end up between our lines
    ask = msgspec.json.decode(sys.stdin.buffer.read(), type=Ask)
    sys.path[:] = ask.path
    finder = SourceFinder()
    for path, root, package, dotted in ask.modules:
        _write(answer, Told(path))
        _write(answer, tell(Module(Path(path), Root(Path(root), package), dotted), finder))
    os._exit(0)  # threads that a module started do not keep us


def _write(answer: int, told: Told) -> None:
    line = msgspec.json.encode(told) + b"\n"
    while line:
        line = line[os.write(answer, line) :]


if __name__ == "__main__":
    main()
