"""Rows become items: leading zeros kept, keys that can be shown anywhere, refusals that name the field."""

import datetime
from typing import Any

import pytest
from pydantic import Field

from scrapeyard import Inputs
from scrapeyard.model.errors import BadInput
from scrapeyard.scraping.author.inputs import LARGEST_INPUTS, LONGEST_KEY, InputCheck


class One(Inputs):
    parcel_id: str


class Three(Inputs):
    book: str
    page: int = Field(ge=1)
    since: datetime.date | None = None


def refused(check: InputCheck, row: dict[str, Any]) -> str:
    with pytest.raises(BadInput) as raised:
        check.check(row)
    return str(raised.value)


def test_an_only_field_is_the_key_and_text_stays_text() -> None:
    key, inputs = InputCheck(One).check({"parcel_id": "001-07", "Extra Column": "left out"})
    assert (key, inputs) == ("001-07", b'{"parcel_id":"001-07"}')
    assert InputCheck(One).check({"parcel_id": 17})[0] == "17"


def test_named_key_fields_are_joined_without_ambiguity() -> None:
    check = InputCheck(Three, ["book", "page"])
    assert check.check({"book": "7", "page": "12"})[0] == "7|12"
    assert check.check({"book": "7|1", "page": 2})[0] == "7\\|1|2"
    assert check.check({"book": "7\\", "page": 2})[0] == "7\\\\|2"


def test_without_key_fields_the_key_is_a_hash_of_the_inputs_alone() -> None:
    check = InputCheck(Three)
    first = check.check({"book": "7", "page": "12"})[0]
    assert first == check.check({"page": 12, "book": "7", "other": 1})[0]
    assert first != check.check({"book": "07", "page": "12"})[0]
    assert len(first) == 32


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"page": 1}, "book is missing"),
        ({"book": "1", "page": "x"}, "page: "),
        ({"book": "1", "page": "0"}, "not '0'"),
        ({"book": "1", "page": "0", "since": "never"}, "(and 1 more)"),
        ({"book": None, "page": 1}, "book: "),
        ({"book": "x" * 20_000, "page": 1}, "at most 10000"),
        ({"book": ["a"] * 1000, "page": 1}, "…"),
        ({"book": "\ud800", "page": 1}, ""),
    ],
)
def test_a_row_that_does_not_fit_is_refused_by_field(row: dict[str, Any], said: str) -> None:
    told = refused(InputCheck(Three, ["book"]), row)
    assert said in told
    assert len(told) < 400


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("", "the key is empty"),
        ("a\nb", "U+000A"),
        ("a\x00b", "U+0000"),
        ("a\u2028b", "U+2028"),
        ("x" * (LONGEST_KEY + 1), "at most 512"),
    ],
)
def test_a_key_that_cannot_be_shown_is_refused(key: str, said: str) -> None:
    assert said in refused(InputCheck(One), {"parcel_id": key})


def test_inputs_have_a_size() -> None:
    class Wide(Inputs):
        a: list[str]
        key: str

    told = refused(InputCheck(Wide, ["key"]), {"a": ["x" * 9_000] * 40, "key": "1"})
    assert f"{LARGEST_INPUTS:,}" in told


def test_a_key_field_that_is_no_input_is_refused() -> None:
    with pytest.raises(BadInput, match="'pin' is not an input"):
        InputCheck(One, ["pin"])
