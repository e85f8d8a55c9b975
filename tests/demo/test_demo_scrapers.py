"""The demo's scrapers against the county: the whole truth of a parcel, absence, the wrong parcel, and a bad day."""

import asyncio
import json
from pathlib import Path

import pytest

from authoring.scraper_files import names, registry
from scrapeyard.demo.county import CountyOptions, Fault, Faults, number_at, profile, serve
from scrapeyard.demo.county.ledger import entries
from scrapeyard.demo.county.portals.dogwood import has_personal_property
from scrapeyard.demo.scrapers import alder, birch, cedar, dogwood, elm, fir, ginkgo, hazel, plain
from scrapeyard.model.states import VisitState
from scrapeyard.testing.trial import Workbench

SCRAPERS = {
    "plain": plain.assessment,
    "alder": alder.assessment,
    "birch": birch.owners,
    "cedar": cedar.ledger,
    "dogwood": dogwood.assessment,
    "elm": elm.bills,
    "fir": fir.bill,
    "ginkgo": ginkgo.parcels,
    "hazel": hazel.account,
}
GHOST = "001-0001-900"


@pytest.fixture
async def county(monkeypatch):
    async with serve(CountyOptions(parcels=2_000)) as county:
        monkeypatch.setenv("COUNTY_URL", county.base_url)
        yield county


@pytest.fixture
async def visit(county, tmp_path):
    """Visit one portal for one parcel."""
    benches = {name: Workbench(scraper) for name, scraper in SCRAPERS.items()}
    yield lambda name, number: benches[name].visit({"parcel_id": number})
    for bench in benches.values():
        await bench.close()


def truth(name, county, place):
    """What this portal's scraper should find, told by the county itself."""
    parcel = county.parcel(place)
    value, number = parcel.values[0], parcel.number
    base = {"parcel_id": number}
    total = f"{value.total}"
    match name:
        case "plain":
            use = f"{parcel.use_code} {parcel.use}"
            taxable = f"{value.taxable}"
            rest = {"owner": parcel.owner or None, "situs": parcel.situs, "land_use": use}
            return [base | rest | {"total_value": total, "taxable_value": taxable}]
        case "alder":
            first = base | {"owner": parcel.owner or None, "situs": parcel.situs, "total_value": total}
            return [first, *(base | {"year": one.year, "total_value": f"{one.total}"} for one in parcel.values)]
        case "birch":
            owners = [base | {"name": one.name, "share": f"{one.percent}%"} for one in parcel.owners]
            return owners + [base | {"day": str(one.sold_on), "price": f"{one.price}"} for one in parcel.sales]
        case "cedar":
            return [
                base | {"day": str(one.booked), "what": one.what, "amount": f"{one.amount / 100:.2f}"}
                for one in entries(parcel)
            ]
        case "dogwood":
            return [base | {"situs": parcel.situs, "total_value": total}]
        case "elm":
            return [
                base
                | {"year": one.year, "due": str(one.due), "amount": f"{one.amount / 100:.2f}"}
                | {"paid_on": str(one.paid_on) if one.paid_on else None, "status": one.status}
                for one in parcel.bills
            ]
        case "ginkgo":
            owners = [base | {"name": one.name, "percent": one.percent} for one in parcel.owners]
            return [base | {"situs": parcel.situs, "total_value": total}, *owners]
        case "hazel":
            unpaid = sum(one.status != "PAID" for one in parcel.bills)
            taxable = f"{value.taxable}"
            return [base | {"owner": parcel.owner or None, "taxable_value": taxable, "unpaid_bills": unpaid}]
        case _:
            raise AssertionError(name)


def rows(trial):
    return [json.loads(line) for _, line in trial.rows]


@pytest.mark.parametrize("name", [name for name in SCRAPERS if name != "fir"])
async def test_a_scraper_finds_the_whole_truth(county, visit, name):
    for place in range(0, 2_000, 167):
        trial = await visit(name, number_at(place))
        assert trial.state is VisitState.SUCCEEDED, trial.detail
        assert rows(trial) == truth(name, county, place)


def test_the_registry_finds_them_all_by_the_name_of_their_package(tmp_path):
    found = registry(tmp_path, "scrapeyard.demo.scrapers", isolated=True)
    assert names(found) == sorted(f"county.{name}" for name in SCRAPERS)
    assert found.broken() == []
    card = found.find("county.fir")
    assert card.expect == ("account", "bill")
    assert found.load(card.ref).card == card


def test_none_of_them_is_longer_than_an_author_would_bear():
    for module in (alder, birch, cedar, dogwood, elm, fir, ginkgo, hazel, plain):
        assert sum(bool(line.strip()) for line in Path(str(module.__file__)).read_text().splitlines()) < 40


async def test_a_bill_is_kept_as_the_file_that_it_is(county, visit):
    trial = await visit("fir", number_at(5))
    latest = county.parcel(5).bills[0]
    account, bill = trial.kept
    assert (account.name, bill.name, bill.content_type) == ("account", "bill", "application/pdf")
    assert bill.body.startswith(b"%PDF-")
    [row] = rows(trial)
    assert row["number"] == latest.number
    assert row["balance"] == f"{latest.balance / 100:.2f}"
    assert row["pdf_bytes"] == len(bill.body)


@pytest.mark.parametrize("name", SCRAPERS)
async def test_a_parcel_that_does_not_exist_is_absent_and_no_failure(visit, name):
    trial = await visit(name, GHOST)
    assert trial.state is VisitState.ABSENT, trial.detail


@pytest.mark.parametrize("name", SCRAPERS)
async def test_the_page_of_another_parcel_is_noticed(county, visit, name):
    county.turn(Faults(rates={Fault.WRONG_PARCEL: 1.0}))
    trial = await visit(name, number_at(3))
    assert (trial.state, trial.kind) == (VisitState.FAILED, "wrong_item")


@pytest.mark.parametrize("name", SCRAPERS)
async def test_a_redesign_is_a_failure_and_not_an_empty_record(county, visit, name):
    county.turn(Faults(rates={Fault.REDESIGN: 1.0}))
    trial = await visit(name, number_at(3))
    assert trial.state is VisitState.FAILED or trial.reading == "unreadable", rows(trial)
    assert trial.rows == ()


@pytest.mark.parametrize("name", SCRAPERS)
@pytest.mark.parametrize("fault", [Fault.BLOCKED, Fault.MAINTENANCE, Fault.THROTTLED, Fault.ERROR_5XX, Fault.TRUNCATED])
async def test_a_misbehaving_site_is_a_failure_of_its_own_kind(county, visit, name, fault):
    county.turn(Faults(rates={fault: 1.0}))
    trial = await visit(name, number_at(3))
    kinds = {
        Fault.BLOCKED: {"blocked"},
        Fault.MAINTENANCE: {"maintenance", "parse_empty", "schema_invalid"},
        Fault.THROTTLED: {"rate_limited"},
        Fault.ERROR_5XX: {"site_5xx"},
        Fault.TRUNCATED: {"conn_reset", "bad_body"},
    }
    assert trial.state is VisitState.FAILED
    assert trial.kind in kinds[fault]


async def test_the_account_of_personal_property_is_passed_by(county, visit):
    place = next(place for place in range(2_000) if has_personal_property(7, number_at(place)))
    trial = await visit("dogwood", number_at(place))
    assert rows(trial) == truth("dogwood", county, place)
    trial = await visit("dogwood", "007-0001")
    assert (trial.state, trial.kind) == (VisitState.FAILED, "ambiguous")


async def test_a_session_that_ends_is_told_as_that(monkeypatch):
    async with serve(CountyOptions(parcels=100, session_requests=1)) as county:
        monkeypatch.setenv("COUNTY_URL", county.base_url)
        bench = Workbench(hazel.account)
        trial = await bench.visit({"parcel_id": number_at(3)})
        await bench.close()
    assert (trial.state, trial.kind) == (VisitState.FAILED, "session_expired")


async def test_numbers_that_lost_their_zeros_are_refused_before_they_look_absent(visit):
    trial = await visit("elm", "1-1-1")
    assert (trial.state, trial.kind) == (VisitState.FAILED, "invalid_input")
    assert not trial.sent


async def test_on_a_mild_day_nobody_gets_a_wrong_answer(county, visit):
    county.turn(profile("mild"))
    for name in SCRAPERS:
        if name == "fir":
            continue
        trials = await asyncio.gather(*(visit(name, number_at(place)) for place in range(0, 300, 10)))
        for place, trial in zip(range(0, 300, 10), trials, strict=True):
            assert trial.state is not VisitState.SUCCEEDED or rows(trial) == truth(name, county, place)
