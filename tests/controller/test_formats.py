"""One list in every format and dress gives the same items."""

import datetime
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from controller.desk import SCHEMA, Desk, check, order, write
from controller.sheets import cell, rows, workbook
from scrapeyard.controller.intake.load import Loaded, load
from scrapeyard.controller.intake.options import IntakeOptions
from scrapeyard.model.job import Job

LIST = [("00123", "Ann Müller", 2021), ("1234", "O'Neil, Bob", 2022), ("77-B", None, None), ("9.5", "Zoë", 2024)]
NAMES = ("Parcel ID", "Owner", "Year")
INPUTS = {
    "00123": b'{"parcel_id":"00123","owner":"Ann M\xc3\xbcller","year":2021}',
    "1234": b'{"parcel_id":"1234","owner":"O\'Neil, Bob","year":2022}',
    "77-B": b'{"parcel_id":"77-B","owner":null,"year":2024}',
    "9.5": b'{"parcel_id":"9.5","owner":"Zo\xc3\xab","year":2024}',
}


def delimited(sign: str = ",", end: str = "\n", hint: str = "") -> str:
    lines = [sign.join(NAMES)]
    lines += [sign.join("" if cell is None else f'"{cell}"' for cell in row) for row in LIST]
    return hint + end.join(lines) + end


def json_lines() -> str:
    return "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in LIST)


def json_array() -> str:
    return json.dumps([dict(zip(NAMES, row, strict=True)) for row in LIST], indent=1)


def parquet() -> bytes:
    columns = {name: [row[place] for row in LIST] for place, name in enumerate(NAMES)}
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, row_group_size=2)
    return out.getvalue()


def sheet() -> bytes:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.append([])
    page.append(list(NAMES))
    for row in LIST:
        page.append(list(row))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


FORMATS: dict[str, Callable[[], str | bytes]] = {
    "csv": delimited,
    "csv of windows": lambda: delimited(end="\r\n"),
    "csv of an old macintosh": lambda: delimited(end="\r"),
    "csv without an end": lambda: delimited().rstrip("\n"),
    "semicolons": lambda: delimited(";"),
    "tabs": lambda: delimited("\t"),
    "bars": lambda: delimited("|"),
    "a spreadsheet's hint": lambda: delimited(";", hint="sep=;\r\n"),
    "blank lines before": lambda: "\n\n" + delimited(),
    "utf-8 with a mark": lambda: delimited().encode("utf-8-sig"),
    "utf-16": lambda: delimited().encode("utf-16"),
    "utf-16 from the other end": lambda: b"\xfe\xff" + delimited().encode("utf-16-be"),
    "windows-1252": lambda: delimited().encode("cp1252"),
    "json lines": json_lines,
    "json array": json_array,
    "parquet": parquet,
    "workbook": sheet,
}


async def items(desk: Desk, source: Path, name: str = "bills", **options: object) -> tuple[dict[str, bytes], Loaded]:
    job: Job = (await desk.service.jobs.open(order(name))).job
    told = await load(desk.service.jobs, job, source, IntakeOptions(schema=SCHEMA, **options), check)  # pyright: ignore[reportArgumentType] - any option
    return {item.key: item.inputs for item in await desk.ledger.items.page(job.id)}, told


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("name", FORMATS)
async def test_every_format_gives_the_same_items(desk: Desk, tmp_path: Path, name: str, packed: bool) -> None:
    body = FORMATS[name]()
    data = body.encode() if isinstance(body, str) else body
    source = write(tmp_path, gzip.compress(data) if packed else data, "a name that tells nothing")
    found, _ = await items(desk, source)
    assert found == INPUTS
    assert list(found) == list(INPUTS)


async def test_what_was_guessed_is_said(desk: Desk, tmp_path: Path) -> None:
    _, told = await items(desk, write(tmp_path, delimited(";").encode("cp1252")))
    assert told.remarks == (
        "read as separated by semicolons",
        "not UTF-8; read as Windows-1252, so check names with accents",
    )
    _, told = await items(desk, write(tmp_path, delimited()), "plain")
    assert told.remarks == ()


@pytest.mark.parametrize("tail", ["é", "é\n", "Müller é"])
async def test_windows_text_is_recognised_even_if_its_last_byte_gives_it_away(
    desk: Desk, tmp_path: Path, tail: str
) -> None:
    padding = "".join(f"{n:08d},plain\n" for n in range(40_000))  # more than one block of plain text
    found, _ = await items(desk, write(tmp_path, f"parcel_id,owner\n{padding}last,{tail}".encode("cp1252")), limit=None)
    assert found  # the first page of the ledger
    job = await desk.service.jobs.get("bills")
    last = await desk.ledger.items.get(job.id, "last")
    assert last is not None
    assert json.loads(last.inputs)["owner"] == tail.strip()


async def test_a_character_on_the_edge_of_two_blocks_is_whole(desk: Desk, tmp_path: Path) -> None:
    for shift in range(4):
        head = "parcel_id,owner\n" + "".join(f"{n:09d},\n" for n in range(23_828)) + "x" * shift
        text = head + "é€😀" * 20 + ",\n"
        found, told = await items(desk, write(tmp_path, text), f"job {shift}", on_bad_row="skip")
        assert told.rejected == 0
        assert told.remarks == ()
        key = text.splitlines()[-1].rstrip(",")
        assert await desk.ledger.items.get((await desk.service.jobs.get(f"job {shift}")).id, key) is not None
        assert found


async def test_a_cell_may_have_several_lines_and_the_next_row_its_right_number(desk: Desk, tmp_path: Path) -> None:
    text = 'sep=,\nparcel_id,owner,year\n1,"Ann\nand Bob\n",2024\n2,x,soon\n'
    found, told = await items(desk, write(tmp_path, text), on_bad_row="skip")
    assert json.loads(found["1"])["owner"] == "Ann\nand Bob\n"
    assert [bad.number for bad in told.bad] == [6]


async def test_numbers_of_a_sheet_come_out_as_a_person_sees_them(desk: Desk, tmp_path: Path) -> None:
    styles = (
        '<numFmts><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="166" formatCode="#,##0.00"/>'
        '<numFmt numFmtId="165" formatCode="000\\-00&quot;/&quot;0"/>'
        '<numFmt numFmtId="167" formatCode="[Red]dd/mm/yyyy;@"/></numFmts>'
        '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/>'
        '<xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="167"/><xf numFmtId="14"/><xf numFmtId="22"/></cellXfs>'
    )
    stored = [
        ('<c s="1"><v>123</v></c>', "00123"),
        ('<c s="2"><v>12345</v></c>', "012-34/5"),
        ('<c s="1"><v>1234567</v></c>', "1234567"),
        ("<c><v>1234.0</v></c>", "1234"),
        ("<c><v>1.5E+3</v></c>", "1500"),
        ("<c><v>12.5</v></c>", "12.5"),
        ('<c s="3"><v>7</v></c>', "7"),
        ('<c s="4"><v>45292</v></c>', "2024-01-01"),
        ('<c s="5"><v>59</v></c>', "1900-02-28"),
        ('<c s="5"><v>61</v></c>', "1900-03-01"),
        ('<c s="6"><v>45292.5</v></c>', "2024-01-01T12:00:00"),
        ('<c s="99"><v>8</v></c>', "8"),
        ('<c t="b"><v>1</v></c>', "TRUE"),
        ('<c t="str"><v>made</v></c>', "made"),
        ('<c t="d"><v>2024-02-03</v></c>', "2024-02-03"),
        ('<c t="s"><v>0</v></c>', "rich text"),
        (cell("&lt;b&gt;"), "<b>"),
    ]
    strings = "<si><r><t>rich </t></r><r><t>text</t></r><rPh><t>aid</t></rPh></si>"
    data = rows([cell("parcel_id")], *([xml] for xml, _ in stored))
    found, _ = await items(desk, write(tmp_path, workbook(data, styles=styles, strings=strings)))
    assert list(found) == [seen for _, seen in stored]


async def test_a_workbook_of_the_macintosh_counts_its_days_from_1904(desk: Desk, tmp_path: Path) -> None:
    data = rows([cell("parcel_id")], ['<c s="0"><v>43830</v></c>'])
    book = workbook(data, styles='<cellXfs><xf numFmtId="14"/></cellXfs>', epoch="1")
    found, _ = await items(desk, write(tmp_path, book))
    assert list(found) == ["2024-01-01"]


async def test_gaps_in_a_sheet_are_gaps_and_bad_rows_have_the_number_of_the_sheet(desk: Desk, tmp_path: Path) -> None:
    data = (
        '<row r="3"><c r="B3" t="str"><v>parcel_id</v></c><c r="D3" t="str"><v>year</v></c></row>'
        '<row r="7"><c r="B7"><v>1</v></c></row><row r="8"/>'
        '<row r="9"><c r="B9"><v>2</v></c><c r="D9" t="str"><v>soon</v></c></row>'
        '<row r="10"><c r="B10"><v>3</v></c><c r="F10"><v>3</v></c></row>'
    )
    found, told = await items(desk, write(tmp_path, workbook(data, sheets=3)), on_bad_row="skip")
    assert list(found) == ["1"]
    assert [(bad.number, bad.reason[:14]) for bad in told.bad] == [(9, "year: Input sh"), (10, "it has 6 cells")]
    assert told.remarks == ("read the first sheet, 'Parcels', of 3",)


async def test_typed_columns_of_parquet_come_out_as_text_would(desk: Desk, tmp_path: Path) -> None:
    table = pa.table(
        {
            "parcel_id": [datetime.date(2024, 2, 3), datetime.date(2024, 2, 4)],
            "owner": pa.array([b"Ann", None], pa.binary()),
            "year": [2021.0, None],
            "unused": [{"deep": [1]}, None],
        }
    )
    pq.write_table(table, tmp_path / "typed.parquet")
    found, _ = await items(desk, tmp_path / "typed.parquet")
    assert found["2024-02-03"] == b'{"parcel_id":"2024-02-03","owner":"Ann","year":2021}'
    assert found["2024-02-04"] == b'{"parcel_id":"2024-02-04","owner":null,"year":2024}'
