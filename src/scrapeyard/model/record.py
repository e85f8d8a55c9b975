"""What scraper authors declare: inputs, records, and the types a county's page is made of."""

import datetime
from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Money = Annotated[Decimal, Field(max_digits=18, decimal_places=2)]
"""An amount in the page's currency, exact to the cent."""

Date = datetime.date
"""A calendar day."""


class Inputs(BaseModel):
    """One item's inputs. Text stays text, so that leading zeros survive; unknown columns are left out."""

    model_config = ConfigDict(frozen=True, extra="ignore", str_max_length=10_000, coerce_numbers_to_str=True)


class Record(BaseModel):
    """One extracted row. A field that the model does not know is an error, so that nothing is lost in silence."""

    model_config = ConfigDict(frozen=True, extra="forbid")
