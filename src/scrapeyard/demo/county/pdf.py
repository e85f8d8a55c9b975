"""A tax bill as a PDF, written by hand: one page, one font, no library, and valid for any reader."""

from collections.abc import Sequence

from scrapeyard.demo.county.html.template import cents, day
from scrapeyard.demo.county.parcels import Bill, Parcel

RESOURCES = b"<< /Font << /F1 5 0 R >> >>"


def bill_pdf(parcel: Parcel, bill: Bill) -> bytes:
    """The bill of one year."""
    return one_page(
        [
            "FIR COUNTY TREASURER",
            f"{bill.year} REAL PROPERTY TAX BILL",
            "",
            f"Bill No.        {bill.number}",
            f"Parcel Number   {parcel.number}",
            f"Owner           {parcel.owner}",
            *(f"                {line}" for line in parcel.mailing),
            f"Location        {parcel.situs}",
            f"Legal           {parcel.legal}",
            "",
            f"Amount due      {cents(bill.amount)}",
            f"Paid to date    {cents(bill.paid)}",
            f"Balance         {cents(bill.balance)}",
            f"Due date        {day(bill.due)}",
            f"Status          {bill.status}",
        ]
    )


def one_page(lines: Sequence[str]) -> bytes:
    """A letter-size page with these lines in a fixed-width font."""
    text = b"\n".join(b"(" + _escaped(line) + b") Tj T*" for line in lines)
    content = b"BT /F1 11 Tf 16 TL 54 730 Td\n" + text + b"\nET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources %b >>" % RESOURCES,
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
    ]
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places: list[int] = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def _escaped(line: str) -> bytes:
    plain = line.encode("cp1252", "replace")
    return plain.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
