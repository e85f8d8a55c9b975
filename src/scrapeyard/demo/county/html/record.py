"""The page about one parcel, as it was and as it is after the redesign.

The redesign does what real ones do: fields change their ids and labels, a table becomes a list, columns change places.
Whoever reads by id finds nothing any more; that is the point.
"""

from html import escape

from scrapeyard.demo.county.html.chrome import page
from scrapeyard.demo.county.html.template import Template, cents, day, dollars
from scrapeyard.demo.county.parcels import Bill, Parcel

FIELDS = (  # hole, id, label, and the label after the redesign
    ("number", "lblParcel", "Parcel Number", "PIN"),
    ("owner", "lblOwner", "Owner Name", "Holder of Title"),
    ("situs", "lblSitus", "Property Address", "Location"),
    ("mailing", "lblMailing", "Mailing Address", "Correspondence"),
    ("legal", "lblLegal", "Legal Description", "Brief Legal"),
    ("use", "lblLandUse", "Land Use", "Classification"),
    ("acres", "lblAcres", "Acreage", "Size (ac)"),
    ("district", "lblDistrict", "Tax District", "Levy Area"),
)
MONEY = (
    ("land", "lblLandValue", "Land Value", "Land"),
    ("improvements", "lblImprValue", "Improvement Value", "Structures"),
    ("total", "lblTotalValue", "Total Market Value", "Market"),
    ("exemption", "lblExemption", "Exemptions", "Relief"),
    ("taxable", "lblTaxable", "Taxable Value", "Net Assessed"),
)
BILL_HEADS = ("Year", "Bill No.", "Due", "Amount", "Paid", "Paid On", "Balance", "Status")
OWNER_HEADS = ("Name", "Share", "Since")
HISTORY_HEADS = ("Year", "Land", "Improvements", "Total", "Taxable")
SALE_HEADS = ("Date", "Price", "Deed", "Grantor")
BILL_ORDER_AFTER = (7, 1, 0, 6, 3, 4, 5, 2)
ALL = ("summary", "values", "bills", "owners", "history", "sales")


class RecordPage:
    """The record page of one portal, with the sections that this portal shows."""

    def __init__(
        self, name: str, prefix: str, shown: tuple[str, ...] = ALL, ids: str = "", charset: str = "utf-8"
    ) -> None:
        self._shown = shown
        title = "Parcel Detail"
        self._before = Template(page(name, prefix, title, _sections(shown, ids)), charset)
        self._after = Template(page(name, prefix, "Property Record", _redesigned(shown)), charset)
        self._content_type = f"text/html; charset={charset}"

    @property
    def content_type(self) -> str:
        """The header that tells how the page is encoded."""
        return self._content_type

    def fill(self, parcel: Parcel, redesigned: bool = False, **more: str) -> bytes:
        """The page about this parcel."""
        values = _facts(parcel, redesigned)
        values.update(more)
        if "bills" in self._shown:
            values["bills"] = _bills(parcel.bills, BILL_ORDER_AFTER if redesigned else None)
        if "owners" in self._shown:
            values["owners"] = _owners(parcel)
        if "history" in self._shown:
            values["history"] = _history(parcel)
        if "sales" in self._shown:
            values["sales"] = _sales(parcel)
        return (self._after if redesigned else self._before).fill(values)


def _table(key: str, hole: str, caption: str, heads: tuple[str, ...]) -> str:
    head = "".join(f'<th scope="col">{text}</th>' for text in heads)
    return (
        f'<table class="data" id="{key}"><caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{{{{{hole}}}}}</tbody></table>"
    )


def _fields(fields: tuple[tuple[str, str, str, str], ...], table: str, ids: str) -> str:
    rows = "\n".join(
        f'<tr><th class="label" scope="row">{label}</th><td><span id="{ids}{key}">{{{{{hole}}}}}</span></td></tr>'
        for hole, key, label, _ in fields
    )
    return f'<table class="data" id="{table}">\n{rows}\n</table>'


def _sections(shown: tuple[str, ...], ids: str) -> str:
    all_parts = {
        "summary": _fields(FIELDS, "parcelSummary", ids),
        "values": f"<h3>{{{{year}}}} Values</h3>{_fields(MONEY, 'valuation', ids)}",
        "bills": _table("taxBills", "bills", "Tax Bills", BILL_HEADS),
        "owners": _table("owners", "owners", "Owners of Record", OWNER_HEADS),
        "history": _table("valueHistory", "history", "Value History", HISTORY_HEADS),
        "sales": _table("sales", "sales", "Sales", SALE_HEADS),
        "more": "{{more}}",
    }
    return "\n".join(all_parts[part] for part in shown)


def _redesigned(shown: tuple[str, ...]) -> str:
    def facts(fields: tuple[tuple[str, str, str, str], ...]) -> str:
        rows = "\n".join(f'<dt>{label}</dt><dd class="v">{{{{{hole}}}}}</dd>' for hole, _, _, label in fields)
        return f'<section class="card"><dl class="facts">\n{rows}\n</dl></section>'

    heads = tuple(BILL_HEADS[place] for place in BILL_ORDER_AFTER)
    all_parts = {
        "summary": facts(FIELDS),
        "values": facts(MONEY),
        "bills": _table("t-charges", "bills", "Charges", heads),
        "owners": _table("t-owners", "owners", "Title", OWNER_HEADS),
        "history": _table("t-values", "history", "Roll", HISTORY_HEADS),
        "sales": _table("t-transfers", "sales", "Transfers", SALE_HEADS),
        "more": "{{more}}",
    }
    return "\n".join(all_parts[part] for part in shown)


def _facts(parcel: Parcel, redesigned: bool) -> dict[str, str]:
    value = parcel.values[0]
    money = _plain_dollars if redesigned else dollars
    return {
        "number": parcel.number,
        "owner": escape(parcel.owner),
        "situs": parcel.situs,
        "mailing": "<br />".join(parcel.mailing),
        "legal": escape(parcel.legal),
        "use": f"{parcel.use_code} {parcel.use}",
        "acres": parcel.acres,
        "district": parcel.district,
        "year": str(value.year),
        "land": money(value.land),
        "improvements": money(value.improvements),
        "total": money(value.total),
        "exemption": money(value.exemption),
        "taxable": money(value.taxable),
    }


def _plain_dollars(amount: int) -> str:
    return f"{amount:,} USD"


def _rows(rows: list[list[str]]) -> str:
    return "".join(
        f'<tr class="{"alt" if place % 2 else "row"}"><td>{"</td><td>".join(row)}</td></tr>\n'
        for place, row in enumerate(rows)
    )


def _bills(bills: tuple[Bill, ...], order: tuple[int, ...] | None) -> str:
    rows = [
        [
            str(bill.year),
            bill.number,
            day(bill.due),
            cents(bill.amount),
            cents(bill.paid),
            day(bill.paid_on) if bill.paid_on else "",
            cents(bill.balance),
            bill.status,
        ]
        for bill in bills
    ]
    return _rows([[row[place] for place in order] for row in rows] if order else rows)


def _owners(parcel: Parcel) -> str:
    return _rows([[escape(owner.name), f"{owner.percent}%", str(owner.since)] for owner in parcel.owners])


def _history(parcel: Parcel) -> str:
    return _rows(
        [
            [str(one.year), dollars(one.land), dollars(one.improvements), dollars(one.total), dollars(one.taxable)]
            for one in parcel.values
        ]
    )


def _sales(parcel: Parcel) -> str:
    return _rows([[day(one.sold_on), dollars(one.price), one.deed, escape(one.grantor)] for one in parcel.sales])
