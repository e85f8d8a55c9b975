"""The house stands as ARCHITECTURE.md says: rooms, sizes, and who may import what."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "scrapeyard"
MODULES = sorted(PACKAGE.rglob("*.py"))
AUTHOR_CODE = (PACKAGE / "demo" / "scrapers", PACKAGE / "scraping" / "author" / "templates")


def rooms() -> set[str]:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    files = {path.stem for path in PACKAGE.glob("*.py") if path.stem != "__init__"}
    return folders | files


def test_architecture_names_every_room_and_no_other() -> None:
    named = re.findall(r"^\| `(\w+)` \|", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE)
    states = {"waiting", "offered", "running", "succeeded", "absent", "failed", "uncertain", "cancelled", "skipped"}
    jobs = {"loading", "paused", "finalizing", "completed"}
    assert set(named) - states - jobs == rooms()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_is_over_400_lines_and_no_function_over_60(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, node.name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_module_says_which_problem_it_solves(path: Path) -> None:
    tree = ast.parse(path.read_text())
    if tree.body:
        assert ast.get_docstring(tree), "no module docstring"


def public_methods(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            names = [
                part.name
                for part in node.body
                if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
                and not part.name.startswith("_")
                and not any(isinstance(mark, ast.Name) and mark.id == "property" for mark in part.decorator_list)
            ]
            yield node.name, len(names)


WIDE = {"Page": "authors look for everything a page can say in one place", "Element": "the same, for a part of it"}
"""Classes that may have more than 12 public methods, and why."""


def test_classes_are_narrow() -> None:
    for path in MODULES:
        if "testing" in path.parts:
            continue  # a behaviour suite has as many methods as its port has promises
        for name, count in public_methods(ast.parse(path.read_text())):
            assert count <= 12 or name in WIDE, f"{path.name}: {name} has {count}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_inner_module_imports_from_the_package_root(path: Path) -> None:
    if any(path.is_relative_to(folder) for folder in AUTHOR_CODE):
        return  # these are what an author would write
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.module != "scrapeyard" or path == PACKAGE / "__init__.py"


LATE_IMPORTS_ALLOWED = {
    "demo.py": "the county brings a web server along, which no other command needs",
    "controller.py": "the controller brings a web framework along, which no other command needs",
    "roles.py": "only a fleet that scales loads what scales it",
    "proxies.py": "only a check loads what speaks to proxies",
    "here.py": "a command opens the yard when it needs it, so that help and completion load no scraping library",
}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_stand_at_the_top_unless_they_load_an_extra(path: Path) -> None:
    if path.name in LATE_IMPORTS_ALLOWED:
        return
    extras = {"pyarrow", "python_calamine", "uvloop"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Import):
                    assert {name.name.split(".")[0] for name in inner.names} <= extras, inner.lineno
                if isinstance(inner, ast.ImportFrom):
                    assert (inner.module or "").split(".")[0] in extras, inner.lineno


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("scrapeyard", "wreq"),
        ("scrapeyard.worker.worker", "wreq"),
        ("scrapeyard.worker.worker", "typer"),
        ("scrapeyard.dispatcher", "aiohttp"),
        ("scrapeyard.backends.sqlite", "pydantic"),
    ],
)
def test_a_role_starts_without_what_only_others_need(module: str, unwanted: str) -> None:
    code = f"import sys, {module}; sys.exit({unwanted!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
