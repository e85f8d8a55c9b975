"""Cases: recorded once, run offline ever after, with differences told field by field, and no secrets in the files."""

import json
import socket

import pytest

from scrapeyard.demo.county import CountyOptions, Fault, Faults, number_at, serve
from scrapeyard.demo.scrapers import alder, birch, cedar, fir, ginkgo, hazel, plain
from scrapeyard.model.errors import BadInput
from scrapeyard.testing.casefiles import read_case
from scrapeyard.testing.cases import cases_below, check, record
from scrapeyard.testing.trial import Workbench

NUMBER = number_at(11)
PORTALS = {
    "plain": plain.assessment,
    "alder": alder.assessment,
    "birch": birch.owners,
    "cedar": cedar.ledger,
    "fir": fir.bill,
    "ginkgo": ginkgo.parcels,
    "hazel": hazel.account,
}


@pytest.fixture
async def county(monkeypatch):
    async with serve(CountyOptions(parcels=500)) as county:
        monkeypatch.setenv("COUNTY_URL", county.base_url)
        yield county


@pytest.fixture
def recorded(county, tmp_path):
    """Visit once and keep the case; the county is gone afterwards."""

    async def keep(scraper, number=NUMBER, name=""):
        bench = Workbench(scraper)
        trial = await bench.visit({"parcel_id": number})
        await bench.close()
        return record(scraper, trial, tmp_path / "cases", name)

    return keep


@pytest.fixture
def offline(monkeypatch):
    """From now on, touching the network is an error."""

    def cut():
        def refuse(*args, **kwargs):
            raise AssertionError("the network was touched")

        monkeypatch.setattr(socket.socket, "connect", refuse)
        monkeypatch.setattr(socket, "getaddrinfo", refuse)
        monkeypatch.setenv("COUNTY_URL", "http://127.0.0.1:9")

    return cut


@pytest.mark.parametrize("name", PORTALS)
async def test_a_recorded_case_passes_without_the_site(county, recorded, offline, tmp_path, name):
    await recorded(PORTALS[name])
    await county.close()
    offline()
    [case] = cases_below(tmp_path / "cases")
    assert case.expected.outcome == "succeeded"
    assert await check(PORTALS[name], case) == []


@pytest.mark.parametrize("name", ["plain", "alder", "cedar"])
async def test_that_there_is_no_such_parcel_is_a_case_too(county, recorded, offline, tmp_path, name):
    await recorded(PORTALS[name], "001-0001-900")
    offline()
    [case] = cases_below(tmp_path / "cases", PORTALS[name])
    assert case.expected.outcome == "absent"
    assert await check(PORTALS[name], case) == []


async def test_a_failure_is_a_case_with_its_kind(county, recorded, tmp_path):
    county.turn(Faults(rates={Fault.BLOCKED: 1.0}))
    case = await recorded(plain.assessment)
    assert (case.expected.outcome, case.expected.kind) == ("failed", "blocked")
    assert await check(plain.assessment, read_case(case.folder)) == []


async def test_every_changed_field_is_told(recorded, tmp_path):
    case = await recorded(alder.assessment)
    file = case.folder / "expected.json"
    expected = json.loads(file.read_text())
    expected["records"]["Assessment"][0]["owner"] = "SOMEBODY ELSE"
    expected["records"]["YearValue"][1]["year"] = 1900
    del expected["records"]["YearValue"][-1]
    file.write_text(json.dumps(expected))
    told = [str(one) for one in await check(alder.assessment, read_case(case.folder))]
    assert told[0].startswith("Assessment.owner: expected 'SOMEBODY ELSE', found ")
    assert told[1].startswith("YearValue[1].year: expected 1900, found 20")
    assert ": expected no record, found {" in told[2]
    assert len(told) == 3


async def test_an_extractor_that_breaks_is_told_with_its_reason(recorded, tmp_path):
    case = await recorded(plain.assessment)
    page = next((case.folder / "pages").iterdir())
    page.write_text(page.read_text().replace("lblTotalValue", "lblMarketValue"))
    [difference] = await check(plain.assessment, read_case(case.folder))
    assert difference.where == "outcome"
    assert difference.expected == "succeeded"
    assert "parse_empty" in difference.found
    assert "#lblTotalValue" in difference.found


async def test_a_visit_that_asks_for_something_else_is_told_and_its_pages_are_read_all_the_same(recorded):
    case = await recorded(alder.assessment)
    changed = json.loads((case.folder / "inputs.json").read_text()) | {"parcel_id": number_at(12)}
    (case.folder / "inputs.json").write_text(json.dumps(changed))
    told = await check(alder.assessment, read_case(case.folder))
    assert told[0].where == "visit"
    assert "POST" in told[0].found
    assert "with other fields" in told[0].found
    assert told[1].where == "outcome"
    assert "wrong_item" in told[1].found or number_at(12) in told[1].found


async def test_a_case_holds_no_secret(county, recorded):
    case = await recorded(cedar.ledger)
    text = "".join(file.read_text() for file in case.folder.rglob("*") if file.is_file())
    assert "ASP.NET_SessionId=redacted" in text
    assert text.count("ASP.NET_SessionId=") == text.count("ASP.NET_SessionId=redacted")
    assert not case.expected.kind


async def test_recording_again_replaces_the_pages(recorded, county):
    first = await recorded(cedar.ledger, name="same")
    many = len(list((first.folder / "pages").iterdir()))
    again = await recorded(cedar.ledger, "001-0001-900", name="same")
    assert again.folder == first.folder
    assert len(list((again.folder / "pages").iterdir())) < many
    assert await check(cedar.ledger, read_case(again.folder)) == []


async def test_a_page_that_is_answer_and_capture_is_one_file(recorded):
    case = await recorded(plain.assessment)
    assert [file.name for file in (case.folder / "pages").iterdir()] == ["01.html"]
    bill = await recorded(fir.bill)
    assert sorted(file.name for file in (bill.folder / "pages").iterdir()) == ["01.html", "02.pdf"]


@pytest.mark.parametrize("name", ["../up", "", "a/b", ".hidden", "a" * 200, "nul\0"])
async def test_a_name_that_is_no_folder_name_is_refused(recorded, name):
    if name:
        with pytest.raises(BadInput, match="no name for a case"):
            await recorded(plain.assessment, name=name)
    else:
        assert (await recorded(plain.assessment)).name == NUMBER


@pytest.mark.parametrize(
    ("file", "text", "reason"),
    [
        ("pages.json", '{"format": 9, "scraper": "s", "conversation": [], "captures": []}', "format 9"),
        ("pages.json", "{", "not as it should be"),
        ("pages.json", "[" * 100_000, "not as it should be"),
        ("inputs.json", "[]", "not as it should be"),
        ("expected.json", "", "not as it should be"),
    ],
)
async def test_a_spoilt_case_says_which_file_is_wrong(recorded, file, text, reason):
    case = await recorded(plain.assessment)
    (case.folder / file).write_text(text)
    with pytest.raises(BadInput, match=reason) as refused:
        read_case(case.folder)
    assert file in str(refused.value)


async def test_a_case_cannot_reach_for_files_outside_of_its_folder(recorded, tmp_path):
    case = await recorded(plain.assessment)
    index = (case.folder / "pages.json").read_text()
    (case.folder / "pages.json").write_text(index.replace('"01.html"', '"../../../../../../etc/passwd"'))
    with pytest.raises(BadInput, match="no page of the case"):
        read_case(case.folder)


async def test_a_missing_page_is_told(recorded):
    case = await recorded(plain.assessment)
    (case.folder / "pages" / "01.html").unlink()
    with pytest.raises(BadInput, match="cannot be read"):
        read_case(case.folder)
