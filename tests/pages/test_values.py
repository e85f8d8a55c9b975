"""Numbers, amounts and days as pages write them: exact, or refused."""

import contextlib
import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapeyard.pages.dates import as_date
from scrapeyard.pages.errors import BadValue
from scrapeyard.pages.values import as_integer, as_money, as_number, says_nothing


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("$1,234.50", "1234.50"),
        ("1234.5", "1234.5"),
        ("(1,234.50)", "-1234.50"),
        ("1,234.50-", "-1234.50"),
        ("-$12.00", "-12.00"),
        ("1,234.50 CR", "-1234.50"),
        ("1,234.50 DR", "1234.50"),
        ("US$ 5.00 USD", "5.00"),
        ("\xa0$\u200b0.00\n", "0.00"),
        ("1'234.50", "1234.50"),
        (".50", "0.50"),
        ("$ 1 234 567", "1234567"),
    ],
)
def test_amounts_are_read_exactly(text, amount):
    assert as_money(text) == Decimal(amount)


@pytest.mark.parametrize(
    "text",
    ["", "N/A", "12,34", "1.2 million", "$1 $2 $3", "1,2345.00", "--5", "(5", "5)", "1.234,50", "٣٤", "9" * 61, "1e5"],
)
def test_what_is_not_an_amount_is_refused(text):
    with pytest.raises(BadValue):
        as_money(text)


def test_the_european_style_is_asked_for_by_name():
    assert as_money("1.234,50 €", style="1.234,50") == Decimal("1234.50")
    with pytest.raises(BadValue):
        as_money("1,234.50", style="1.234,50")


def test_a_whole_number_has_no_broken_part():
    assert as_integer("12.00") == 12
    assert as_number("12.5 %") == Decimal("12.5")
    with pytest.raises(BadValue):
        as_integer("12.5")


@given(st.decimals(min_value=-(10**12), max_value=10**12, places=2))
def test_every_amount_that_is_written_out_is_read_back(amount):
    assert as_money(f"${amount:,.2f}".replace("$-", "-$")) == amount


@given(st.text(max_size=80))
def test_no_text_breaks_the_readers(text):
    for read in (as_money, as_number, as_integer, as_date):
        with contextlib.suppress(BadValue):
            read(text)


@pytest.mark.parametrize("text", ["", " ", "--", "N/A", "n.a.", "None", "$", "—", "TBD"])
def test_texts_that_say_nothing(text):
    assert says_nothing(text)


@pytest.mark.parametrize(
    "text",
    ["1/5/2024", "01-05-2024", "01/05/24", "2024-01-05", "20240105", "January 5, 2024", "Jan. 5th, 2024", "5 Jan 2024",
     "05-JAN-24", "Friday, January 5, 2024", "2024-01-05T10:20:30Z", "1/5/2024 3:15 PM"],
)  # fmt: skip
def test_days_are_read_as_americans_write_them(text):
    assert as_date(text) == datetime.date(2024, 1, 5)


@pytest.mark.parametrize("text", ["13/1/2024", "2/30/2024", "tomorrow", "", "1/5", "0/0/0000", "5. Januar 2024"])
def test_what_is_not_a_day_is_refused(text):
    with pytest.raises(BadValue):
        as_date(text)


def test_a_page_that_writes_the_day_first_says_so():
    assert as_date("1/5/2024", "%d/%m/%Y") == datetime.date(2024, 5, 1)
    with pytest.raises(BadValue, match="%d/%m/%Y"):
        as_date("2024-05-01", "%d/%m/%Y")
