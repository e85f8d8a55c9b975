"""The account book of a parcel: each bill, its two instalments, interest. Long enough that a grid has to page it."""

from datetime import date, timedelta
from typing import NamedTuple

from scrapeyard.demo.county.parcels import Parcel


class Entry(NamedTuple):
    """One line of the account; what the owner paid is negative, in cents."""

    booked: date
    year: int
    what: str
    amount: int


def entries(parcel: Parcel) -> list[Entry]:
    """All lines of a parcel's account, newest bill first: at least fifteen, at most thirty-two."""
    found: list[Entry] = []
    for bill in parcel.bills:
        found.append(Entry(date(bill.year, 11, 1), bill.year, "TAX BILLED", bill.amount))
        found.append(Entry(date(bill.year, 11, 2), bill.year, "NOTICE MAILED", 0))
        if bill.paid_on is None:
            found.append(Entry(bill.due + timedelta(days=1), bill.year, "DELINQUENT NOTICE", 0))
            continue
        half = bill.paid // 2
        found.append(Entry(bill.paid_on, bill.year, "PAYMENT 1ST HALF", -half))
        found.append(Entry(bill.paid_on, bill.year, "PAYMENT 2ND HALF", half - bill.paid))
    return found
