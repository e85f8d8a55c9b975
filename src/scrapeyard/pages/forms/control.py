"""One control of a form: a field, a group's member, or a button."""

from dataclasses import dataclass
from typing import Final

BUTTONS: Final = frozenset({"submit", "image"})


@dataclass(frozen=True, slots=True)
class Control:
    """A named control. `values` are sent while it is `on`; a select knows its options as (value, text)."""

    name: str
    kind: str
    values: tuple[str, ...] = ("",)
    on: bool = True
    options: tuple[tuple[str, str], ...] = ()
    text: str = ""
    several: bool = False
    action: str = ""
    method: str = ""
    enctype: str = ""

    @property
    def is_button(self) -> bool:
        """Whether pressing it submits the form."""
        return self.kind in BUTTONS

    def sent(self) -> list[tuple[str, str]]:
        """The pairs that a browser would send for it now."""
        if not self.on:
            return []
        if self.kind == "image":  # a picture sends where it was clicked
            dot = f"{self.name}." if self.name else ""
            return [(f"{dot}x", "1"), (f"{dot}y", "1")]
        return [(self.name, value) for value in self.values] if self.name else []
