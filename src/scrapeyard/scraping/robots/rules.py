"""What a robots.txt says, read as RFC 9309 wants it: whose rules are ours, and which of them decides about an address.

The file is a stranger's text of up to half a megabyte, so nothing in it may cost much: rules without wildcards are
found by looking prefixes up, the others are matched in one pass from left to right, and none of them by a regular
expression.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

LARGEST = 500 << 10
"""Bytes that are read; the rest of a longer file is not there."""
MOST_PATTERNS = 2_000
"""Rules with wildcards that are kept, the longest first, which are those that decide."""
LONGEST_DELAY = 300.0
"""Seconds between two requests that a Crawl-delay is granted at most."""
ANYBODY = "*"
OURS = "scrapeyard"

_PRODUCT = re.compile(r"[A-Za-z_-]+")
_COMPATIBLE = re.compile(r"compatible;\s*([A-Za-z_-]+)")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_IN_QUERY = frozenset(b"!'(),/:;?@")
"""What means the same in a query whether it is escaped or not."""
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_LINE_ENDS = re.compile(r"\r\n|\r|\n")


class Rule(NamedTuple):
    """One line that allows or disallows. `said` is the line as it stands in the file."""

    allow: bool
    pattern: str
    said: str

    @property
    def rank(self) -> tuple[int, bool]:
        """The longest pattern decides, and of two as long the one that allows: the smallest rank."""
        return -len(self.pattern), not self.allow


class Rules:
    """The rules for one product token. None at all allow everything."""

    __slots__ = ("_lengths", "_patterns", "_plain", "crawl_delay")

    def __init__(self, rules: list[Rule], crawl_delay: float | None = None) -> None:
        self.crawl_delay = crawl_delay
        self._plain: dict[str, Rule] = {}
        patterns: list[Rule] = []
        for rule in rules:
            if "*" in rule.pattern or rule.pattern.endswith("$"):
                patterns.append(rule)
            elif not (known := self._plain.get(rule.pattern)) or not known.allow:
                self._plain[rule.pattern] = rule
        self._lengths = sorted({len(pattern) for pattern in self._plain}, reverse=True)
        self._patterns = sorted(patterns, key=lambda rule: rule.rank)[:MOST_PATTERNS]

    def refusal(self, target: str) -> str | None:
        """The line that disallows a target (path and query of an address); None if it may be visited."""
        if not self._lengths and not self._patterns:
            return None
        if target == "/robots.txt":
            return None
        target = normal(target).replace("*", "%2A").replace("$", "%24")
        best = next((self._plain[target[:length]] for length in self._lengths if target[:length] in self._plain), None)
        for rule in self._patterns:
            if best is not None and best.rank <= rule.rank:
                break
            if _matches(rule.pattern, target):
                best = rule
                break
        return None if best is None or best.allow else best.said


EVERYTHING = Rules([])


def read_rules(body: bytes, token: str) -> Rules:
    """The rules for a product token: of all groups that name it, else of all that name anybody."""
    text = body[:LARGEST].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    own: list[Rule] = []
    anybody: list[Rule] = []
    named, delays = False, dict[str, float]()
    for agents, rules, delay in _groups(text):
        if token.lower() in agents:
            named = True
            own += rules
        if ANYBODY in agents:
            anybody += rules
        for agent in agents & {token.lower(), ANYBODY}:
            if delay is not None:
                delays[agent] = max(delay, delays.get(agent, 0.0))
    return Rules(own, delays.get(token.lower())) if named else Rules(anybody, delays.get(ANYBODY))


def token_of(user_agent: str) -> str:
    """The product token by which a robots.txt names a visitor that introduces itself like this."""
    found = _COMPATIBLE.search(user_agent) or _PRODUCT.match(user_agent)
    return OURS if found is None else found[found.re.groups]


def normal(target: str) -> str:
    """A target or pattern in the one form in which they are compared: escaped where it has to be, and only there."""
    if target.isascii() and "%" not in target:
        return target
    raw = target.encode("utf-8", "surrogatepass")
    path, mark, query = raw.partition(b"?")
    raw = _ESCAPE.sub(_freed, path) + mark + _ESCAPE.sub(_freed_in_query, query)
    return "".join([chr(byte) if byte < 128 else f"%{byte:02X}" for byte in raw])


def _freed(escape: re.Match[bytes], free: frozenset[int] = _UNRESERVED) -> bytes:
    byte = int(escape[1], 16)
    return bytes([byte]) if byte in free else escape[0].upper()


def _freed_in_query(escape: re.Match[bytes]) -> bytes:
    return _freed(escape, _UNRESERVED | _IN_QUERY)


def _groups(text: str) -> Iterator[tuple[frozenset[str], list[Rule], float | None]]:
    """Groups in their order: whom they name, their rules, their delay."""
    agents: set[str] = set()
    rules: list[Rule] = []
    delay: float | None = None
    begun = False
    for line in _LINE_ENDS.split(text):
        key, colon, value = line.partition("#")[0].partition(":")
        if not colon:
            continue
        key, value = key.strip().lower(), value.strip()
        if key == "user-agent":
            if begun:
                yield frozenset(agents), rules, delay
                agents, rules, delay, begun = set[str](), [], None, False
            found = _PRODUCT.match(value)
            agents.add(ANYBODY if value.split()[:1] == [ANYBODY] else found[0].lower() if found else "")
        elif key in ("allow", "disallow") and agents:
            begun = True
            if value:
                said = f"{key.capitalize()}: {value}"
                rules.append(Rule(key == "allow", _pattern(value), said if len(said) <= 200 else said[:199] + "…"))
        elif key == "crawl-delay" and agents:
            begun, delay = True, _delay(value)
    if agents:
        yield frozenset(agents), rules, delay


def _pattern(value: str) -> str:
    """A dollar sign is special at the end alone."""
    return normal(value[:-1].replace("$", "%24")) + value[-1] if "$" in value else normal(value)


def _delay(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return min(seconds, LONGEST_DELAY) if seconds > 0 else None


def _matches(pattern: str, target: str) -> bool:
    """Whether a target begins as the pattern says: `*` stands for anything, `$` at the end for the end."""
    closed = pattern.endswith("$")
    first, *parts = (pattern[:-1] if closed else pattern).split("*")
    if not target.startswith(first):
        return False
    at = len(first)
    if not parts:
        return not closed or at == len(target)
    last = parts.pop()
    for part in parts:
        at = target.find(part, at)
        if at < 0:
            return False
        at += len(part)
    if closed:
        return len(target) - len(last) >= at and target.endswith(last)
    return target.find(last, at) >= 0
