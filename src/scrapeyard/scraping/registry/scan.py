"""What a module's source says about its scrapers and its imports, read without running it.

Hundreds of modules are looked at on each start; importing them all would take seconds, and one with a mistake in it
could stop the rest. The text alone tells the names, and which modules beside it belong to the scraper.
"""

import ast
import hashlib

import msgspec

LARGEST_MODULE = 2 * 1024 * 1024
_HOME = "scrapeyard"


class Import(msgspec.Struct, frozen=True, array_like=True):
    """One import: `level` dots, the module after them, and the names taken from it."""

    level: int
    module: str
    names: tuple[str, ...] = ()


class Scan(msgspec.Struct, frozen=True):
    """What one file's source says. `problem` is why nothing can be said."""

    sha256: str
    scrapers: tuple[str, ...] = ()
    imports: tuple[Import, ...] = ()
    problem: str | None = None


def fingerprint(source: bytes) -> str:
    """A digest that is the same for a checkout with other line endings."""
    return hashlib.sha256(source.replace(b"\r\n", b"\n")).hexdigest()


def scan(source: bytes) -> Scan:
    """Read one module's source."""
    mark = fingerprint(source)
    if len(source) > LARGEST_MODULE:
        return Scan(mark, problem=f"the module is larger than {LARGEST_MODULE:,} bytes")
    try:
        return _said(ast.parse(source), mark)
    except SyntaxError as error:
        return Scan(mark, problem=f"line {error.lineno or 1}: {error.msg}")
    except (ValueError, RecursionError, MemoryError) as error:
        return Scan(mark, problem=f"it cannot be read as Python ({type(error).__name__} {error})".replace(" )", ")"))


def _said(tree: ast.Module, mark: str) -> Scan:
    imports = tuple(_imports(tree))
    calls = _called(tree)
    scrapers: list[str] = []
    problem: str | None = None
    for node in tree.body:
        for call in _declarations(node, calls):
            name = call.args[0] if call.args else None
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                scrapers.append(name.value)
            else:
                problem = f"line {call.lineno}: a scraper's name must be written out as the first argument of @scraper"
    return Scan(mark, tuple(scrapers), imports, problem)


def _imports(tree: ast.Module) -> list[Import]:
    found: dict[Import, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found[Import(node.level, node.module or "", tuple(alias.name for alias in node.names))] = None
        elif isinstance(node, ast.Import):
            found.update((Import(0, alias.name), None) for alias in node.names)
    return list(found)


def _called(tree: ast.Module) -> frozenset[str]:
    """How this module calls the decorator: `scraper`, its alias, or `scrapeyard.scraper` under its alias."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == _HOME:
            found.update(alias.asname or alias.name for alias in node.names if alias.name == "scraper")
        elif isinstance(node, ast.Import):
            found.update(f"{alias.asname or alias.name}.scraper" for alias in node.names if alias.name == _HOME)
    return frozenset(found)


def _declarations(node: ast.stmt, calls: frozenset[str]) -> list[ast.Call]:
    if not isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef):
        return []
    return [
        decorator
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) in calls
    ]
