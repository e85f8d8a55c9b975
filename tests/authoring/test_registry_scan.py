"""What a module's source tells without running it: names, imports, and why it cannot be read."""

import pytest

from authoring.scraper_files import module
from scrapeyard.scraping.registry.scan import LARGEST_MODULE, scan


def declared(text):
    return scan(text.encode()).scrapers


def test_a_scraper_is_known_by_its_written_name():
    assert declared(module("us.ca.alameda")) == ("us.ca.alameda",)


@pytest.mark.parametrize(
    ("imported", "decorator"),
    [
        ("from scrapeyard import scraper as task", "task"),
        ("import scrapeyard", "scrapeyard.scraper"),
        ("import scrapeyard as yard", "yard.scraper"),
        ("from scrapeyard.scraping.author.declare import scraper", "scraper"),
    ],
)
def test_the_decorator_may_have_another_name(imported, decorator):
    assert declared(f'{imported}\n\n@{decorator}("a", site="s")\nasync def visit(): ...\n') == ("a",)


def test_a_decorator_of_that_name_from_elsewhere_is_not_ours():
    assert declared('from other import scraper\n\n@scraper("a")\nasync def visit(): ...\n') == ()


def test_a_name_that_is_worked_out_is_a_problem_with_its_line():
    said = scan(b'from scrapeyard import scraper\n\nNAME = "a"\n\n@scraper(NAME)\nasync def visit(): ...\n')
    assert said.problem is not None
    assert said.problem.startswith("line 5: a scraper's name must be written out")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (b"def visit(:\n", "line 1: "),
        (b"\n\nif True:\npass\n", "line 4: "),
        (b"x = '\xff'\n", "utf-8"),
        (b"a\0b", "null bytes"),
        (b"(" * 5_000, "too many nested parentheses"),
        (b"x = " + b"-" * 200_000 + b"1", "it cannot be read as Python ("),
        (b"@a" + b".b" * 50_000 + b"()\nasync def visit(): ...\n", "it cannot be read as Python ("),
        (b"#" * (LARGEST_MODULE + 1), "larger than"),
    ],
    ids=["syntax", "indent", "charset", "null", "parentheses", "depth", "chain", "size"],
)
def test_a_module_that_cannot_be_read_says_why(source, reason):
    said = scan(source)
    assert said.scrapers == ()
    assert said.problem is not None
    assert reason in said.problem


def test_line_endings_do_not_change_the_fingerprint():
    text = module("a").encode()
    assert scan(text).sha256 == scan(text.replace(b"\n", b"\r\n")).sha256
    assert scan(text).sha256 != scan(text + b"# changed\n").sha256
