"""What an author asks of a page, with both parsers behind the seam."""

from decimal import Decimal

import pytest

from scrapeyard.pages.errors import BadSelector, BadValue, Missing, TooBig, WrongItem
from scrapeyard.pages.page import Page
from scrapeyard.pages.parsing import TURBO
from scrapeyard.pages.parsing.lexbor import LEXBOR

HTML = """<html><head><title> Parcel  7 </title><base href="/county/"></head><body>
<h1 id=pid>001-0001-001</h1><p id=owner>SMITH,&nbsp;JO<br>SMITH, AL</p><p id=empty> </p>
<table id=v><caption>Values</caption><tr><th>Year<th>Land<th>Land</tr>
<tr><td rowspan=2>2024<td>$1,000<td>$2,000</tr><tr><td>$3,000<td>(4,000.00)</tr></table>
<table><tr><td>Owner Name:</td><td>JO SMITH</td></tr><tr><td><b>Acres</b></td><td> 1.25 </td></tr></table>
<dl><dt>Land Use<dd>0100 SINGLE<dt>District</dl>
<label for=z>Zone</label><input id=z value="R-1"> <b>Status:</b> PAID
<a class=bill href="bill?y=1&amp;z=2">View bill</a> <a href="javascript:alert(1)">Bad</a>
<a href="//other.example/x">Other</a><a href="mailto:a@b.c">Mail</a>
<script>var cfg = {"token": "abc", "deep": {"n": [1, 2]}}; var other = 5;</script>
<div style="display:none">no records found</div><p>Two   words
here</p></body></html>"""
URL = "https://county.example/app/page?x=1"


@pytest.fixture(params=[TURBO, LEXBOR], ids=lambda parser: parser.name)
def page(request):
    return Page(HTML.encode(), URL, headers=(("Content-Type", "text/html; charset=utf-8"),), parser=request.param)


def test_text_is_one_tidy_line(page):
    assert page.text("#pid", must_equal="001-0001-001") == "001-0001-001"
    assert page.text("#owner") == "SMITH, JO SMITH, AL"
    assert page.title == "Parcel 7"


def test_what_is_missing_or_empty_is_an_error_or_the_default(page):
    for selector in ("#nothing", "#empty"):
        with pytest.raises(Missing, match=selector):
            page.text(selector)
        assert page.text(selector, default=None) is None


def test_another_items_page_is_noticed(page):
    with pytest.raises(WrongItem, match="001-0001-001"):
        page.text("#pid", must_equal="002-0001-001")


def test_a_broken_selector_is_the_scrapers_fault(page):
    with pytest.raises(BadSelector):
        page.text("div[[")


def test_values_stand_beside_their_labels(page):
    assert page.value_beside("owner name") == "JO SMITH"
    assert page.value_beside("Acres") == "1.25"
    assert page.value_beside("Land Use") == "0100 SINGLE"
    assert page.value_beside("Zone") == "R-1"
    assert page.value_beside("Status") == "PAID"
    with pytest.raises(Missing):
        page.value_beside("District")
    assert page.value_beside("Nowhere", default="-") == "-"


def test_tables_are_laid_on_a_grid(page):
    rows = page.table("#v")
    assert rows == page.table("Values")
    assert rows == [
        {"Year": "2024", "Land": "$1,000", "Land 2": "$2,000"},
        {"Year": "2024", "Land": "$3,000", "Land 2": "(4,000.00)"},
    ]
    assert page.money("#v tr:nth-child(3) td:nth-child(2)") == Decimal("-4000.00")


def test_links_are_absolute_and_only_of_the_web(page):
    assert page.link("a.bill") == page.link("View bill") == "https://county.example/county/bill?y=1&z=2"
    assert [link.url for link in page.links()] == [
        "https://county.example/county/bill?y=1&z=2",
        "https://other.example/x",
    ]
    with pytest.raises(BadValue):
        page.link("Bad")


def test_only_what_is_seen_is_said(page):
    assert page.says("two words here")
    assert not page.says("no records found")


def test_json_in_a_script_is_data(page):
    assert page.json_in_script("cfg") == {"token": "abc", "deep": {"n": [1, 2]}}
    assert page.json_in_script("nothing", default=None) is None


def test_xpath_gives_elements_and_texts():
    page = Page(HTML.encode(), URL)
    assert page.xpath("//h1/@id") == ["pid"]
    [heading] = page.xpath("//h1")
    assert not isinstance(heading, str)
    assert heading.text() == "001-0001-001"


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("Müller".encode("latin-1"), "text/html; charset=iso-8859-1", "Müller"),
        ("“quoted”".encode("cp1252"), "text/html; charset=iso-8859-1", "“quoted”"),
        ("Müller".encode(), "text/html", "Müller"),
        (b"\xef\xbb\xbf" + "Müller".encode(), "text/html; charset=latin-1", "Müller"),
        (b"<meta charset=windows-1252>" + "Müller".encode("cp1252"), "", "Müller"),
        ("Müller".encode(), "text/html; charset=nonsense", "Müller"),
    ],
)
def test_the_character_set_is_found_as_browsers_find_it(body, content_type, text):
    page = Page(body, URL, headers=(("content-type", content_type),))
    assert page.says(text)


@pytest.mark.parametrize(
    "body",
    [
        b"<div>" * 20_000,
        b"<table><tr>" + b"<td colspan=1000 rowspan=65534>x" * 50,
        b"\x00" * 10_000 + b"<p id=a>1",
        b"<!--" * 50_000,
        b"<a href='" + b"x" * 1_000_000,
        bytes(range(256)) * 100,
    ],
    ids=["deep", "spans", "nul", "comments", "long", "noise"],
)
@pytest.mark.parametrize("parser", [TURBO, LEXBOR], ids=lambda parser: parser.name)
def test_a_hostile_page_has_no_answers_or_is_refused(body, parser):
    page = Page(body, URL, parser=parser)
    try:
        found = page.text("#nothing", default=None)
    except TooBig:
        return  # the second parser's own depth is bounded
    assert found is None
    assert page.value_beside("Owner", default=None) is None
    assert not page.says("no such words")
    assert len(page.links()) <= 1


def test_a_table_of_a_billion_cells_is_refused():
    rows = b"".join(b"<tr>" + b"<td colspan=999>x" + b"</tr>" for _ in range(300))
    with pytest.raises(TooBig):
        Page(b"<table>" + rows + b"</table>", URL).table()


def test_a_page_that_is_only_kept_is_never_parsed():
    class Refusing:
        name = "refusing"

        def parse(self, body: bytes, charset: str):
            raise AssertionError("parsed")

    page = Page(HTML.encode(), URL, parser=Refusing())  # pyright: ignore[reportArgumentType] - it must not be asked
    assert page.body.startswith(b"<html>")
    assert page.status == 200
