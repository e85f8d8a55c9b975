"""No cell of a CSV is run by a spreadsheet, and no number is spoiled by guarding against it."""

import csv
from pathlib import Path

import pytest

from export.harvest import a_card, harvest
from scrapeyard.export.delimited import safe_cell
from scrapeyard.model.record import Money, Record

FORMULAS = (
    "=1+1",
    "=cmd|'/c calc'!A0",
    "+1+1",
    "-1+1",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "=",
    "+",
    "-",
    "-12.50 =1",
    "-1,2,3",
    "-12.",
    "＝1+1",
    "-٣",
    "+1e",
)
PLAIN = ("-12.50", "+5", "-0", "-1,234.56", "-.5", "-1e5", "12", "a=1", "'=1", "", " =1", "O'Neil", "2026-01-01")


@pytest.mark.parametrize("text", FORMULAS)
def test_a_cell_that_would_be_run_gets_an_apostrophe(text: str):
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_number_or_text_stays_as_it_is(text: str):
    assert safe_cell(text) == text


class Line(Record):
    text: str
    amount: Money


async def test_the_guard_is_on_unless_it_is_switched_off_and_covers_keys_and_headers(tmp_path: Path):
    rows = [("Line", b'{"text":"=1+1","amount":"-12.50"}')]
    made = await harvest(tmp_path, 1, lambda n: rows)
    card = a_card(Line)
    await made.export(card=card)
    with (made.folder / "Line.csv").open(newline="") as file:
        assert list(csv.reader(file))[1] == ["P-000000", "0", "succeeded", "'=1+1", "-12.50"]
    await made.export(card=card, formula_safe=False)
    with (made.folder / "Line.csv").open(newline="") as file:
        assert list(csv.reader(file))[1] == ["P-000000", "0", "succeeded", "=1+1", "-12.50"]
