"""The generated pages are what the code says today, and the documents name nothing that does not exist."""

import re
import shlex
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
import typer

from scrapeyard.cli.main import app

ROOT = Path(__file__).parents[2]


def generated() -> dict[str, str]:
    spec = spec_from_file_location("reference", ROOT / "scripts" / "reference.py")
    sys.path.insert(0, str(ROOT / "scripts"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["reference"] = module
    spec.loader.exec_module(module)
    return module.pages()


PAGES = generated()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_reference_page_is_what_make_docs_would_write(name):
    assert (ROOT / "docs" / "reference" / name).read_text() == PAGES[name], "run `make docs`"


def test_every_setting_command_and_kind_has_a_meaning():
    empty = [
        line
        for name in ("settings.md", "failures.md", "states.md", "commands.md")
        for line in PAGES[name].splitlines()
        if line.startswith("| `") and re.search(r"\|\s*(None)?\s*\|$", line)
    ]
    assert not empty


DOCUMENTS = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.md"))
    if "node_modules" not in path.parts
)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(path):
    for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", path.read_text()):
        assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_in_documents_exist(path):
    known = set(re.findall(r"^## scrapeyard (.+)$", PAGES["commands.md"], re.MULTILINE))
    groups = {name.split()[0] for name in known}
    for block in re.findall(r"```[a-z]*\n(.*?)```", path.read_text(), re.DOTALL):
        for line in re.findall(r"^(?:\$ )?scrapeyard ([a-z-]+(?: [a-z-]+)?)", block, re.MULTILINE):
            first, _, second = line.partition(" ")
            assert first in groups, f"{path.name}: scrapeyard {first}"
            if first not in known:
                assert f"{first} {second}" in known, f"{path.name}: scrapeyard {line}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_in_documents_have_the_options_that_are_shown(path):
    for block in re.findall(r"```[a-z]*\n(.*?)```", path.read_text(), re.DOTALL):
        for line in re.findall(r"^(?:\$ )?scrapeyard ((?:[^\n\\]|\\\n)+)", block, re.MULTILINE):
            words = shlex.split(line.replace("\\\n", " "), comments=True)
            command = typer.main.get_command(app)
            while words and words[0] in (below := getattr(command, "commands", {})):
                command = below[words.pop(0)]
            known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help"}
            shown = {word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)}
            assert shown <= known, f"{path.name}: scrapeyard {line}: {shown - known}"
