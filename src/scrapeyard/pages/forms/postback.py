"""`__doPostBack`: the links of ASP.NET pages that are no links.

Sorting a grid or turning its page calls a script that puts two values into hidden fields and submits the form.
Knowing the two values is enough to do without a browser.
"""

import re
from typing import Final

TARGET: Final = "__EVENTTARGET"
ARGUMENT: Final = "__EVENTARGUMENT"

_TEXT: Final = r"\s{0,9}(?:'((?:[^'\\]|\\.){0,2000})'|\"((?:[^\"\\]|\\.){0,2000})\")\s{0,9}"
_PLAIN: Final = re.compile(rf"__doPostBack\({_TEXT}(?:,{_TEXT})?\)")
_OPTIONS: Final = re.compile(rf"WebForm_PostBackOptions\({_TEXT}(?:,{_TEXT})?")
_ESCAPE: Final = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|(.))", re.DOTALL)


def postback_in(script: str) -> tuple[str, str] | None:
    """Target and argument of the postback that an href or onclick makes, or None."""
    found = _PLAIN.search(script) or _OPTIONS.search(script)
    if found is None:
        return None
    return _unescaped(found[1] or found[2] or ""), _unescaped(found[3] or found[4] or "")


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        return chr(int(code, 16)) if code else match[3]

    return _ESCAPE.sub(character, text)
