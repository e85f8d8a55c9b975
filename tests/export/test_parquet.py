"""A Parquet of ours opens in DuckDB with the types that the scraper's author declared."""

import datetime
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from export.harvest import Bill, Colour, Owner, Part, a_card, ask, harvest
from scrapeyard.model.errors import BadInput
from scrapeyard.model.record import Money, Record

FULL = Bill(
    parcel_id="001-02",
    owner="SMITH, JOHN",
    amount=Decimal("-1234567890123456.78"),
    due=datetime.date(2026, 11, 30),
    seen=datetime.datetime(2026, 11, 18, 10, 0, 0, 123456, tzinfo=datetime.UTC),
    units=9_007_199_254_740_993,
    share=0.25,
    paid=True,
    colour=Colour.RED,
    tags=("a", 'b"c'),
    parts=(Part(area=1.5),),
    ratio=Decimal("0.123456789"),
)


async def test_columns_have_the_types_of_the_model(tmp_path: Path):
    made = await harvest(tmp_path, 2, lambda n: [FULL if n == 0 else Bill(parcel_id="x")])
    await made.export("parquet")
    path = made.folder / "Bill.parquet"
    assert {name: type_ for name, type_, *_ in ask("DESCRIBE SELECT * FROM '{}'", path)} == {
        "_key": "VARCHAR",
        "_seq": "BIGINT",
        "_outcome": "VARCHAR",
        "parcel_id": "VARCHAR",
        "owner": "VARCHAR",
        "amount": "DECIMAL(18,2)",
        "due": "DATE",
        "seen": "TIMESTAMP WITH TIME ZONE",
        "units": "BIGINT",
        "share": "DOUBLE",
        "paid": "BOOLEAN",
        "colour": "VARCHAR",
        "tags": "VARCHAR",
        "parts": "VARCHAR",
        "ratio": "VARCHAR",
    }
    values = "_key, parcel_id, owner, amount, due, epoch_us(seen), units, share, paid, colour, tags, parts, ratio"
    assert ask(f"SELECT {values} FROM '{{}}' ORDER BY _seq", path) == [
        (
            "P-000000",
            "001-02",
            "SMITH, JOHN",
            Decimal("-1234567890123456.78"),
            datetime.date(2026, 11, 30),
            _micros(),
            9_007_199_254_740_993,
            0.25,
            True,
            "red",
            '["a","b\\"c"]',
            '[{"area":1.5}]',
            "0.123456789",
        ),
        ("P-000001", "x", *([None] * 8), "[]", "[]", None),
    ]


def _micros() -> int:
    assert FULL.seen is not None
    return int(FULL.seen.timestamp()) * 1_000_000 + FULL.seen.microsecond


async def test_tables_join_and_add_up_in_sql(tmp_path: Path):
    made = await harvest(tmp_path, 100, lambda n: [Owner(name=str(n))] * (n % 3))
    await made.export("parquet", include_attempts=True)
    out = made.folder
    question = """
        SELECT count(*), sum(i.records) FROM '{0}/items.parquet' i
        WHERE i.records = (SELECT count(*) FROM '{0}/Owner.parquet' o WHERE o._seq = i._seq)
    """
    assert ask(question, out) == [(100, 99)]
    assert ask("SELECT min(started) > '2020-01-01'::TIMESTAMPTZ, count(*) FROM '{}'", out / "attempts.parquet") == [
        (True, 100)
    ]


class Odd(Record):
    amount: Money | None = None
    units: int | None = None
    due: datetime.date | None = None


async def test_a_value_that_no_column_can_hold_is_handed_over_beside_its_table(tmp_path: Path):
    texts = (
        b'{"amount":"99999999999999999.99","units":1}',
        b'{"amount":"1.234"}',
        b'{"amount":"NaN"}',
        b'{"units":99999999999999999999}',
        b'{"due":"30 November"}',
        b'{"amount":"1.50","units":2,"due":"2026-01-01"}',
    )
    made = await harvest(tmp_path, len(texts), lambda n: [("Odd", texts[n])])
    files = await made.export("parquet", card=a_card(Odd))
    assert files == {"items.parquet": 6, "Odd.parquet": 6, "Odd_other.parquet": 5}
    assert ask("SELECT record FROM '{}' ORDER BY _seq", made.folder / "Odd_other.parquet") == [
        ('{"amount":"99999999999999999.99"}',),
        ('{"amount":"1.234"}',),
        ('{"amount":"NaN"}',),
        ('{"units":99999999999999999999}',),
        ('{"due":"30 November"}',),
    ]
    assert ask("SELECT amount, units FROM '{}' ORDER BY _seq", made.folder / "Odd.parquet")[0] == (None, 1)


async def test_a_table_without_rows_still_has_its_types(tmp_path: Path):
    made = await harvest(tmp_path, 1, lambda n: [])
    await made.export("parquet")
    assert ask("SELECT typeof(any_value(amount)), count(*) FROM '{}'", made.folder / "Bill.parquet")[0][1] == 0


async def test_without_pyarrow_one_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = await harvest(tmp_path, 1, lambda n: [])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(BadInput, match=r"pip install 'scrapeyard\[tables\]'"):
        await made.export("parquet")
    assert not made.folder.exists()
