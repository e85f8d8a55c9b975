"""What all sections of settings share: they are frozen, and a word that they do not know is an error."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
Price = Annotated[float, Field(ge=0)]


class Section(BaseModel):
    """One theme of settings. An unknown name is an error, so that a typing slip is not silently ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
