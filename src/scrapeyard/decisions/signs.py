"""The words in which rules of the classifier are written: small questions to an observation, put together by name.

A rule is a name, a kind and a question. Rules of authors are plain data and become the same questions.
"""

import re
from collections.abc import Callable

from scrapeyard.decisions.observation import Observation
from scrapeyard.model.failures import Kind
from scrapeyard.model.rules import SiteRule

Holds = Callable[[Observation], bool]
Rule = tuple[str, Kind | None, Holds]
"""A name, the kind (None: the one that the error declares) and what must hold."""


def matched(rule: SiteRule, seen: Observation) -> bool:
    """Whether this ending is what an author's rule is about."""
    asked = [
        *([seen.status in rule.status] if rule.status else []),
        *([rule.header[1].lower() in seen.headers.get(rule.header[0].lower(), "").lower()] if rule.header else []),
        *([rule.title.lower().encode() in seen.title] if rule.title else []),
        *(words.lower().encode() in seen.head for words in rule.text),
    ]
    return bool(asked) and all(asked)


def raised(*names: str) -> Holds:
    """One of these errors is in the chain."""
    wanted = frozenset(names)
    return lambda seen: not wanted.isdisjoint(seen.errors)


def status(*wanted: int) -> Holds:
    """The status is one of these."""
    return lambda seen: seen.status in wanted


def between(low: int, high: int) -> Holds:
    """The status lies in this range, its end excluded."""
    return lambda seen: seen.status is not None and low <= seen.status < high


def header(name: str, *values: str) -> Holds:
    """A header holds one of the values; without values, is there at all."""

    def holds(seen: Observation) -> bool:
        value = seen.headers.get(name)
        return value is not None and (not values or any(wanted in value.lower() for wanted in values))

    return holds


def shows(*markers: bytes) -> Holds:
    """All markers stand in the markup of a small page."""
    return lambda seen: seen.small and all(marker in seen.head for marker in markers)


def titled(*words: bytes) -> Holds:
    """One of the words is in the title of a small page."""
    return lambda seen: seen.small and bool(seen.title) and any(word in seen.title for word in words)


def entitled(*titles: bytes) -> Holds:
    """One of these is the whole title of a small page."""
    return lambda seen: seen.small and seen.title in titles


def headed(*words: bytes, most: int = 600) -> Holds:
    """One of the words is in the title or the first heading of a page that says little else."""
    return lambda seen: (
        seen.small and any(word in seen.title or word in seen.heading for word in words) and seen.brief(most)
    )


def says(*words: bytes, most: int = 600) -> Holds:
    """One of the words is in what a person would see of a page that says little else."""
    return lambda seen: seen.brief(most) and any(word in seen.text for word in words)


def matches(turns: re.Pattern[bytes], most: int = 600) -> Holds:
    """One of the turns is in what a person would see of a page that says little else."""
    return lambda seen: seen.brief(most) and turns.search(seen.text) is not None


def either(*questions: Holds) -> Holds:
    """At least one of these holds."""
    return lambda seen: any(holds(seen) for holds in questions)


def both(*questions: Holds) -> Holds:
    """All of these hold."""
    return lambda seen: all(holds(seen) for holds in questions)
