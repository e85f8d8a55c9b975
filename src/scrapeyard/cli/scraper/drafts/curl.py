"""Read a curl command line, as browsers copy one, without ever running it.

It is text from a clipboard: it may name files to send, other programs, or options that matter to nobody but curl.
Words are taken apart as a shell would; nothing is expanded, read or executed.
"""

import re
import shlex
from collections.abc import Callable
from typing import Final
from urllib.parse import quote_plus

from scrapeyard.cli.scraper.drafts.asked import Asked, Pairs, checked_url, pairs_of, sorted_headers
from scrapeyard.model.errors import BadInput

LONGEST: Final = 512 * 1024

_DOLLAR_QUOTED: Final = re.compile(r"(?<![^\s=])\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|([0-7]{1,3})|(.))", re.DOTALL)
_PLAIN: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}

_NAMES: Final = {
    "-X": "--request", "-H": "--header", "-d": "--data", "-F": "--form", "-b": "--cookie", "-u": "--user",
    "-A": "--user-agent", "-e": "--referer", "-G": "--get", "-I": "--head", "-o": "--output", "-m": "--max-time",
    "-x": "--proxy", "-c": "--cookie-jar", "-k": "--insecure", "-L": "--location", "-s": "--silent",
    "-v": "--verbose", "-i": "--include", "-f": "--fail", "-g": "--globoff", "-N": "--no-buffer", "-U": "--proxy-user",
    "-E": "--cert", "-w": "--write-out", "-O": "--remote-name", "-4": "--ipv4", "-6": "--ipv6", "-0": "--http1.0",
    "-S": "--show-error",
}  # fmt: skip
_DATA: Final = frozenset({"--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json"})
_SECRETS: Final = frozenset({"--cookie", "--user", "--proxy-user", "--cert", "--key", "--oauth2-bearer"})
_WITH_VALUE: Final = _DATA | _SECRETS | {
    "--request", "--header", "--form", "--form-string", "--user-agent", "--referer", "--output", "--max-time",
    "--proxy", "--cookie-jar", "--write-out", "--url", "--connect-timeout", "--cacert", "--resolve", "--retry",
    "--max-redirs", "--interface", "--ciphers", "--tls-max",
}  # fmt: skip
_ALONE: Final = frozenset(
    {"--get", "--head", "--insecure", "--location", "--silent", "--show-error", "--verbose", "--include", "--fail",
     "--globoff", "--no-buffer", "--compressed", "--http1.1", "--http2", "--http3", "--http1.0", "--ipv4", "--ipv6",
     "--remote-name", "--no-progress-meter", "--path-as-is"}
)  # fmt: skip


class _Line:
    """What one command line has said so far."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.method = ""
        self.headers: list[tuple[str, str]] = []
        self.data: list[str] = []
        self.parts: list[tuple[str, str]] = []
        self.secrets: list[str] = []
        self.alone: set[str] = set()

    def take(self, option: str, value: str) -> None:
        """Note one option with its value."""
        if option == "--url":
            self.urls.append(value)
        elif option == "--request":
            self.method = value.upper()
        elif option == "--header":
            name, _, said = value.partition(":")
            self.headers.append((name, said))
        elif option in _DATA:
            self.data.append(_data(option, value))
            if option == "--json":
                self.headers.append(("accept", "application/json"))
        elif option in {"--form", "--form-string"}:
            name, _, said = value.partition("=")
            if option == "--form" and said[:1] in {"@", "<"}:
                raise _reads_a_file(value)
            self.parts.append((name, said))
        elif option in _SECRETS:
            self.secrets.append(option.removeprefix("--"))


def parse_curl(text: str) -> Asked:
    """The request that a curl command line would send."""
    if len(text) > LONGEST:
        raise BadInput(f"The command line is longer than {LONGEST >> 10} KiB; copy one request only.")
    words = _words(text)
    if not words or words[0].rpartition("/")[2] not in {"curl", "curl.exe"}:
        raise BadInput("This is not a curl command; in the browser's network panel choose 'Copy as cURL (bash)'.")
    line = _line(words[1:])
    if len(line.urls) != 1:
        raise BadInput(f"The command names {len(line.urls)} addresses; give a command with exactly one.")
    kept, dropped = sorted_headers(tuple(line.headers))
    url, body = checked_url(line.urls[0]), "&".join(line.data)
    if "--get" in line.alone and body:
        url, body = f"{url}{'&' if '?' in url else '?'}{body}", ""
    is_form = bool(body) and _content_type(line) in {"", "application/x-www-form-urlencoded"} and body[:1] not in "{["
    method = line.method or ("POST" if body or line.parts else "HEAD" if "--head" in line.alone else "GET")
    if method not in {"GET", "POST"}:
        raise BadInput(f"The command sends {method}; a scraper asks with GET or POST.")
    fields: Pairs = tuple(line.parts) or (pairs_of(body) if is_form else ())
    return Asked(
        method=method,
        url=url,
        fields=fields,
        body="" if fields else body,
        headers=kept,
        dropped=(*dropped, *line.secrets),
        multipart=bool(line.parts),
    )


def _words(text: str) -> list[str]:
    joined = re.sub(r"\\\r?\n", " ", text.strip())
    joined = _DOLLAR_QUOTED.sub(lambda found: shlex.quote(_unescaped(found[1])), joined)
    try:
        return shlex.split(joined)
    except ValueError as error:
        raise BadInput(f"The command line is not complete ({error}); copy it again, all of it.") from error


def _line(words: list[str]) -> _Line:
    line = _Line()
    ahead = iter(words)

    def following(option: str) -> str:
        value = next(ahead, None)
        if value is None:
            raise BadInput(f"The command ends after {option}; copy it again, all of it.")
        return value

    for word in ahead:
        if word in {"|", "||", "&&", ";", ">", ">>", "<", "&"}:
            raise BadInput(f"The text goes on with {word!r} after the command; give the curl command alone.")
        if word.startswith("-") and word != "-":
            _option(line, word, following)
        else:
            line.urls.append(word)
    return line


def _option(line: _Line, word: str, following: Callable[[str], str]) -> None:
    """One word that begins with a dash: `--data x`, `-d x`, `-dx`, or several letters in one as in `-sSL`."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        if name in _WITH_VALUE:
            return line.take(name, value if equals else following(name))
        if name in _ALONE:
            line.alone.add(name)
            return None
        raise _unknown(name)
    for place in range(1, len(word)):
        name = _NAMES.get(f"-{word[place]}")
        if name is None:
            raise _unknown(f"-{word[place]}")
        if name in _WITH_VALUE:
            return line.take(name, word[place + 1 :] or following(word))
        line.alone.add(name)
    return None


def _data(option: str, value: str) -> str:
    if option == "--data-urlencode":
        name, equals, text = value.partition("=")
        if not equals and "@" in value:
            raise _reads_a_file(value)
        return f"{name}={quote_plus(text)}" if equals and name else quote_plus(text or name)
    if value.startswith("@") and option != "--data-raw":
        raise _reads_a_file(value)
    return value


def _content_type(line: _Line) -> str:
    types = [value for name, value in line.headers if name.strip().lower() == "content-type"]
    return types[-1].partition(";")[0].strip().lower() if types else ""


def _unescaped(text: str) -> str:
    def sign(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        if code:
            return chr(int(code, 16))
        return chr(int(found[3], 8)) if found[3] else _PLAIN.get(found[4], found[4])

    return _ESCAPE.sub(sign, text)


def _reads_a_file(value: str) -> BadInput:
    return BadInput(f"The command sends a file ({value[:60]}); only requests that carry their own data can be drafted.")


def _unknown(option: str) -> BadInput:
    return BadInput(f"curl's option {option[:40]} is not known here; remove it from the command and try again.")
