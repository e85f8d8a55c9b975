"""`scraper new` writes files that can be imported, checked and understood at once."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from authoring.scraper_files import names, reasons, registry
from scrapeyard.cli.scraper.drafts.code import TEMPLATES, Draft, from_template, literal, value
from scrapeyard.model.errors import BadInput

DRAFT = Draft("us.ca.alameda.assessment", "https://assessor.example/search", {"parcel_id": "001-0001-001"})


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_is_a_whole_scraper_of_less_than_40_lines(tmp_path, template):
    text = from_template(DRAFT, template)
    assert sum(bool(line.strip()) for line in text.splitlines()) < 40
    folder = tmp_path / "scrapers"
    folder.mkdir()
    (folder / DRAFT.file_name).write_text(text)
    found = registry(tmp_path)
    assert reasons(found) == {}
    assert names(found) == ["us.ca.alameda.assessment"]
    card = found.find("us.ca.alameda.assessment")
    assert card.site.name == "assessor.example"
    assert card.sentinels == ("001-0001-001",)
    assert card.key_fields == ("parcel_id",)


def test_all_templates_pass_the_linter(tmp_path):
    for template in TEMPLATES:
        (tmp_path / f"{template.replace('-', '_')}.py").write_text(from_template(DRAFT, template))
    ruff = Path(sys.executable).with_name("ruff")
    select = ["check", "--isolated", "--line-length", "120", "--select", "E,F,I,UP,B,SIM", str(tmp_path)]
    ran = subprocess.run([ruff, *select], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


def test_several_inputs_are_several_fields_and_one_sentinel(tmp_path):
    draft = Draft("us.x", "https://x.example/", {"book": "007", "page": "0012"})
    text = from_template(draft, "one-page")
    assert "    book: str\n    page: str\n" in text
    assert 'sentinels=[{"book": "007", "page": "0012"}]' in text


def test_without_an_example_there_is_no_sentinel():
    assert "sentinels=[]" in from_template(Draft("us.x", "https://x.example/", {"parcel_id": ""}), "one-page")


@pytest.mark.parametrize("name", ["", "Über", "a b", "../x", "a..b", ".a", "a.", "a" * 200, 'x");import os#'])
def test_a_name_that_cannot_be_a_scrapers_is_refused(name):
    with pytest.raises(BadInput, match="no name for a scraper"):
        Draft(name, "https://x.example/", {"parcel_id": ""})


@pytest.mark.parametrize("field", ["", "a b", "class", "_private", "x: int = os.system('x')"])
def test_a_field_that_cannot_be_one_is_refused(field):
    with pytest.raises(BadInput, match="cannot be an input's name"):
        Draft("us.x", "https://x.example/", {field: ""})


def test_an_unknown_template_names_those_that_there_are():
    with pytest.raises(BadInput, match="one-page, disclaimer, several-hits, pdf-bill, many-rows"):
        from_template(DRAFT, "nope")


@pytest.mark.parametrize("text", ['a"b', "a\\", "a\nb", "{x}", "${name}", "'''", "\u2028", "\x00", "é", '"""'])
def test_whatever_stands_in_a_text_it_stays_a_text(text):
    assert ast.literal_eval(literal(text)) == text
    said = value(f"before {text}001-0001-001 after", {"parcel_id": "001-0001-001"})
    parcel = type("Parcel", (), {"parcel_id": "001-0001-001"})
    assert eval(said, {"parcel": parcel}) == f"before {text}001-0001-001 after"
