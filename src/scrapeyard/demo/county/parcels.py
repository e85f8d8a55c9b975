"""What the county knows about a parcel: a pure function of seed and place, so that nothing has to be kept.

A test or a scraper's author can ask this module for the truth and compare it with what a scraper read.
Tax amounts are in cents, values in whole dollars.
"""

from datetime import date, timedelta
from typing import NamedTuple

from scrapeyard.demo.county import names
from scrapeyard.demo.county.dice import Dice
from scrapeyard.demo.county.numbers import number_at

LATEST_YEAR = 2024


class Owner(NamedTuple):
    """One who holds the parcel, with a share in percent."""

    name: str
    percent: int
    since: int


class Value(NamedTuple):
    """The assessment of one year, in dollars."""

    year: int
    land: int
    improvements: int
    exemption: int

    @property
    def total(self) -> int:
        """Land and buildings together."""
        return self.land + self.improvements

    @property
    def taxable(self) -> int:
        """What is taxed."""
        return max(0, self.total - self.exemption)


class Bill(NamedTuple):
    """The tax bill of one year, in cents."""

    year: int
    number: str
    due: date
    amount: int
    paid: int
    paid_on: date | None

    @property
    def balance(self) -> int:
        """What is still owed."""
        return self.amount - self.paid

    @property
    def status(self) -> str:
        """The word the bills table shows."""
        if self.balance == 0:
            return "PAID"
        return "PARTIAL" if self.paid else ("UNPAID" if self.year == LATEST_YEAR else "DELINQUENT")


class Sale(NamedTuple):
    """One transfer of the parcel."""

    sold_on: date
    price: int
    deed: str
    grantor: str


class Parcel(NamedTuple):
    """One parcel with everything that is told about it; values, bills and sales newest first."""

    place: int
    number: str
    owners: tuple[Owner, ...]
    situs: str
    mailing: tuple[str, ...]
    legal: str
    use_code: str
    use: str
    acres: str
    district: str
    values: tuple[Value, ...]
    bills: tuple[Bill, ...]
    sales: tuple[Sale, ...]

    @property
    def owner(self) -> str:
        """The first owner's name; empty for the few parcels whose owner the county withholds."""
        return self.owners[0].name if self.owners else ""


def parcel(seed: int, index: int) -> Parcel:
    """The parcel at this place of this county's roll, always the same."""
    dice = Dice(seed, "parcel", index)
    number = number_at(index)
    town, postcode = dice.pick(names.TOWNS)
    use_code, use = dice.pick(names.USES)
    district, mills = dice.pick(names.DISTRICTS)
    situs = f"{dice.between(1, 9_899)} {dice.pick(names.STREETS)}"
    values = _values(dice)
    return Parcel(
        index,
        number,
        _owners(dice),
        f"{situs}, {town}",
        _mailing(dice, situs, town, postcode),
        f"LOT {dice.between(1, 48)} BLK {dice.between(1, 30)} {dice.pick(names.TRACTS)} "
        f"PB {dice.between(2, 61)} PG {dice.between(1, 99)}",
        use_code,
        use,
        f"{dice.between(8, 900) / 100:.2f}",
        district,
        values,
        tuple(_bill(dice, number, value, mills) for value in values),
        _sales(dice),
    )


def _person(dice: Dice) -> str:
    surname, given = dice.pick(names.SURNAMES), dice.pick(names.GIVEN)
    roll = dice.below(10)
    if roll < 3:
        return f"{surname} {given} & {dice.pick(names.GIVEN)}"
    return f"{surname} {given} TRUSTEE" if roll == 9 else f"{surname} {given}"


def _owners(dice: Dice) -> tuple[Owner, ...]:
    roll = dice.below(100)
    since = dice.between(1978, LATEST_YEAR)
    if roll == 0:
        return ()  # a withheld owner: the page shows an empty cell
    if roll < 12:
        return (Owner(dice.pick(names.FIRMS), 100, since),)
    shares = (100,) if roll < 75 else (50, 50) if roll < 93 else (50, 25, 25)
    return tuple(Owner(_person(dice), percent, since) for percent in shares)


def _mailing(dice: Dice, situs: str, town: str, postcode: str) -> tuple[str, ...]:
    if dice.happens(70):
        return (situs, f"{town} IA {postcode}")
    town, postcode = dice.pick(names.TOWNS)
    if dice.happens(30):
        return ("C/O TAX DEPARTMENT", f"PO BOX {dice.between(10, 9_999)}", f"{town} IA {postcode}")
    return (f"PO BOX {dice.between(10, 9_999)}", f"{town} IA {postcode}")


def _values(dice: Dice) -> tuple[Value, ...]:
    land = dice.between(60, 2_400) * 100
    improvements = 0 if dice.happens(12) else dice.between(300, 7_200) * 100
    exemption = dice.pick((0, 0, 25_000, 50_000))
    found: list[Value] = []
    for years_ago in range(dice.between(5, 8)):
        found.append(Value(LATEST_YEAR - years_ago, land, improvements, exemption))
        land, improvements = land * dice.between(91, 99) // 100, improvements * dice.between(92, 100) // 100
    return tuple(found)


def _bill(dice: Dice, number: str, value: Value, mills: int) -> Bill:
    amount = value.taxable * mills // 10_000 + 4_250  # a flat fee, so that no bill is for nothing
    due = date(value.year + 1, 3, 31)
    roll = dice.below(100)
    paid = amount
    if roll < (15 if value.year == LATEST_YEAR else 3):
        paid = 0
    elif roll > 97:
        paid = amount // 2
    paid_on = due + timedelta(days=dice.between(-140, 20)) if paid else None
    return Bill(value.year, f"{value.year}-{number.replace('-', '')}", due, amount, paid, paid_on)


def _sales(dice: Dice) -> tuple[Sale, ...]:
    year = LATEST_YEAR
    found: list[Sale] = []
    for _ in range(dice.below(5)):
        year -= dice.between(1, 9)
        sold_on = date(year, dice.between(1, 12), dice.between(1, 28))
        price = 100 if dice.happens(20) else dice.between(90, 6_500) * 100
        found.append(Sale(sold_on, price, dice.pick(names.DEEDS), _person(dice)))
    return tuple(found)
