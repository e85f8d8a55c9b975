"""The roll: what the county knows is a pure function of seed and place."""

import csv

import pytest

from scrapeyard.demo.county import (
    CountyOptions,
    Fault,
    Faults,
    lasting,
    listed,
    number_at,
    parcel,
    profile,
    steady_numbers,
    write_list,
)
from scrapeyard.demo.county.dial import Verdict
from scrapeyard.demo.county.ledger import entries
from scrapeyard.demo.county.numbers import MOST_PARCELS, ghost_number, index_of, numbers_on_page


def test_every_number_leads_back_to_its_place():
    places = [*range(3_000), 999_999, MOST_PARCELS - 1]
    assert [index_of(number_at(place), MOST_PARCELS) for place in places] == places


def test_numbers_are_all_different_and_have_leading_zeros_and_dashes():
    numbers = [number_at(place) for place in range(5_000)]
    assert len(set(numbers)) == 5_000
    assert numbers[0] == "001-0001-001"


@pytest.mark.parametrize("typed", ["0010001001", " 001-0001-001 ", "001 0001 001"])
def test_dashes_and_blanks_in_a_number_do_not_matter(typed):
    assert index_of(typed, 10) == 0


@pytest.mark.parametrize(
    "typed",
    ["", "1-1-1", "10001001", "001-0001-000", "000-0001-001", "001-0000-001", "٠٠١-٠٠٠١-٠٠١", "x" * 10, "0" * 5_000],
)
def test_what_is_no_number_of_the_roll_is_not_found(typed):
    assert index_of(typed, 2_000) is None


def test_a_number_beyond_the_end_of_the_roll_is_not_found():
    assert index_of(number_at(99), 100) == 99
    assert index_of(number_at(100), 100) is None


def test_ghosts_have_the_form_of_a_number_but_never_a_parcel():
    ghosts = [ghost_number(order) for order in range(2_000)]
    assert len(set(ghosts)) == 2_000
    assert {len(ghost) for ghost in ghosts} == {12}
    assert [ghost for ghost in ghosts if index_of(ghost, MOST_PARCELS) is not None] == []


def test_the_numbers_of_a_book_page_are_in_order_and_in_the_roll():
    assert numbers_on_page("001-0001", 81) == ["001-0001-001", "001-0001-002", "001-0001-003"]
    assert numbers_on_page("001-0001-001", 81) == []


def test_a_list_file_has_all_parcels_and_the_ghosts_strewn_in(tmp_path):
    path = tmp_path / "parcels.csv"
    assert write_list(path, 200, ghosts=10, seed=3) == 210
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    numbers = [row["parcel_id"] for row in rows]
    assert len(set(numbers)) == 210
    assert [one for one in numbers if index_of(one, 200) is not None] == [number_at(place) for place in range(200)]
    assert any(index_of(one, 200) is None for one in numbers[:150])
    assert numbers == list(listed(200, 10, 3))


def test_a_parcel_is_the_same_every_time_and_another_with_another_seed():
    assert parcel(7, 1_234) == parcel(7, 1_234)
    assert parcel(7, 1_234).owners != parcel(8, 1_234).owners or parcel(7, 1_234).values != parcel(8, 1_234).values


def test_the_first_parcel_of_seed_seven_has_not_changed():
    first = parcel(7, 0)
    assert (first.number, first.owner, first.values[0].total) == (
        "001-0001-001",
        "UNDERHILL MARGUERITE & EMMETT",
        342_900,
    )


def test_parcels_differ_in_what_scrapers_stumble_over():
    roll = [parcel(7, place) for place in range(2_000)]
    assert 0 < sum(not one.owners for one in roll) < 60
    assert any(len(one.owners) == 3 for one in roll)
    assert any("&" in one.owner for one in roll)
    assert any("Ñ" in one.owner for one in roll)
    assert any(not one.sales for one in roll)
    assert {bill.status for one in roll for bill in one.bills} == {"PAID", "PARTIAL", "UNPAID", "DELINQUENT"}


def test_shares_of_the_owners_add_up():
    assert {sum(owner.percent for owner in one.owners) for one in (parcel(7, place) for place in range(500))} == {
        0,
        100,
    }


def test_a_ledger_never_fits_on_one_page_of_a_grid():
    lengths = [len(entries(parcel(7, place))) for place in range(1_000)]
    assert min(lengths) > 10
    assert max(lengths) <= 32


def test_the_ledger_adds_up_to_the_balance_of_the_bills():
    for place in range(200):
        one = parcel(7, place)
        assert sum(line.amount for line in entries(one)) == sum(bill.balance for bill in one.bills)


def test_steady_numbers_are_those_without_a_lasting_fault():
    options = CountyOptions(seed=7, parcels=400, faults=Faults(rates={Fault.ABSENT: 0.3}, sticky={Fault.BLOCKED: 0.3}))
    steady = steady_numbers(options, 1_000)
    assert 100 < len(steady) < 300
    assert {lasting(7, options.faults, one.replace("-", "")) for one in steady} == {Verdict()}


def test_the_sentinels_named_in_the_readme_are_steady_on_an_ordinary_day():
    options = CountyOptions(seed=7, parcels=2_000, faults=profile("mild"))
    assert steady_numbers(options, 3) == ["001-0001-001", "002-0001-001", "003-0001-001"]


@pytest.mark.parametrize("parcels", [0, -1, MOST_PARCELS + 1])
def test_a_county_of_impossible_size_is_refused(parcels):
    with pytest.raises(ValueError, match="parcels: take a number from 1"):
        CountyOptions(parcels=parcels)
