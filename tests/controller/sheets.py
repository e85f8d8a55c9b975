"""Workbooks written by hand, because what a hostile one says no library would write."""

import zipfile
from collections.abc import Sequence
from io import BytesIO

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_BOOK = (
    f'<workbook {_MAIN} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<workbookPr date1904="{epoch}"/><sheets>{sheets}</sheets></workbook>'
)
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>'
)


def cell(text: str) -> str:
    return f'<c t="inlineStr"><is><t>{text}</t></is></c>'


def rows(*cells: Sequence[str]) -> str:
    return "".join(f"<row>{''.join(row)}</row>" for row in cells)


def workbook(data: str, *, styles: str = "", strings: str = "", sheets: int = 1, epoch: str = "0") -> bytes:
    """A workbook whose first sheet has these rows, as XML."""
    listed = '<sheet name="Parcels" sheetId="1" r:id="rId1"/>' + '<sheet name="More" r:id="rId2"/>' * (sheets - 1)
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
        packed.writestr("xl/workbook.xml", _BOOK.format(sheets=listed, epoch=epoch))
        packed.writestr("xl/_rels/workbook.xml.rels", _RELATIONS)
        packed.writestr("xl/worksheets/sheet1.xml", f"<worksheet {_MAIN}><sheetData>{data}</sheetData></worksheet>")
        if styles:
            packed.writestr("xl/styles.xml", f"<styleSheet {_MAIN}>{styles}</styleSheet>")
        if strings:
            packed.writestr("xl/sharedStrings.xml", f"<sst {_MAIN}>{strings}</sst>")
    return file.getvalue()
