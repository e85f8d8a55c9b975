"""A kept page is shown without being able to do anything: it came from a stranger's site."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

from scrapeyard.cli import showing
from scrapeyard.model.capture import Kept

HOSTILE = b"""<!doctype html><html><head><meta charset="iso-8859-1"><meta http-equiv="refresh" content="0;url=http://evil.example">
<script>document.title = "owned"</script></head><body onload="alert(1)">Mu\xf1oz "><iframe src="http://evil.example"></iframe>
</body></html>"""


def kept(body: bytes, content_type: str = "text/html", url: str = "https://tax.example/a?b=<c>") -> Kept:
    return Kept("detail", url, 200, (), content_type, 0.0, body)


class Tags(HTMLParser):
    """The tags of the outer document, as a browser would see them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def test_the_page_lies_in_a_frame_that_may_do_nothing() -> None:
    frames = Tags(showing.framed(kept(HOSTILE))).named("iframe")
    assert len(frames) == 1, "the page's own frame stays text inside ours"
    assert set(frames[0]) == {"sandbox", "srcdoc"}
    assert not frames[0]["sandbox"], "no permission at all"
    assert 'onload="alert(1)"' in (frames[0]["srcdoc"] or "")


def test_no_script_of_the_page_is_part_of_the_outer_document() -> None:
    tags = Tags(showing.framed(kept(HOSTILE)))
    assert tags.named("script") == []
    policy = next(each["content"] or "" for each in tags.named("meta") if each.get("http-equiv"))
    assert "default-src 'none'" in policy
    assert "form-action 'none'" in policy
    assert "script" not in policy


def test_the_policy_comes_before_anything_of_the_page() -> None:
    text = showing.framed(kept(HOSTILE))
    assert text.index("Content-Security-Policy") < text.index("<iframe")


def test_the_address_is_text() -> None:
    assert "<c>" not in showing.framed(kept(b"<p>x"))


def test_text_keeps_its_letters() -> None:
    assert "Muñoz" in showing.framed(kept(HOSTILE))
    assert "Muñoz" in showing.framed(kept("<p>Muñoz".encode()))
    assert "Muñoz" in showing.framed(kept("<p>Muñoz".encode("cp1252"), "text/html; charset=windows-1252"))


def test_a_charset_that_nobody_knows_is_no_error() -> None:
    assert "x" in showing.framed(kept(b"<p>x", "text/html; charset=klingon"))
    assert "x" in showing.framed(kept(b"<p>x", "text/html; charset=rot13"))


def test_json_is_shown_as_text() -> None:
    assert "<pre>{&quot;a&quot;: 1}</pre>" in showing.framed(kept(b'{"a": 1}', "application/json"))


@pytest.mark.parametrize(
    ("body", "claimed", "tail"),
    [
        (b"%PDF-1.7 ...", "text/html", ".pdf"),
        (b"\x89PNG\r\n", "image/png", ".png"),
        (b"<svg onload=alert(1)>", "image/svg+xml", ".html"),
        (b"<html>", "application/pdf", ".html"),
    ],
)
def test_what_a_file_is_its_bytes_tell(
    body: bytes, claimed: str, tail: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("webbrowser.open", lambda _: True)
    shown = showing.show(kept(body, claimed))
    assert shown.path.suffix == tail
    assert shown.path.parent.stat().st_mode & 0o077 == 0, "for this person's eyes only"


def test_without_a_browser_it_is_said_where_the_copy_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("webbrowser.open", lambda _: False)
    page = kept(b"<p>x")
    shown = showing.show(page)
    assert not shown.opened
    assert str(shown.path) in showing.told(page, shown)
