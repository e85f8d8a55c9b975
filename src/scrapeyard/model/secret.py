"""A word that nobody may read: passwords, keys, and whatever else the settings only refer to.

It is handed on as a value that cannot be shown or written down by accident; whoever needs the word itself asks for it
by name. What slipped into a text all the same (an error of somebody's library, a line that an author prints) is
blotted out before the text is kept, in the spellings in which a secret travels.
"""

import base64
import hmac
import json
import re
from collections.abc import Iterable
from typing import Final, NoReturn
from urllib.parse import quote, quote_plus

SHORTEST: Final = 4
"""Characters of the shortest secret. A shorter one cannot be blotted out without making every text unreadable."""
BLOT: Final = "[secret]"

_SIGNED = (
    (re.compile(r"(\b[a-z][a-z0-9+.-]{0,20}://)[^\s/?#@\"'<>]+@", re.IGNORECASE), rf"\1{BLOT}@"),
    (re.compile(r"(?<![\w.+-])[^\s:/@\"'<>]+:[^\s/@\"'<>]+@(?=[\w.-]+:\d)"), rf"{BLOT}@"),
    (
        re.compile(
            r"(\b(?:proxy-)?authorization\b[\"']?\s*[:=]\s*[\"']?(?:(?:basic|bearer|token|digest)\s+)?)[^\s\"',;]+",
            re.IGNORECASE,
        ),
        rf"\1{BLOT}",
    ),
    (re.compile(r"(\b(?:set-)?cookie\b[\"']?\s*[:=]\s*[\"']?)[^\"'\r\n]+", re.IGNORECASE), rf"\1{BLOT}"),
)
"""Where a secret stands that nobody told us of: before the host of an address, and in three headers."""


class Secret:
    """One secret. It shows itself as a blot, and no serializer and no pickle takes it."""

    __slots__ = ("_word",)

    def __init__(self, word: str) -> None:
        self._word = word

    def reveal(self) -> str:
        """The word itself, for the one place that needs it."""
        return self._word

    def __repr__(self) -> str:
        return f"Secret({BLOT})"

    def __str__(self) -> str:
        return BLOT

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(self._word.encode(), other._word.encode())

    def __hash__(self) -> int:
        return hash(self._word)

    def __reduce__(self) -> NoReturn:
        raise TypeError("A secret is never written down; hand its reference on instead.")


class Redaction:
    """Blots out every secret that it has learned of, as it is, as in an address, and as in base64."""

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        self._forms: dict[str, bytes] = {}
        for secret in secrets:
            self.learn(secret)

    def learn(self, secret: Secret) -> None:
        """One more. Secrets come to be known while we work: a provider's list names its own passwords."""
        if len(secret.reveal()) >= SHORTEST:
            self._forms |= {form: form.encode() for form in _forms(secret.reveal())}

    def text(self, said: str) -> str:
        """A text without them, nor what stands where secrets usually do."""
        for form in self._forms:
            if form in said:
                said = said.replace(form, BLOT)
        for sign, blotted in _SIGNED:
            said = sign.sub(blotted, said)
        return said

    def body(self, raw: bytes) -> bytes:
        """Bytes without them. Only secrets that are known: a page may speak of cookies as it likes."""
        for form in self._forms.values():
            if form in raw:
                raw = raw.replace(form, BLOT.encode())
        return raw


def _forms(word: str) -> tuple[str, ...]:
    """All spellings, the longest first, so that none leaves a rest of another."""
    spelled = {word, quote(word, safe=""), quote(word), quote_plus(word), json.dumps(word)[1:-1], repr(word)[1:-1]}
    spelled |= {re.sub("%[0-9A-F]{2}", lambda code: code[0].lower(), form) for form in spelled}
    raw = word.encode()
    for lead in range(3):  # where a secret begins within base64 decides how it looks there
        packed = base64.b64encode(bytes(lead) + raw).decode()
        first = (0, 2, 3)[lead]
        last = len(packed.rstrip("=")) - (1 if (lead + len(raw)) % 3 else 0)
        core = packed[first:last]
        spelled |= {core, core.replace("+", "-").replace("/", "_")}
    return tuple(sorted((form for form in spelled if len(form) >= SHORTEST), key=len, reverse=True))
