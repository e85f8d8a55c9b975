"""Shows a kept page in the person's browser, where the page may do nothing: it came from a stranger's site.

A page lies inside a frame that is sandboxed without any permission, in a document whose policy forbids everything but
styles and pictures that it carries itself. So it runs no script, sends no form, fetches nothing and leads nowhere.
"""

import html
import re
import shutil
import tempfile
import webbrowser
from pathlib import Path
from typing import NamedTuple

from scrapeyard.cli.wording import plain, stamp
from scrapeyard.model.capture import Kept

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'"
_FILES = {
    b"%PDF": ".pdf",
    b"\x89PNG": ".png",
    b"\xff\xd8\xff": ".jpg",
    b"GIF8": ".gif",
}
"""What a browser may show as it is, told by the first bytes, never by what the site called it."""

_LARGEST_TEXT = 16 << 20
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)

_FRAME = """<!doctype html>
<html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>
body {{ margin: 0; font: 14px system-ui, sans-serif; display: flex; flex-direction: column; height: 100vh }}
p {{ margin: 0; padding: 8px 12px; background: #223; color: #fff; overflow-wrap: anywhere }}
iframe {{ flex: 1; border: 0 }}
pre {{ margin: 0; padding: 12px; white-space: pre-wrap; overflow-wrap: anywhere }}
</style></head>
<body><p>{title}<br>{about}</p>
{inner}
</body></html>
"""


class Shown(NamedTuple):
    """Where the copy lies, and whether a browser took it."""

    path: Path
    opened: bool


def show(kept: Kept) -> Shown:
    """Write a harmless copy to a folder that only this person may read, and open it."""
    folder = Path(tempfile.mkdtemp(prefix="scrapeyard-"))
    start = kept.body[:8] if kept.path is None else _start(kept.path)
    tail = next((tail for mark, tail in _FILES.items() if start.startswith(mark)), None)
    path = folder / f"page{tail or '.html'}"
    if tail is None:
        path.write_text(framed(kept), encoding="utf-8")
    elif kept.path is None:
        path.write_bytes(kept.body)
    else:
        shutil.copyfile(kept.path, path)
    return Shown(path, _open(path))


def told(kept: Kept, shown: Shown) -> str:
    """What to tell about it."""
    what = f"{plain(kept.name)} of {plain(kept.url)}"
    if shown.opened:
        return f"Opened {what}; the copy lies in {shown.path}."
    return f"No browser could be opened here. {what} lies in {shown.path}; open that file in a browser."


def framed(kept: Kept) -> str:
    """A document with the page inside, unable to do anything."""
    body = kept.body if kept.path is None else kept.path.read_bytes()[:_LARGEST_TEXT]
    text = body[:_LARGEST_TEXT].decode(_charset(kept, body), "replace")
    page = "html" in kept.content_type.lower() or text.lstrip()[:1] == "<"
    inner = f'<iframe sandbox srcdoc="{html.escape(text)}"></iframe>' if page else f"<pre>{html.escape(text)}</pre>"
    about = f"status {kept.status}, kept at {stamp(kept.fetched)}; scripts, forms, links and outside pictures are off"
    return _FRAME.format(
        policy=html.escape(_POLICY),
        title=html.escape(plain(f"{kept.name}: {kept.url}", 2_000)),
        about=html.escape(about),
        inner=inner,
    )


def _charset(kept: Kept, body: bytes) -> str:
    named = _CHARSET.search(kept.content_type)
    declared = _META.search(body[:2_048])
    name = named[1] if named else declared[1].decode("ascii", "replace") if declared else "utf-8"
    try:
        "".encode(name)
    except (LookupError, UnicodeError):
        return "utf-8"
    return name


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(8)


def _open(path: Path) -> bool:
    try:
        return webbrowser.open(path.as_uri())
    except (webbrowser.Error, OSError):
        return False
