"""Write a scraper's first draft as Python text.

Everything that goes into the text came from a command line or a recording, so it goes in as a quoted literal or as a
checked identifier, never as it is. Where an example value of an input turns up, the input takes its place.
"""

import json
import keyword
import re
from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Final, cast
from urllib.parse import urlsplit

import msgspec

from scrapeyard.cli.scraper.drafts.asked import Pairs
from scrapeyard.cli.scraper.drafts.route import Step
from scrapeyard.model.errors import BadInput

TEMPLATES: Final[dict[str, str]] = {
    "one-page": "One page, one kind of record.",
    "disclaimer": "A disclaimer to agree to, then a search form.",
    "several-hits": "A search that finds one record or several.",
    "pdf-bill": "A page with a link to a PDF, which is kept as a file.",
    "many-rows": "A grid of many rows over many pages.",
}
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*")
_WIDE: Final = 116


class Draft(msgspec.Struct, frozen=True):
    """What is known of a scraper before a line of it is written. `inputs` are fields with an example value or ""."""

    name: str
    url: str
    inputs: Mapping[str, str]
    site: str = ""

    def __post_init__(self) -> None:
        if len(self.name) > 100 or not _NAME.fullmatch(self.name):
            raise BadInput(
                f"{self.name[:100]!r} is no name for a scraper; write it as us.ca.alameda.assessment, "
                "with _ in place of hyphens."
            )
        for field in self.inputs:
            if not field.isidentifier() or keyword.iskeyword(field) or field.startswith("_"):
                raise BadInput(f"{field[:80]!r} cannot be an input's name; take a word such as parcel_id.")

    @property
    def file_name(self) -> str:
        """The name of its file."""
        return f"{self.name.replace('.', '_')}.py"


def from_template(draft: Draft, template: str) -> str:
    """A scraper of one of the usual shapes."""
    if template not in TEMPLATES:
        raise BadInput(f"There is no template {template[:40]!r}; take one of {', '.join(TEMPLATES)}.")
    return _filled(template, draft, {"summary": f"{draft.name}: {TEMPLATES[template].removesuffix('.').lower()}."})


def from_steps(draft: Draft, steps: list[Step]) -> str:
    """A scraper that does what was recorded."""
    ends_in_file = steps[-1].how == "download"
    ends_in_json = bool(steps[-1].json) or any("json" in value for name, value in steps[-1].headers if name == "accept")
    names = ["Http", "Inputs", "Page", "Record", "scraper", *(["Visit"] if ends_in_file else [])]
    lines = [line for step in steps for line in _lines(step, draft)]
    if ends_in_file:
        lines.insert(-1, '    visit.keep("page", page)')
    else:
        lines.append("    return page")
    marks = {
        "summary": f"{draft.name}: drafted from a recording.",
        "imports": ", ".join(sorted(names, key=str.casefold)),
        "preamble": "import json\n\n" if any(step.json for step in steps) else "",
        "more": ", visit: Visit" if ends_in_file else "",
        "gives": "None" if ends_in_file else "Page",
        "steps": "\n".join(lines),
        "title": "str(page.json())[:80]" if ends_in_json else "page.title",
    }
    return _filled("recorded", draft, marks)


def _filled(template: str, draft: Draft, marks: Mapping[str, str]) -> str:
    text = files("scrapeyard.cli.scraper.drafts").joinpath("templates", f"{template}.txt").read_text("utf-8")
    inputs = list(draft.inputs.items())
    one = len(inputs) == 1
    examples = [value if one else dict(inputs) for _, value in inputs[:1] if all(value for _, value in inputs)]
    return Template(text).substitute(
        {
            "name": literal(draft.name),
            "site": literal(draft.site or urlsplit(draft.url).hostname or ""),
            "url": literal(draft.url),
            "inputs": "\n".join(f"    {field}: str" for field, _ in inputs),
            "first": inputs[0][0],
            "sentinels": json.dumps(examples, ensure_ascii=False),
            **marks,
        }
    )


def _lines(step: Step, draft: Draft) -> list[str]:
    """One step as a line or a few, indented."""
    note = [f"    # {' '.join(step.note.split())[:_WIDE]}"] if step.note else []
    call, arguments = _call(step, draft)
    target = 'visit.keep("file", await ' if step.how == "download" else "page = await "
    end = ")" if step.how == "download" else ""
    line = f"    {target}{call}({', '.join(arguments)}){end}"
    if len(line) > _WIDE and arguments:
        inner = [f"        {argument}," for argument in arguments]
        return [*note, f"    {target}{call}(", *inner, f"    ){end}"]
    return [*note, line]


def _call(step: Step, draft: Draft) -> tuple[str, list[str]]:
    said = draft.inputs
    headers = [f"headers={_dict(step.headers, {})}"] if step.headers else []
    match step.how:
        case "get":
            params = [f"params={_dict(step.pairs, said)}"] if step.pairs else []
            return "http.get", [value(step.url, said), *params, *headers]
        case "post":
            if not step.json:
                return "http.post", [value(step.url, said), _dict(step.pairs, said), *headers]
            sent = f"json.dumps({_json(step.json, said)}).encode()"
            typed = _dict((("content-type", "application/json"), *step.headers), {})
            return "http.post", [value(step.url, said), sent, f"headers={typed}"]
        case "submit":
            return "page.submit", _submitted(step, said)
        case "postback":
            values = [f"values={_dict(step.pairs, said)}"] if step.pairs else []
            return "page.postback", [literal(step.which), *([literal(step.button)] if step.button else []), *values]
        case "follow":
            return "page.follow", [value(step.which, said)]
        case "download":
            return "page.download", [value(step.which, said), 'expect="application/pdf"']


def _submitted(step: Step, said: Mapping[str, str]) -> list[str]:
    which = [literal(step.which)] if step.which else []
    button = [f"button={literal(step.button)}"] if step.button else []
    plain = all(name.isidentifier() and not keyword.iskeyword(name) and name != "button" for name, _ in step.pairs)
    if plain:
        return [*which, *(f"{name}={value(given, said)}" for name, given in step.pairs), *button]
    return [*(which or ["None"]), _dict(step.pairs, said), *button]


def literal(text: str) -> str:
    """Text as Python source, in double quotes."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def value(text: str, said: Mapping[str, str]) -> str:
    """Text as Python source in which the example values of inputs are the inputs themselves."""
    known = sorted(
        ((example, field) for field, example in said.items() if len(example) > 2), key=lambda it: -len(it[0])
    )
    for example, field in known:
        if text == example:
            return f"parcel.{field}"
        if example in text:
            pieces = [literal(piece)[1:-1].replace("{", "{{").replace("}", "}}") for piece in text.split(example)]
            return f'f"{f"{{parcel.{field}}}".join(pieces)}"'
    return literal(text)


def _dict(pairs: Pairs, said: Mapping[str, str]) -> str:
    if len(dict(pairs)) < len(pairs):  # a name that is sent twice
        return f"[{', '.join(f'({literal(name)}, {value(given, said)})' for name, given in pairs)}]"
    return f"{{{', '.join(f'{literal(name)}: {value(given, said)}' for name, given in pairs)}}}"


def _json(text: str, said: Mapping[str, str]) -> str:
    try:
        return _of(json.loads(text), said)
    except (ValueError, RecursionError) as error:
        raise BadInput("The request's body is neither a form nor JSON; write this scraper from a template.") from error


def _of(body: object, said: Mapping[str, str]) -> str:
    if isinstance(body, dict):
        body = cast("dict[str, object]", body)
        return f"{{{', '.join(f'{literal(name)}: {_of(inner, said)}' for name, inner in body.items())}}}"
    if isinstance(body, list):
        body = cast("list[object]", body)
        return f"[{', '.join(_of(inner, said) for inner in body)}]"
    return value(body, said) if isinstance(body, str) else repr(body)
