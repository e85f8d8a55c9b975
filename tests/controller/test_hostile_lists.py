"""Lists made to hurt, or that only turned out so: a clear refusal, little memory, and nothing lost in silence."""

import gzip
import io
import json
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from controller.desk import SCHEMA, Desk, check, order, write
from controller.sheets import cell, rows, workbook
from scrapeyard.controller.intake.load import Loaded, load
from scrapeyard.controller.intake.options import IntakeLimits, IntakeOptions
from scrapeyard.model.errors import BadInput

SMALL = IntakeLimits(decoded=1 << 20, sheet=1 << 20, strings=1 << 18, whole=1 << 20)


async def items(desk: Desk, source: Path, *, skip: bool = False, limits: IntakeLimits | None = None) -> Loaded:
    job = (await desk.service.jobs.open(order())).job
    options = IntakeOptions(
        schema=SCHEMA,
        on_bad_row="skip" if skip else "fail",
        limits=limits or IntakeLimits(),
        rejects=source.parent / "rejects.csv",
    )
    return await load(desk.service.jobs, job, source, options, check)


@contextmanager
def little_memory() -> Generator[None]:
    """Whatever is done within takes at most 24 MiB."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


async def refused(desk: Desk, source: Path, limits: IntakeLimits | None = None) -> str:
    """What the refusal says, which is the same whether bad rows are skipped or not."""
    said: list[str] = []
    for skip in (False, True):
        with pytest.raises(BadInput) as error:
            await items(desk, source, skip=skip, limits=limits)
        said.append(str(error.value))
    one, other = said
    assert one == other
    assert len(one) < 400
    return one


async def test_a_gzip_bomb_is_given_up_early(desk: Desk, tmp_path: Path) -> None:
    source = tmp_path / "bomb.csv.gz"
    with gzip.open(source, "wb", 6) as file:
        file.write(b"parcel_id,note\n")
        for _ in range(100):
            file.write((b"7," + b" " * 4_000 + b"\n") * 250)
    with little_memory():
        assert "more than is taken of its size" in await refused(desk, source)


async def test_what_unpacks_beyond_the_limit_is_given_up_whatever_its_ratio(desk: Desk, tmp_path: Path) -> None:
    lines = b"parcel_id\n" + b"".join(b"%d\n" % (n * 7_919) for n in range(200_000))
    assert "unpacks to more than 1 MiB" in await refused(desk, write(tmp_path, gzip.compress(lines)), SMALL)


@pytest.mark.parametrize("harm", ["cut", "flipped", "trailing"])
async def test_a_damaged_gzip_is_told_as_such(desk: Desk, tmp_path: Path, harm: str) -> None:
    data = bytearray(gzip.compress(b"parcel_id\n" + b"".join(b"%d\n" % n for n in range(5_000))))
    if harm == "cut":
        del data[-2_000:]
    elif harm == "flipped":
        data[len(data) // 2 : len(data) // 2 + 40] = b"\xff" * 40
    else:
        data[-8:-4] = b"\x00" * 4
    assert "cannot be unpacked" in await refused(desk, write(tmp_path, bytes(data)))


@pytest.mark.parametrize("start", [b"parcel_id\n", b'{"parcel_id": "', b""])
async def test_a_line_without_end_is_refused(desk: Desk, tmp_path: Path, start: bytes) -> None:
    source = tmp_path / "line.csv"
    with source.open("wb") as file:
        file.write(start)
        for _ in range(100):
            file.write(b"x" * (1 << 20))
    with little_memory():
        assert "is longer than 1,048,576 characters" in await refused(desk, source)


async def test_a_quotation_mark_that_is_not_closed_never_swallows_rows_in_silence(desk: Desk, tmp_path: Path) -> None:
    for count in (10, 50_000):
        text = 'parcel_id,owner\n1,"Ann\n' + "".join(f"{n},x\n" for n in range(count))
        said = await refused(desk, write(tmp_path, text))
        assert said.startswith("Line 2 opens a quotation mark that is not closed")


async def test_bytes_that_are_no_text_are_refused_or_spoil_their_row_alone(desk: Desk, tmp_path: Path) -> None:
    assert "neither CSV, JSON lines" in await refused(desk, write(tmp_path, b"parcel_id\n\x00\x01\x02\n"))
    assert "damaged" in await refused(desk, write(tmp_path, "parcel_id\n1\n2\n".encode("utf-16") + b"\x00"))
    padding = "".join(f"{n},é\n" for n in range(2_000)).encode()
    source = write(tmp_path, b"parcel_id,owner\n" + padding + b"a\x00b,\nx\xffy,\nz\x1b[2J,\nok,\xff\nfine,\n")
    told = await items(desk, source, skip=True)
    assert [bad.number for bad in told.bad] == [2_002, 2_003, 2_004, 2_005]
    assert "control character U+0000" in told.bad[0].reason
    assert "U+001B" in told.bad[2].reason
    assert told.accepted == 2_001
    (source.parent / "rejects.csv").read_text("utf-8")


async def test_bytes_that_windows_does_not_know_spoil_their_row_alone(desk: Desk, tmp_path: Path) -> None:
    source = write(tmp_path, b"parcel_id,owner\n1,M\xfcller\n2,\x81\n3,\x9d\n4,x\n")
    told = await items(desk, source, skip=True)
    assert (told.accepted, [bad.number for bad in told.bad]) == (2, [3, 4])


async def test_ten_thousand_columns_are_refused_and_four_thousand_are_not(desk: Desk, tmp_path: Path) -> None:
    names = ",".join(f"c{n}" for n in range(10_000))
    assert "10,001 columns" in await refused(desk, write(tmp_path, f"parcel_id,{names}\n1\n"))
    table = pa.table({"parcel_id": ["1"], **{f"c{n}": [n] for n in range(5_000)}})
    pq.write_table(table, tmp_path / "wide.parquet")
    assert "5,001 columns" in await refused(desk, tmp_path / "wide.parquet")
    wide = '<row><c r="XFD1" t="str"><v>parcel_id</v></c></row>'
    assert "more than 4,096 columns" in await refused(desk, write(tmp_path, workbook(wide)))
    few = ",".join(f"c{n}" for n in range(4_000))
    assert (await items(desk, write(tmp_path, f"parcel_id,{few}\n1\n"))).accepted == 1


async def test_a_missing_column_of_thousands_is_told_in_a_short_sentence(desk: Desk, tmp_path: Path) -> None:
    names = ",".join(f"{n}{'x' * 200}" for n in range(4_000))
    with pytest.raises(BadInput, match="and 3,980 more") as error:
        await items(desk, write(tmp_path, f"{names}\n1\n"))
    assert len(str(error.value)) < 1_500


@pytest.mark.parametrize(
    "line", ["[1]", "7", "null", '{"parcel_id"', '{"parcel_id": {"a": 1}}', '{"x": 1}', "[" * 5_000]
)
async def test_lines_that_are_no_objects_are_bad_rows(desk: Desk, tmp_path: Path, line: str) -> None:
    told = await items(desk, write(tmp_path, f'{{"parcel_id": "1"}}\n{line}\n{{"parcel_id": "2"}}\n'), skip=True)
    assert (told.accepted, [bad.number for bad in told.bad]) == (2, [2])


async def test_a_large_or_broken_array_is_refused(desk: Desk, tmp_path: Path) -> None:
    large = json.dumps([{"parcel_id": str(n)} for n in range(60_000)])
    assert "write one object a line" in await refused(desk, write(tmp_path, large), SMALL)
    assert "not well-formed JSON" in await refused(desk, write(tmp_path, '[{"parcel_id": 1}, '))
    assert "not well-formed JSON" in await refused(desk, write(tmp_path, "[" * 200_000))


async def test_long_keys_and_large_rows_are_bad_rows(desk: Desk, tmp_path: Path) -> None:
    text = f"parcel_id,owner\n{'k' * 600},\n{'o' * 11_000},\n3,{'p' * 140_000}\n4,fine\n"
    told = await items(desk, write(tmp_path, text), skip=True)
    assert (told.accepted, [bad.number for bad in told.bad]) == (1, [2, 3, 4])
    assert all(len(bad.reason) <= 500 for bad in told.bad)


def bomb(part: str, body: bytes, sheet: str = "") -> bytes:
    file = io.BytesIO(workbook(sheet or rows([cell("parcel_id")], [cell("1")])))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(part, body)
    return file.getvalue()


async def test_a_workbook_that_unpacks_to_too_much_is_given_up(desk: Desk, tmp_path: Path) -> None:
    data = rows([cell("parcel_id")]) + "<row></row>" * 200_000
    assert "'xl/worksheets/sheet1.xml'" in await refused(desk, write(tmp_path, workbook(data)), SMALL)
    source = write(tmp_path, bomb("xl/sharedStrings.xml", b"<sst>" + b"<si><t>x</t></si>" * 60_000))
    assert "'xl/sharedStrings.xml'" in await refused(desk, source, SMALL)
    source = write(tmp_path, bomb("xl/styles.xml", b"<styleSheet>" + b" " * (64 << 20)))
    with little_memory():
        assert "'xl/styles.xml'" in await refused(desk, source)


async def test_a_workbook_that_lies_about_its_size_is_not_believed(desk: Desk, tmp_path: Path) -> None:
    data = bytearray(workbook(rows([cell("parcel_id")]) + "<row></row>" * 200_000))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as packed:
        size = packed.getinfo("xl/worksheets/sheet1.xml").file_size
    lied = bytes(data).replace(struct.pack("<I", size), struct.pack("<I", 100))
    with little_memory():
        assert await refused(desk, write(tmp_path, lied), SMALL)


async def test_two_cells_in_the_corners_do_not_make_a_sheet_of_billions(desk: Desk, tmp_path: Path) -> None:
    data = (
        '<row r="1"><c r="A1" t="str"><v>parcel_id</v></c></row>'
        '<row r="1048576"><c r="A1048576" t="str"><v>last</v></c></row>'
    )
    with little_memory():
        assert (await items(desk, write(tmp_path, workbook(data)))).accepted == 1


@pytest.mark.parametrize(
    "data",
    [
        "<row><c r='7'><v>1</v></c></row>",
        "<row><c r=''><v>x</v></c></row>",
        "<row><c t='s'><v>99</v></c></row>",
        "<row><c t='s'><v>-1</v></c></row>",
        "<row><c s='x'><v>1</v></c></row>",
        "<row r='x'></row>",
        "<row><c>",
        "",
    ],
)
async def test_a_sheet_that_is_wrong_is_told_as_such(desk: Desk, tmp_path: Path, data: str) -> None:
    assert "workbook" in await refused(desk, write(tmp_path, workbook(data)))


async def test_a_workbook_with_entities_is_refused(desk: Desk, tmp_path: Path) -> None:
    evil = b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><sst><si><t>&b;</t></si></sst>'
    assert "document type" in await refused(desk, write(tmp_path, bomb("xl/sharedStrings.xml", evil)))


async def test_a_zip_that_is_no_workbook_and_an_old_workbook_are_refused(desk: Desk, tmp_path: Path) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("readme.txt", "hello")
    assert "workbook cannot be read" in await refused(desk, write(tmp_path, file.getvalue()))
    assert "workbook cannot be read" in await refused(desk, write(tmp_path, file.getvalue()[:40]))
    assert "save it as .xlsx or CSV" in await refused(desk, write(tmp_path, b"\xd0\xcf\x11\xe0" + b"\0" * 600))


async def test_a_damaged_parquet_is_refused_at_the_row(desk: Desk, tmp_path: Path) -> None:
    out = io.BytesIO()
    pq.write_table(pa.table({"parcel_id": [str(n * 7_919) for n in range(20_000)]}), out, compression="gzip")
    data = bytearray(out.getvalue())
    assert "Parquet file cannot be read" in await refused(desk, write(tmp_path, bytes(data[:500])))
    data[1_000:1_400] = zlib.compress(b"x" * 10).ljust(400, b"\xff")
    assert "Parquet file is damaged" in await refused(desk, write(tmp_path, bytes(data)))
    pq.write_table(pa.table({"parcel_id": ["x" * 1_000] * 1_000}), flat := tmp_path / "flat", use_dictionary=False)
    assert flat.stat().st_size < 100_000
    assert "unpacks to" in await refused(desk, flat, IntakeLimits(sheet=100_000))
