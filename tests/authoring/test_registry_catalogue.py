"""Hundreds of modules: known without running them, remembered between starts, and none hidden by a broken neighbour."""

import json

import msgspec
import pytest

from authoring.scraper_files import module, names, reasons, registry, write
from scrapeyard.model.errors import NotFound
from scrapeyard.scraping.registry.describing import describe
from scrapeyard.scraping.registry.places import find_modules

TELLS = "import os, pathlib\npathlib.Path(os.environ['RAN']).open('a').write(__name__ + '\\n')\n"
"""Put before a module, this leaves a trace whenever the module is run."""


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """How often modules with `TELLS` in them were run."""
    trace = tmp_path / "ran.txt"
    monkeypatch.setenv("RAN", str(trace))
    return lambda: len(trace.read_text().splitlines()) if trace.exists() else 0


def test_hundreds_of_modules_are_found_without_running_one(tmp_path, ran):
    write(tmp_path / "scrapers", {f"c{number:03d}.py": module(f"us.c{number}", before=TELLS) for number in range(300)})
    found = registry(tmp_path)
    assert len(found.digests()) == 300
    assert ran() == 0
    ref = found.find("us.c17").ref
    assert found.load(ref).card.ref == ref
    assert ran() == 1  # learning its schemas and loading it is one import


def test_what_was_learnt_is_remembered_at_the_next_start(tmp_path, ran):
    write(tmp_path / "scrapers", {f"c{number}.py": module(f"us.c{number}", before=TELLS) for number in range(20)})
    first = registry(tmp_path).catalogue()
    assert ran() == 20
    assert registry(tmp_path).catalogue() == first
    assert ran() == 20


def test_only_the_changed_module_is_run_again(tmp_path, ran):
    folder = write(tmp_path / "scrapers", {f"c{n}.py": module(f"us.c{n}", before=TELLS) for n in range(5)})
    registry(tmp_path).catalogue()
    write(folder, {"c3.py": module("us.c3", before=TELLS, version="2")})
    assert {card.ref.name: card.ref.version for card in registry(tmp_path).catalogue()}["us.c3"] == "2"
    assert ran() == 6


def test_a_change_is_seen_while_the_process_runs(tmp_path):
    folder = write(tmp_path / "scrapers", {"a.py": module("a")})
    found = registry(tmp_path)
    assert names(found) == ["a"]
    write(folder, {"a.py": module("renamed"), "b.py": module("b")})
    assert names(found) == ["b", "renamed"]
    (folder / "b.py").unlink()
    assert names(found) == ["renamed"]


@pytest.mark.parametrize("spoilt", [b"", b"{", b"[" * 100_000, b"\xff\xfe", b'{"format": "0"}', b'{"files": 3}'])
def test_a_spoilt_cache_costs_time_and_nothing_else(tmp_path, spoilt):
    write(tmp_path / "scrapers", {"a.py": module("a")})
    names(registry(tmp_path))
    (tmp_path / "cache" / "scrapers.json").write_bytes(spoilt)
    assert names(registry(tmp_path)) == ["a"]


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path):
    write(tmp_path / "scrapers", {"a.py": module("a")})
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert names(registry(tmp_path)) == ["a"]


def test_the_cache_forgets_modules_that_are_gone(tmp_path):
    folder = write(tmp_path / "scrapers", {"a.py": module("a"), "b.py": module("b")})
    registry(tmp_path).catalogue()
    (folder / "b.py").unlink()
    write(folder, {"c.py": module("c")})
    registry(tmp_path).catalogue()
    kept = json.loads((tmp_path / "cache" / "scrapers.json").read_bytes())
    assert {name.rpartition("/")[2] for name in kept["files"] if name.endswith(".py")} == {"a.py", "c.py"}
    assert len(kept["cards"]) == 2


def test_a_card_tells_everything_without_the_code(tmp_path):
    write(tmp_path / "scrapers", {"a.py": module("us.a", version="2026.1")})
    card = registry(tmp_path).find("us.a")
    assert (card.ref.version, card.site.name, card.lane, card.key_fields) == (
        "2026.1",
        "county.test",
        "http",
        ("parcel_id",),
    )
    assert card.summary == "What us.a shows."
    assert card.input_schema["required"] == ["parcel_id"]
    assert list(card.record_schemas) == ["Row"]
    assert card.expect == ("page",)
    assert card.has_extractor
    assert msgspec.json.decode(msgspec.json.encode(card), type=type(card)) == card


BROKEN = {
    "raises.py": (module("raises", after="\nraise RuntimeError('no such table')\n"), "no such table"),
    "missing.py": (module("missing", before="import no_such_library\n"), "No module named 'no_such_library'"),
    "ends.py": (module("ends", before="import sys\nsys.exit(3)\n"), "ends the process when it is imported"),
    "syntax.py": ("from scrapeyard import scraper\n@scraper('syntax'\n", "line 2: "),
    "beside.py": (module("beside", before="import shared\n"), "from . import shared"),
    "promise.py": (module("promise").partition("@visit.extractor")[0], "does not say what a visit must bring home"),
    "annotated.py": (module("annotated").replace("http: Http)", "http)"), "without an annotation"),
}


def test_every_broken_module_has_its_reason_and_hides_none_of_the_others(tmp_path):
    texts = {name: text for name, (text, _) in BROKEN.items()}
    write(tmp_path / "scrapers", {**texts, "shared.py": "", "a.py": module("a"), "z.py": module("z")})
    found = registry(tmp_path, isolated=True)
    assert names(found) == ["a", "z"]
    told = reasons(found)
    assert told.keys() == BROKEN.keys()
    for name, (_, reason) in BROKEN.items():
        assert reason in told[name], name


def test_the_reason_names_the_line_of_the_authors_own_code(tmp_path):
    write(tmp_path / "scrapers", {"a.py": "\n" * 9 + "import json\njson.loads('{')\n" + module("a")})
    assert reasons(registry(tmp_path))["a.py"].startswith("line 11: JSONDecodeError")


@pytest.mark.parametrize("end", ["os._exit(7)", "os.kill(os.getpid(), 9)", "os.abort()"])
def test_a_module_that_brings_its_process_down_is_named_and_the_rest_is_read(tmp_path, end):
    texts = {f"{name}.py": module(name) for name in "abyz"}
    write(tmp_path / "scrapers", {**texts, "m.py": module("m", before=f"import os\n{end}\n")})
    found = registry(tmp_path, isolated=True)
    assert names(found) == ["a", "b", "y", "z"]
    assert "ended the process" in reasons(found)["m.py"]


def test_a_module_that_never_ends_is_given_up_and_the_rest_is_read(tmp_path):
    hangs = module("m", before="import threading\nthreading.Event().wait()\n")
    write(tmp_path / "scrapers", {"a.py": module("a"), "m.py": hangs, "z.py": module("z")})
    modules = find_modules([str(tmp_path / "scrapers")], installed=False).modules
    told = describe(modules, seconds=4)
    assert [bool(each.cards) for each in told] == [True, False, True]
    assert told[1].problem == "importing it took longer than 4 s"


def test_a_module_that_prints_disturbs_nobody(tmp_path, capfd):
    noise = "print('{\"module\": 1}')\nimport os\nos.write(1, b'\\n\\n{')\n"
    write(tmp_path / "scrapers", {"a.py": module("a", before=noise), "b.py": module("b")})
    assert names(registry(tmp_path, isolated=True)) == ["a", "b"]
    assert capfd.readouterr().out == ""


def test_a_name_that_two_modules_claim_belongs_to_neither(tmp_path):
    write(
        tmp_path / "scrapers", {"a.py": module("same", tax="1"), "b.py": module("same", tax="2"), "c.py": module("c")}
    )
    found = registry(tmp_path)
    assert names(found) == ["c"]
    told = reasons(found)
    assert "b.py" in told["a.py"]
    assert "a.py" in told["b.py"]
    assert "rename one" in told["a.py"]
    with pytest.raises(NotFound, match=r"a\.py or same in .*b\.py"):
        found.find("same")


def test_two_copies_of_one_scraper_are_the_same_scraper(tmp_path):
    write(tmp_path / "scrapers", {"a.py": module("same"), "copy/b.py": module("same")})
    found = registry(tmp_path)
    assert reasons(found) == {}
    assert set(names(found)) == {"same"}
    assert found.load(found.find("same").ref).card.ref.name == "same"


def test_a_name_twice_in_one_module_is_a_reason(tmp_path):
    text = module("same") + module("same").replace("visit", "again").replace("read(", "read_too(")
    write(tmp_path / "scrapers", {"a.py": text})
    assert "declared twice" in reasons(registry(tmp_path))["a.py"]


def test_a_scraper_that_is_only_imported_belongs_to_the_module_that_declares_it(tmp_path):
    write(
        tmp_path / "scrapers",
        {"a.py": module("a"), "b.py": "from .a import visit\n" + module("b", before="").replace("visit", "other")},
    )
    assert names(registry(tmp_path)) == ["a", "b"]


def test_asking_for_a_broken_scraper_tells_what_is_wrong_with_it(tmp_path):
    write(tmp_path / "scrapers", {"a.py": module("a", after="\nraise RuntimeError('no such table')\n")})
    with pytest.raises(NotFound, match="no such table"):
        registry(tmp_path).find("a")


def test_a_file_that_may_not_be_read_is_a_reason(tmp_path):
    folder = write(tmp_path / "scrapers", {"a.py": module("a")})
    (folder / "dangling.py").symlink_to(folder / "gone.py")
    (folder / "folder.py").mkdir()
    assert names(registry(tmp_path)) == ["a"]
