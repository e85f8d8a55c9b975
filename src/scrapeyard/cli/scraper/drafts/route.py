"""From recorded requests to the steps that an author would write: submit this form, follow that link.

A recording shows what was sent, hidden state and all. That state is another one on the next visit, so repeating the
bytes would fail. Where the page before is known, its forms and links tell what the person did, and only that is kept.
"""

from typing import Literal
from urllib.parse import urlsplit

import msgspec

from scrapeyard.cli.scraper.drafts.asked import Asked, Pairs, is_secret
from scrapeyard.pages import Form, Page, PageError
from scrapeyard.pages.forms.postback import ARGUMENT, TARGET

_STATE = frozenset(
    {"__VIEWSTATE", "__VIEWSTATEGENERATOR", "__EVENTVALIDATION", "__PREVIOUSPAGE", "__VIEWSTATEENCRYPTED"}
)
_LONGEST_VALUE = 2_000


class Step(msgspec.Struct, frozen=True):
    """One step of a visit. `which` picks the form or link on the page before; `pairs` is what the person gave."""

    how: Literal["get", "post", "submit", "postback", "follow", "download"]
    url: str = ""
    which: str = ""
    pairs: Pairs = ()
    button: str = ""
    json: str = ""
    headers: Pairs = ()
    note: str = ""


def plan(asked: list[Asked]) -> list[Step]:
    """The steps of a visit."""
    steps: list[Step] = []
    before: Page | None = None
    for one in asked:
        steps.append(_step(one, before))
        is_page = one.answer_type.startswith("text/html") and bool(one.answer)
        before = (
            Page(one.answer, one.url, one.status or 200, (("content-type", "text/html; charset=utf-8"),))
            if is_page
            else None
        )
    return steps


def _step(asked: Asked, before: Page | None) -> Step:
    step = None
    if before is not None and not asked.is_json:
        try:
            step = _submitted(asked, before) or _followed(asked, before)
        except PageError:  # a page that cannot be read tells nothing; the plain request remains
            step = None
    return step or _plain(asked)


def _plain(asked: Asked) -> Step:
    sent = asked.query if asked.method == "GET" else asked.fields
    secrets = [name[:60] for name, _ in sent if is_secret(name)]
    dropped = [*asked.dropped, *secrets]
    note = f"left out: {', '.join(dropped)}" if dropped else ""
    open_ = tuple((name, value) for name, value in sent if not is_secret(name))
    if asked.method == "GET":
        return Step("get", asked.address, pairs=open_, headers=asked.headers, note=note)
    if asked.fields:
        pairs = tuple((name, value) for name, value in open_ if name not in _STATE)
        if len(pairs) < len(open_):
            note = "; ".join(filter(None, (note, "hidden state left out: submit the form of the page before instead")))
        return Step("post", asked.url, pairs=pairs, headers=asked.headers, note=note)
    return Step("post", asked.url, json=asked.body, headers=asked.headers, note=note)


def _submitted(asked: Asked, before: Page) -> Step | None:
    """The form of the page before that sent this, with the fields that were not as the page had them."""
    sent = asked.fields if asked.method == "POST" else asked.query
    for selector, form in _forms(before):
        if form.method != asked.method or urlsplit(form.action).path != urlsplit(asked.url).path:
            continue
        names = set(form.names)
        if sent and not names & {name for name, _ in sent}:
            continue
        target = dict(sent).get(TARGET, "")
        button = next((name for name, _ in sent if any(one.name == name for one in form.buttons)), "")
        typed = _typed(sent, form)
        secrets = [name for name, _ in typed if is_secret(name)]
        note = f"left out: {', '.join(secrets)}; take it from the environment" if secrets else ""
        typed = tuple((name, value) for name, value in typed if not is_secret(name))
        if target and not button:
            return Step("postback", which=target, button=dict(sent).get(ARGUMENT, ""), pairs=typed, note=note)
        first = form.buttons[0].name if form.buttons else ""
        return Step("submit", which=selector, pairs=typed, button="" if button == first else button, note=note)
    return None


def _forms(page: Page) -> list[tuple[str, Form]]:
    found: list[tuple[str, Form]] = []
    for element in page.css("form"):
        name, mark = element.attr(None, "name", default=""), element.attr(None, "id", default="")
        selector = f"form#{mark}" if _is_word(mark) else f'form[name="{name}"]' if _is_word(name) else ""
        found.append((selector, element.form()))
    return found


def _typed(sent: Pairs, form: Form) -> Pairs:
    had = dict(form.fields)
    names = set(form.names)
    return tuple(
        (name, value)
        for name, value in dict(sent).items()
        if name in names
        and had.get(name, "") != value
        and name not in {*_STATE, TARGET, ARGUMENT}
        and len(value) <= _LONGEST_VALUE
    )


def _followed(asked: Asked, before: Page) -> Step | None:
    """The link of the page before that leads here, named by what it says or else by how it is marked."""
    if asked.method != "GET":
        return None
    element = next((one for one in before.css("a[href]") if one.link(default="").partition("#")[0] == asked.url), None)
    if element is None:
        return None
    mark, kind = element.attr(None, "id", default=""), element.attr(None, "class", default="").split()
    said = element.text(default="")
    which = f"a#{mark}" if _is_word(mark) else f"a.{kind[0]}" if kind and _is_word(kind[0]) else said
    how = "download" if "pdf" in asked.answer_type else "follow"
    return Step(how, which=which) if which else None


def _is_word(text: str) -> bool:
    return bool(text) and len(text) <= 100 and text.replace("-", "_").isidentifier()
