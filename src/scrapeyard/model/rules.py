"""Rules that an author adds for one site: how its pages say what went wrong, where nobody else's do.

They are plain data, so that they travel with a scraper's card and a catalogue can show them.
"""

import msgspec

from scrapeyard.model.failures import VERDICTS, Fault, Kind

MOST_RULES = 50
_LONGEST = 500


class SiteRule(msgspec.Struct, frozen=True):
    """A rule that an author adds for a site. Everything that is given must hold; a rule without conditions never does.

    `status` lists statuses, `header` is a name and a part of its value, `title` a part of the title; each of `text`
    must stand somewhere in the markup. Case does not matter.
    """

    name: str
    kind: Kind
    status: tuple[int, ...] = ()
    header: tuple[str, str] | None = None
    title: str = ""
    text: tuple[str, ...] = ()


def rule_trouble(rule: SiteRule) -> str | None:
    """What is wrong with a rule, as the end of a sentence about it; None if it is sound."""
    if not rule.name or len(rule.name) > 80 or not rule.name.isprintable():
        return "needs a name of up to 80 printable characters"
    if not (rule.status or rule.header or rule.title or rule.text):
        return "has no condition, so it would never hold: give a status, header, title or text"
    if isinstance(rule.text, str) or any(
        not words or len(words) > _LONGEST for words in (*rule.text, rule.title or "-")
    ):
        return f"takes text as a list of words, each of up to {_LONGEST} characters"
    if VERDICTS[rule.kind].fault in (Fault.OURS, Fault.PROXY):
        return f"cannot say {rule.kind}: no page can tell that it was our fault or a proxy's"
    return None
