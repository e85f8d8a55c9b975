"""A form as a value: filled, pressed and encoded without touching the page it came from.

Sites keep state in hidden fields, and a browser sends them all. Here the author names only what a person would
type; everything else travels along. A name that the form does not have is an error, since a silent extra field
would come back as "no records found".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from scrapeyard.pages.errors import BadValue, UnknownField
from scrapeyard.pages.forms.control import Control
from scrapeyard.pages.forms.encoding import MULTIPART, URLENCODED, Encoded, Part, as_multipart, as_query, as_urlencoded
from scrapeyard.pages.forms.postback import ARGUMENT, TARGET, postback_in
from scrapeyard.pages.wording import folded

Value = str | int | bool | Iterable[str] | None
"""Text; True and False for a check box; several texts for several choices; None to send nothing."""


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a page. Every change gives a new form."""

    action: str
    method: str
    enctype: str
    controls: tuple[Control, ...]
    url: str = ""
    charset: str = "utf-8"

    @property
    def names(self) -> tuple[str, ...]:
        """The names that can be filled, in the order of the page."""
        return tuple(dict.fromkeys(one.name for one in self.controls if one.name and not one.is_button))

    @property
    def buttons(self) -> tuple[Control, ...]:
        """The submit buttons."""
        return tuple(one for one in self.controls if one.is_button)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The names and values that would be sent now."""
        return [pair for one in self.controls for pair in one.sent()]

    def fill(self, values: Mapping[str, Value] | None = None, /, **named: Value) -> Self:
        """The form with these fields filled; names such as `ctl00$Main$txt` go into a mapping."""
        controls = self.controls
        for name, value in {**(values or {}), **named}.items():
            controls = self._filled(controls, name, value)
        return replace(self, controls=controls)

    def press(self, button: str | None = None) -> Self:
        """The form with one submit button pressed, by name, value or text; without any, the first, as Enter does."""
        if button is None:
            pressed = next(iter(self.buttons), None)
            return self if pressed is None else self._pressed(pressed)
        wanted = folded(button)
        for at in range(3):
            for one in self.buttons:
                said = (one.name, one.values[0], one.text)[at]
                if said == button or folded(said) == wanted:
                    return self._pressed(one)
        raise UnknownField(button, self.url, (one.text or one.values[0] or one.name for one in self.buttons))

    def do_postback(self, target: str, argument: str = "") -> Self:
        """The form as `__doPostBack(target, argument)` would send it; a whole `javascript:` link may be given."""
        called = postback_in(target)
        if called is not None:
            target, argument = called
        elif target.lower().lstrip().startswith("javascript:"):
            raise BadValue(target, "a link that calls __doPostBack")
        rest = tuple(replace(one, on=False) if one.is_button else one for one in self.controls)
        kept = tuple(one for one in rest if one.name not in (TARGET, ARGUMENT))
        hidden = (Control(TARGET, "hidden", (target,)), Control(ARGUMENT, "hidden", (argument,)))
        return replace(self, controls=hidden + kept)

    def encode(self) -> Encoded:
        """Method, address, content type and body of the request."""
        parts = [
            Part(name, self.charset if name == "_charset_" and one.kind == "hidden" else value, one.kind == "file")
            for one in self.controls
            for name, value in one.sent()
        ]
        if self.method != "POST":
            return as_query(self.action, parts, self.charset)
        if self.enctype == MULTIPART:
            return as_multipart(self.action, parts, self.charset)
        return as_urlencoded(self.action, parts, self.charset)

    def _pressed(self, button: Control) -> Self:
        controls = tuple(replace(one, on=one is button) if one.is_button else one for one in self.controls)
        return replace(
            self,
            controls=controls,
            action=button.action or self.action,
            method=button.method or self.method,
            enctype=button.enctype or self.enctype or URLENCODED,
        )

    def _filled(self, controls: tuple[Control, ...], name: str, value: Value) -> tuple[Control, ...]:
        mine = [at for at, one in enumerate(controls) if one.name == name and not one.is_button]
        if not mine:
            raise UnknownField(name, self.url, self.names)
        filled = list(controls)
        if value is None:
            changed = [replace(controls[at], on=False) for at in mine]
        elif controls[mine[0]].kind in ("checkbox", "radio"):
            changed = self._ticked([controls[at] for at in mine], value)
        else:
            changed = self._written([controls[at] for at in mine], value)
        for at, one in zip(mine, changed, strict=True):
            filled[at] = one
        return tuple(filled)

    def _ticked(self, group: list[Control], value: Value) -> list[Control]:
        if isinstance(value, bool):
            if value and group[0].kind == "radio" and len(group) > 1:
                raise UnknownField("True", self.url, (one.values[0] for one in group))
            return [replace(one, on=value) for one in group]
        wanted = set(_texts(value))
        for text in wanted - {one.values[0] for one in group}:
            raise UnknownField(text, self.url, (one.values[0] for one in group))
        return [replace(one, on=one.values[0] in wanted) for one in group]

    def _written(self, group: list[Control], value: Value) -> list[Control]:
        texts = _texts(value)
        if group[0].options or group[0].kind == "select":
            chosen = tuple(_choice(group[0], text, self.url) for text in texts)
            if len(chosen) > 1 and not group[0].several:
                raise BadValue(", ".join(texts), f"one choice, and {group[0].name!r} takes only one")
            return [replace(group[0], values=chosen, on=True), *group[1:]]
        if len(texts) > len(group):
            raise BadValue(", ".join(texts), f"a value for {group[0].name!r}, which is there {len(group)} times")
        written = [replace(one, values=(text,), on=True) for one, text in zip(group, texts, strict=False)]
        return written + group[len(texts) :]


def _texts(value: Value) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, bool):
        return ["on" if value else ""]
    return [] if value is None else [str(value)] if isinstance(value, int) else list(value)


def _choice(select: Control, text: str, url: str) -> str:
    """The value of the option that has this value, or else this text."""
    wanted = folded(text)
    for value, _ in select.options:
        if value == text:
            return value
    for value, shown in select.options:
        if folded(shown) == wanted:
            return value
    raise UnknownField(text, url, (shown or value for value, shown in select.options))
