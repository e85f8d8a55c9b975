"""Forms as a page writes them, with the rules by which a browser decides what is sent.

The rules are the standard's: disabled controls stay at home, so do unticked boxes and buttons nobody pressed; a
select without a choice sends its first option. And one rule of old sites: a form opened between table rows is
empty in the tree, and the controls that follow it are its own.
"""

from typing import Final, NamedTuple

from scrapeyard.pages.charsets import named, writable
from scrapeyard.pages.errors import TooBig
from scrapeyard.pages.forms.control import Control
from scrapeyard.pages.forms.encoding import MULTIPART, URLENCODED
from scrapeyard.pages.forms.form import Form
from scrapeyard.pages.links import absolute
from scrapeyard.pages.parsing import Node, Parser
from scrapeyard.pages.wording import tidy

MOST_CONTROLS: Final = 50_000
_CONTROLS: Final = "input,select,textarea,button"
_FENCED: Final = (
    "fieldset[disabled] input,fieldset[disabled] select,fieldset[disabled] textarea,fieldset[disabled] button"
)


class Place(NamedTuple):
    """Where a form stands: its page's address, where its links start, and its character set."""

    url: str
    start: str
    charset: str


class Found(NamedTuple):
    """A form's element with the elements of its live controls, in the order of the page."""

    node: Node
    controls: list[Node]


def find_forms(parser: Parser, tree: Node) -> list[Found]:
    """Every form of a page with what belongs to it."""
    nodes = parser.select(tree, f"form,{_CONTROLS}")
    if len(nodes) > MOST_CONTROLS:
        raise TooBig("The forms of the page", f"{MOST_CONTROLS:,} controls")
    forms = [Found(node, []) for node in nodes if parser.tag(node) == "form"]
    owners = {control: form for form in forms for control in parser.select(form.node, _CONTROLS)}
    inhabited = {id(form) for form in owners.values()}
    by_id = {name: form for form in reversed(forms) if (name := parser.attr(form.node, "id"))}
    fenced = set(parser.select(tree, _FENCED))
    ahead = iter(forms)
    adopting: Found | None = None
    for node in nodes:
        if parser.tag(node) == "form":
            latest = next(ahead)
            adopting = None if id(latest) in inhabited else latest
            continue
        named_owner = parser.attr(node, "form")
        owner = owners.get(node, adopting) if named_owner is None else by_id.get(named_owner)
        if owner is not None and node not in fenced and parser.attr(node, "disabled") is None:
            owner.controls.append(node)
    return forms


def read_form(parser: Parser, found: Found, place: Place) -> Form:
    """The form as data."""
    action = (parser.attr(found.node, "action") or "").strip()
    accepted = (parser.attr(found.node, "accept-charset") or "").split()
    return Form(
        action=(absolute(place.start, action) if action else None) or place.url,
        method=_method(parser.attr(found.node, "method")) or "GET",
        enctype=_enctype(parser.attr(found.node, "enctype")) or URLENCODED,
        controls=tuple(made for node in found.controls if (made := _control(parser, node, place)) is not None),
        url=place.url,
        charset=writable((named(accepted[0]) if accepted else None) or place.charset),
    )


def _control(parser: Parser, node: Node, place: Place) -> Control | None:
    tag, name = parser.tag(node), parser.attr(node, "name") or ""
    default = "submit" if tag == "button" else "text"
    kind = (parser.attr(node, "type") or default).strip().lower() if tag in ("input", "button") else tag
    if kind in ("submit", "image"):
        return _button(parser, node, kind, place)
    if kind in ("button", "reset") or not name:
        return None
    if tag == "select":
        return _select(parser, node, name)
    if tag == "textarea":
        return Control(name, kind, (parser.raw_text(node),))
    value = parser.attr(node, "value")
    if kind in ("checkbox", "radio"):
        ticked = parser.attr(node, "checked") is not None
        return Control(name, kind, ("on" if value is None else value,), ticked)
    return Control(name, kind, ("" if kind == "file" else value or "",))


def _button(parser: Parser, node: Node, kind: str, place: Place) -> Control:
    value = parser.attr(node, "value") or ""
    shown = parser.text(node) if parser.tag(node) == "button" else tidy(value or parser.attr(node, "alt") or "")
    action = (parser.attr(node, "formaction") or "").strip()
    return Control(
        parser.attr(node, "name") or "",
        kind,
        (value,),
        on=False,
        text=shown or "Submit",
        action=(absolute(place.start, action) if action else None) or "",
        method=_method(parser.attr(node, "formmethod")),
        enctype=_enctype(parser.attr(node, "formenctype")),
    )


def _select(parser: Parser, node: Node, name: str) -> Control:
    several = parser.attr(node, "multiple") is not None
    options: list[tuple[str, str]] = []
    marked: list[str] = []
    for option in parser.select(node, "option"):
        if parser.attr(option, "disabled") is not None:
            continue
        text = parser.text(option)
        value = parser.attr(option, "value")
        options.append((text if value is None else value, text))
        if parser.attr(option, "selected") is not None:
            marked.append(options[-1][0])
    if not several:
        marked = marked[-1:] or [value for value, _ in options[:1]]
    return Control(name, "select", tuple(marked), options=tuple(options), several=several)


def _method(written: str | None) -> str:
    method = (written or "").strip().lower()
    return "POST" if method == "post" else "GET" if method else ""


def _enctype(written: str | None) -> str:
    enctype = (written or "").strip().lower()
    return MULTIPART if enctype == MULTIPART else URLENCODED if enctype else ""
