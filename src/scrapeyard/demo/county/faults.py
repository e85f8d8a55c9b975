"""How badly the county behaves, as a value: which fault, how often, from when on, for whom for ever.

A dial is read from flags, from a JSON body and from tests, so it is checked in one place and refused in one sentence.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from scrapeyard.demo.county.visitors import Origin


class Fault(StrEnum):
    """What the site can do to a visit."""

    SLOW = "slow"
    ERROR_5XX = "error_5xx"
    THROTTLED = "throttled"
    BLOCKED = "blocked"
    MAINTENANCE = "maintenance"
    WRONG_PARCEL = "wrong_parcel"
    TRUNCATED = "truncated"
    RESET = "reset"
    REDESIGN = "redesign"
    ABSENT = "absent"


BY_PARCEL = frozenset({Fault.REDESIGN, Fault.ABSENT})  # one die per parcel, not per visit; may come on top of others


class FaultsRefused(ValueError):
    """A setting of the dial that makes no sense; the message says which and why."""


Rate = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, le=600, allow_inf_nan=False)]


class Faults(BaseModel):
    """A setting of the dial. `rates` pass on a later try, `sticky` never do; `after` is counted in parcel visits.

    `walls` are for visitors by where they come from: 1 shuts the whole site to them, less shuts that share of the
    parcels. `limit` is how many requests a second the site bears before it answers 429.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rates: Mapping[Fault, Rate] = {}
    sticky: Mapping[Fault, Rate] = {}
    after: Mapping[Fault, Annotated[int, Field(ge=0)]] = {}
    slow_seconds: Seconds = 2.0
    latency: Seconds = 0.0
    retry_after: Annotated[int, Field(ge=0, le=3600)] = 1
    maintenance_status: Literal[200, 503] = 200
    walls: Mapping[Origin, Rate] = {}
    wall_status: Literal[200, 403] = 403
    limit: Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)] | None = None

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        by_visit = sum(rate for fault, rate in self.rates.items() if fault not in BY_PARCEL)
        if by_visit > 1.000001 or sum(self.sticky.values()) > 1.000001:
            raise ValueError("the probabilities add up to more than 1")
        if wrong := BY_PARCEL & self.sticky.keys():
            raise ValueError(f"{min(wrong)} is always sticky, set it under rates")
        return self

    def changed(self, change: Mapping[str, Any]) -> "Faults":
        """This setting with the named fields replaced; `profile` names one to start from instead."""
        rest = dict(change)
        start = profile(str(rest.pop("profile"))) if "profile" in rest else self
        return _checked({**start.model_dump(), **rest})


def _checked(fields: Mapping[str, Any]) -> Faults:
    try:
        return Faults.model_validate(fields)
    except ValidationError as error:
        raise FaultsRefused(refused_in_words(error, "faults")) from error


def refused_in_words(error: ValidationError, whole: str) -> str:
    """What is wrong with a setting, in one sentence that names the field, or the whole."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "[key]")
    said = first["msg"].removeprefix("Value error, ")
    return f"{where or whole}: {said}"[:300]


def profile(name: str) -> Faults:
    """A setting with a name: `calm` has no faults, `mild` those of an ordinary day."""
    if name == "calm":
        return Faults()
    if name == "mild":
        return Faults(
            rates={
                Fault.ERROR_5XX: 0.03,
                Fault.RESET: 0.01,
                Fault.TRUNCATED: 0.01,
                Fault.SLOW: 0.01,
                Fault.THROTTLED: 0.005,
                Fault.BLOCKED: 0.005,
                Fault.ABSENT: 0.03,
            },
            sticky={Fault.ERROR_5XX: 0.003, Fault.BLOCKED: 0.002},
            slow_seconds=1.5,
        )
    raise FaultsRefused(f"profile: there is no {name[:40]!r}, take calm or mild")


def from_flags(start: Faults, rates: list[str], sticky: list[str], after: list[str]) -> Faults:
    """The dial as given by flags of the form `blocked=0.02`, on top of a profile."""
    return start.changed(
        {
            "rates": {**start.rates, **pairs("--fault", rates)},
            "sticky": {**start.sticky, **pairs("--sticky", sticky)},
            "after": {**start.after, **pairs("--after", after)},
        }
    )


def pairs(flag: str, texts: list[str]) -> dict[str, str]:
    """Flags of the form `name=number`, taken apart."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, number = text.partition("=")
        if not equals:
            raise FaultsRefused(f"{flag} {text[:60]}: write it as name=number, for example {flag} blocked=0.02")
        found[name] = number
    return found
