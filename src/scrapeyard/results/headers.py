"""The HTTP headers of a kept page, as text that is safe to store.

Headers come from strangers, through proxies that add their own. Secrets among them are blotted out, what does not
hold for a decoded body is left out, and no value may break out of its line and forge an entry of the archive.
"""

import re

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}")
_BREAKS = re.compile(r"[\r\n\0]+")
_LONGEST_LINE = 8_192
HEADERS_LIMIT = 65_536

_UNTRUE = frozenset({"content-encoding", "transfer-encoding", "content-length"})
_SECRET = frozenset(
    {
        "set-cookie",
        "set-cookie2",
        "cookie",
        "authorization",
        "proxy-authorization",
        "authentication-info",
        "proxy-authentication-info",
    }
)
_KNOWN_LIMIT = 2_000
_SCHEME_USER = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*://)[^/?#]*@")
URL_LIMIT = 8_192


class HeaderText:
    """Turns headers into lines. It remembers its verdict on each name, because sites repeat theirs."""

    def __init__(self) -> None:
        self._verdicts: dict[str, int] = {}

    def lines(self, headers: tuple[tuple[str, str], ...]) -> str:
        """All headers, each line ended with CR LF."""
        verdicts = self._verdicts
        kept: list[str] = []
        for name, value in headers:
            verdict = verdicts.get(name)
            if verdict is None:
                verdict = self._judge(name)
            if verdict == 1:
                kept.append(f"{name}: {value}\r\n")
            elif verdict == 2:
                kept.append(f"{name}: redacted\r\n")
        text = "".join(kept)
        count = len(kept)
        if text.count("\n") == count and text.count("\r") == count and "\0" not in text and len(text) < HEADERS_LIMIT:
            return text
        return _mended(kept)

    def _judge(self, name: str) -> int:
        """0 leaves a header out, 1 keeps it, 2 keeps the name alone."""
        plain = name.lower()
        verdict = 1
        if not _TOKEN.fullmatch(name) or plain in _UNTRUE:
            verdict = 0
        elif plain in _SECRET:
            verdict = 2
        if len(self._verdicts) < _KNOWN_LIMIT:
            self._verdicts[name] = verdict
        return verdict


def _mended(kept: list[str]) -> str:
    """The slow way, for headers that are not as they should be."""
    lines: list[str] = []
    room = HEADERS_LIMIT
    for line in kept:
        mended = f"{_BREAKS.sub(' ', line[:-2])[:_LONGEST_LINE]}\r\n"
        room -= len(mended)
        if room < 0:
            break
        lines.append(mended)
    return "".join(lines)


def clean_url(url: str) -> str:
    """An address in plain ASCII on one line, without the user and password that it may carry."""
    if "@" in url:
        url = _SCHEME_USER.sub(r"\1", url)
    if url.isascii() and url.isprintable() and " " not in url:
        return url if len(url) <= URL_LIMIT else url[:URL_LIMIT]
    raw = url[:URL_LIMIT].encode("utf-8", "replace")
    return "".join(chr(byte) if 0x20 < byte < 0x7F else f"%{byte:02X}" for byte in raw)[:URL_LIMIT]


def clean_words(text: str, limit: int) -> str:
    """A short text on one line: control characters become spaces."""
    if text.isprintable() and len(text) <= limit:
        return text
    return "".join(sign if sign.isprintable() else " " for sign in text[:limit])
