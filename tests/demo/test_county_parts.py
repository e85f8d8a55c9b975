"""The parts behind the portals that a visitor meets only indirectly: sessions, sealed state, PDF."""

import re

import pytest

from scrapeyard.demo.county import parcel
from scrapeyard.demo.county.html.template import Template, cents, hidden
from scrapeyard.demo.county.pdf import bill_pdf, one_page
from scrapeyard.demo.county.sessions import Sessions
from scrapeyard.demo.county.viewstate import Seal, StateRefused


def test_the_oldest_session_goes_first_when_there_are_too_many():
    sessions = Sessions(lambda: 0.0, most_sessions=2)
    first, second, third = (sessions.start() for _ in range(3))
    assert sessions.use(first.key) is None
    assert sessions.use(second.key) is second
    assert sessions.use(third.key) is third


@pytest.mark.parametrize("key", [None, "", "unknown"])
def test_an_unknown_key_is_no_session(key):
    assert Sessions(lambda: 0.0).use(key) is None


def test_sealed_state_comes_back_as_it_was():
    seal = Seal(7, "alder")
    assert seal.opened("Search", seal.fields("Search", typed='Ñ&"', stamp=3)) == {"typed": 'Ñ&"', "stamp": 3}


def test_sealed_state_looks_like_that_of_webforms():
    fields = Seal(7, "alder").fields("Search")
    assert fields["__VIEWSTATE"].startswith("/wEP")
    assert len(fields["__VIEWSTATE"]) > 1_000
    assert re.fullmatch("[0-9A-F]{8}", fields["__VIEWSTATEGENERATOR"])


def test_state_of_another_page_portal_or_county_is_refused():
    fields = Seal(7, "alder").fields("Search")
    for seal, page in ((Seal(7, "alder"), "Detail"), (Seal(7, "cedar"), "Search"), (Seal(8, "alder"), "Search")):
        with pytest.raises(StateRefused):
            seal.opened(page, fields)


def test_state_with_one_changed_character_is_refused():
    seal = Seal(7, "alder")
    fields = seal.fields("Search", typed="001")
    view = fields["__VIEWSTATE"]
    changed = view[:12] + ("A" if view[12] != "A" else "B") + view[13:]
    with pytest.raises(StateRefused):
        seal.opened("Search", {**fields, "__VIEWSTATE": changed})


def test_hidden_fields_are_escaped():
    assert 'value="&quot;&gt;"' in hidden({"x": '">'})


def test_a_template_keeps_what_its_charset_lacks_as_a_reference():
    assert Template("<p>{{name}}</p>", "windows-1252").fill({"name": "Ñ 漢"}) == b"<p>\xd1 &#28450;</p>"


@pytest.mark.parametrize(("amount", "text"), [(0, "$0.00"), (123_456_7, "$12,345.67"), (-105, "($1.05)")])
def test_money_is_written_as_counties_write_it(amount, text):
    assert cents(amount) == text


def test_every_object_of_a_pdf_stands_where_its_table_says():
    body = bill_pdf(parcel(7, 0), parcel(7, 0).bills[0])
    start = int(body.rsplit(b"startxref\n", 1)[1].split(b"\n")[0])
    assert body[start:].startswith(b"xref\n0 6\n0000000000 65535 f \n")
    table = body[start:].splitlines()[3:8]
    for number, line in enumerate(table, 1):
        assert body[int(line[:10]) :].startswith(b"%d 0 obj\n" % number)


def test_the_stream_of_a_pdf_is_as_long_as_it_says():
    body = bill_pdf(parcel(7, 3), parcel(7, 3).bills[-1])
    said = re.search(rb"/Length (\d+) >>\nstream\n", body)
    assert said is not None
    assert body[said.end() + int(said[1]) :].startswith(b"\nendstream")


def test_brackets_and_accents_in_a_pdf_are_escaped_and_encoded():
    assert rb"(A \(B\) \\ " + b"\xd1) Tj" in one_page(["A (B) \\ Ñ"])
