"""A job pins a scraper by content: the digest covers the module and all that it imports from its own root."""

import threading

import pytest

from authoring.scraper_files import module, registry, write
from scrapeyard.model.errors import NotFound
from scrapeyard.model.scraper import ScraperRef

WITH_SHARED = "from .shared import NAME\nfrom .parts.rates import RATE\n"


@pytest.fixture
def scrapers(tmp_path):
    return write(
        tmp_path / "scrapers",
        {
            "a.py": module("a", before=WITH_SHARED),
            "shared.py": "from . import deeper\nNAME = deeper.NAME\n",
            "deeper.py": "NAME = 'one'\n",
            "parts/rates.py": "RATE = 5\n",
            "beside.py": "OTHER = 1\n",
            "b.py": module("b"),
        },
    )


def digest(tmp_path, name="a"):
    return registry(tmp_path).find(name).ref.digest


@pytest.mark.parametrize("file", ["a.py", "shared.py", "deeper.py", "parts/rates.py"])
def test_a_change_in_any_file_of_its_own_is_another_version(tmp_path, scrapers, file):
    before = digest(tmp_path)
    (scrapers / file).write_text((scrapers / file).read_text() + "# changed\n")
    assert digest(tmp_path) != before


def test_a_change_beside_it_is_not(tmp_path, scrapers):
    before = digest(tmp_path)
    write(scrapers, {"beside.py": "OTHER = 2\n", "b.py": module("b", tax="9"), "new.py": ""})
    assert digest(tmp_path) == before


def test_a_package_that_begins_to_say_something_is_a_change(tmp_path, scrapers):
    before = digest(tmp_path)
    write(scrapers, {"parts/__init__.py": "print('hello')\n"})
    assert digest(tmp_path) != before


def test_the_digest_is_the_same_in_another_folder_and_under_another_file_name(tmp_path, scrapers):
    before = digest(tmp_path)
    scrapers.rename(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "a.py").rename(tmp_path / "elsewhere" / "renamed.py")
    moved = registry(tmp_path, tmp_path / "elsewhere").find("a")
    assert moved.ref.digest == before
    assert moved.source.endswith("renamed.py")


def test_a_checkout_with_other_line_endings_is_the_same_version(tmp_path, scrapers):
    before = digest(tmp_path)
    for file in scrapers.rglob("*.py"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert digest(tmp_path) == before


def test_modules_that_import_each_other_have_a_digest_all_the_same(tmp_path):
    write(
        tmp_path / "scrapers",
        {"a.py": module("a", before="from . import x\n"), "x.py": "from . import y\n", "y.py": "from . import x\n"},
    )
    found = registry(tmp_path)
    assert found.load(found.find("a").ref).card.ref.name == "a"


def test_a_pinned_version_that_is_gone_is_refused_with_what_is_here(tmp_path, scrapers):
    found = registry(tmp_path)
    old = found.find("a").ref
    write(scrapers, {"deeper.py": "NAME = 'two'\n"})
    new = found.find("a").ref
    assert found.load(new).card.ref == new
    with pytest.raises(
        NotFound, match=f"pins a version 1 with digest {old.digest[:12]}, but what is here is {new.digest[:12]}"
    ):
        found.load(old)
    assert old.digest not in found.digests()
    assert new.digest in found.digests()


def test_a_pinned_version_is_served_even_if_two_modules_claim_its_name(tmp_path):
    write(tmp_path / "scrapers", {"a.py": module("same", tax="1"), "b.py": module("same", tax="2")})
    found = registry(tmp_path)
    for each in found.digests():
        assert found.load(ScraperRef("same", "1", each)).card.ref.digest == each


def test_each_version_runs_its_own_code_in_one_process(tmp_path):
    folder = tmp_path / "scrapers"
    found = registry(tmp_path)
    taxes: list[object] = []
    for tax in ("seven", "eight", "nine"):
        write(
            folder,
            {
                "a.py": module("a", before="from .shared import TAX\n").replace('"none"', "TAX"),
                "shared.py": f"TAX = {tax!r}\n",
            },
        )
        loaded = found.load(found.find("a").ref)
        taxes.append(loaded.card.record_schemas["Row"]["properties"]["tax"]["default"])  # type: ignore[index] - JSON
    assert taxes == ["seven", "eight", "nine"]


def test_two_modules_of_one_name_in_two_folders_do_not_meet(tmp_path):
    for name in ("one", "two"):
        write(
            tmp_path / name,
            {
                "county.py": module(name, before="from .shared import TAX\n").replace('"none"', "TAX"),
                "shared.py": f"TAX = {name!r}\n",
            },
        )
    found = registry(tmp_path, tmp_path / "one", tmp_path / "two")
    for name in ("one", "two"):
        loaded = found.load(found.find(name).ref)
        assert loaded.card.record_schemas["Row"]["properties"]["tax"]["default"] == name  # type: ignore[index] - JSON


def test_a_module_that_failed_works_once_it_is_mended(tmp_path):
    folder = write(tmp_path / "scrapers", {"a.py": module("a", after="\n1 / 0\n")})
    found = registry(tmp_path)
    with pytest.raises(NotFound, match="division by zero"):
        found.find("a")
    write(folder, {"a.py": module("a")})
    assert found.load(found.find("a").ref).card.ref.name == "a"


def test_many_threads_may_load_at_once(tmp_path, scrapers):
    found = registry(tmp_path)
    ref = found.find("a").ref
    loaded: list[str] = []
    threads = [threading.Thread(target=lambda: loaded.append(found.load(ref).card.ref.digest)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loaded == [ref.digest] * 8
