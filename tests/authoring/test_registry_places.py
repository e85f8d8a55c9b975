"""Where scrapers are found: files, folders, packages and what is installed; and what is not looked at."""

import importlib
import sys

import pytest

from authoring.scraper_files import module, names, reasons, registry, write
from scrapeyard.model.errors import NotFound
from scrapeyard.scraping.registry import places


@pytest.fixture
def on_path(tmp_path, monkeypatch):
    """A folder on the interpreter's import path."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme_scrapers"]:
        del sys.modules[name]
    importlib.invalidate_caches()


def test_scrapers_of_a_folder_are_found_in_all_its_folders(tmp_path):
    write(tmp_path / "scrapers", {"a.py": module("a"), "deep/er/b.py": module("b"), "notes.txt": "scraper"})
    assert names(registry(tmp_path)) == ["a", "b"]


def test_a_module_without_a_scraper_is_no_scraper_and_not_broken(tmp_path):
    write(tmp_path / "scrapers", {"shared.py": "RATE = 5\n", "empty.py": "", "a.py": module("a")})
    found = registry(tmp_path)
    assert names(found) == ["a"]
    assert reasons(found) == {}


def test_two_scrapers_may_live_in_one_module(tmp_path):
    text = module("first") + module("second").replace("visit", "visit_too").replace("read(", "read_too(")
    write(tmp_path / "scrapers", {"two.py": text})
    assert names(registry(tmp_path)) == ["first", "second"]


def test_one_file_can_be_named_alone(tmp_path):
    write(tmp_path / "scrapers", {"a.py": module("a"), "b.py": module("b")})
    assert names(registry(tmp_path, tmp_path / "scrapers" / "b.py")) == ["b"]


def test_a_file_that_two_places_name_is_one_scraper(tmp_path):
    folder = write(tmp_path / "scrapers", {"a.py": module("a")})
    found = registry(tmp_path, folder, folder / "a.py", folder / ".." / "scrapers")
    assert names(found) == ["a"]
    assert reasons(found) == {}


@pytest.mark.parametrize("folder", ["__pycache__", ".git", "node_modules", "site-packages", "env"])
def test_folders_that_hold_no_scrapers_of_ours_are_left_alone(tmp_path, folder):
    write(tmp_path / "scrapers", {"a.py": module("a"), f"{folder}/b.py": module("b"), "env/pyvenv.cfg": ""})
    assert names(registry(tmp_path)) == ["a"]


def test_a_file_name_may_have_dots_in_it(tmp_path):
    write(tmp_path / "scrapers", {"us.ca.alameda.py": module("us.ca.alameda")})
    found = registry(tmp_path)
    assert names(found) == ["us.ca.alameda"]
    assert found.load(found.find("us.ca.alameda").ref).card.ref.name == "us.ca.alameda"


def test_a_package_is_named_with_dots_and_keeps_its_own_imports(tmp_path, on_path):
    write(
        on_path / "acme_scrapers",
        {
            "__init__.py": "",
            "rates.py": "TAX = 'seven'\n",
            "fl/__init__.py": "",
            "fl/leon.py": module("leon", before="from acme_scrapers.rates import TAX\n", after="\nassert TAX\n"),
        },
    )
    found = registry(tmp_path, "acme_scrapers")
    assert names(found) == ["leon"]
    assert found.load(found.find("leon").ref).card.ref.name == "leon"
    before = found.find("leon").ref.digest
    write(on_path / "acme_scrapers", {"rates.py": "TAX = 'eight'\n"})
    assert found.find("leon").ref.digest != before


def test_an_installed_distribution_names_its_scrapers_by_an_entry_point(tmp_path, on_path):
    write(on_path, {"acme_scrapers/__init__.py": "", "acme_scrapers/leon.py": module("leon")})
    write(
        on_path / "acme_scrapers-1.0.dist-info",
        {
            "METADATA": "Metadata-Version: 2.1\nName: acme-scrapers\nVersion: 1.0\n",
            "entry_points.txt": "[scrapeyard.scrapers]\nacme = acme_scrapers\n",
        },
    )
    importlib.invalidate_caches()
    nowhere = tmp_path / "scrapers"
    nowhere.mkdir()
    assert names(registry(tmp_path, nowhere, installed=True)) == ["leon"]
    assert names(registry(tmp_path, nowhere, installed=False)) == []


@pytest.mark.parametrize("place", ["nowhere/at/all", "missing.py", "no_such_package.scrapers", "what is this"])
def test_a_place_that_is_not_there_is_named_and_hides_none_of_the_others(tmp_path, place):
    folder = write(tmp_path / "scrapers", {"a.py": module("a")})
    found = registry(tmp_path, place, folder)
    assert names(found) == ["a"]
    assert [each.source for each in found.broken()] == [place]
    assert "there is no file" in found.broken()[0].reason


def test_a_package_whose_parent_fails_to_import_is_a_reason_and_no_crash(tmp_path, on_path):
    write(on_path, {"acme_scrapers/__init__.py": "1 / 0\n", "acme_scrapers/fl/__init__.py": ""})
    folder = write(tmp_path / "scrapers", {"a.py": module("a")})
    found = registry(tmp_path, "acme_scrapers.fl", folder)
    assert names(found) == ["a"]
    assert "division by zero" in found.broken()[0].reason


def test_a_folder_of_far_too_many_files_is_refused_with_a_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "MOST_FILES", 5)
    write(tmp_path / "scrapers", {f"m{number}.py": "" for number in range(7)})
    assert "more than 5 modules" in registry(tmp_path).broken()[0].reason


def test_a_scraper_can_be_named_by_the_path_of_its_file(tmp_path, monkeypatch):
    folder = write(tmp_path / "scrapers", {"a.py": module("us.a"), "b.py": module("us.b")})
    monkeypatch.chdir(tmp_path)
    assert registry(tmp_path).find("scrapers/a.py").ref.name == "us.a"
    assert registry(tmp_path).find(str(folder / "b.py")).ref.name == "us.b"


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(tmp_path):
    write(tmp_path / "scrapers", {"a.py": module("us.ca.alameda.assessment")})
    with pytest.raises(NotFound, match=r"did you mean us\.ca\.alameda\.assessment"):
        registry(tmp_path).find("us.ca.alamda.assessment")
