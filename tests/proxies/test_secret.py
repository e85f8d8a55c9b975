"""A secret shows itself nowhere, and is blotted out wherever it slipped into."""

import base64
import json
import pickle
from urllib.parse import quote, quote_plus

import msgspec
import pytest

from scrapeyard.model.errors import Refused
from scrapeyard.model.secret import Redaction, Secret
from scrapeyard.scraping.secrets import Secrets, hide, is_reference

WORD = "pa/ss+w:örd&7"


@pytest.mark.parametrize("show", [repr, str, "{}".format, lambda one: f"{one!r} {one}", lambda one: str([one])])
def test_a_secret_does_not_show_itself(show):
    assert WORD not in show(Secret(WORD))
    assert "[secret]" in show(Secret(WORD))


@pytest.mark.parametrize("write", [json.dumps, msgspec.json.encode, msgspec.msgpack.encode, pickle.dumps])
def test_a_secret_cannot_be_written_down(write):
    with pytest.raises(TypeError):
        write(Secret(WORD))


def test_a_secret_is_told_to_who_asks_for_it_by_name():
    assert Secret(WORD).reveal() == WORD
    assert Secret(WORD) == Secret(WORD) != Secret("another")


SPELLINGS = {
    "as it is": WORD,
    "in an address": quote(WORD, safe=""),
    "in an address, small letters": quote(WORD, safe="").lower(),
    "in a path": quote(WORD),
    "in a form": quote_plus(WORD),
    "in JSON": json.dumps(WORD)[1:-1],
    "in base64": base64.b64encode(WORD.encode()).decode(),
    "in base64 for addresses": base64.urlsafe_b64encode(WORD.encode()).decode(),
    **{
        f"in base64 behind {user!r}": base64.b64encode(f"{user}:{WORD}{tail}".encode()).decode()
        for user in ("a", "ab", "abc")
        for tail in ("", "x", "xy")
    },
}


@pytest.mark.parametrize("spelled", SPELLINGS.values(), ids=SPELLINGS)
def test_every_spelling_of_a_secret_is_blotted_out(spelled):
    redaction = Redaction([Secret(WORD)])
    for said in (f"it was {spelled}, they say", spelled):
        clean = redaction.text(said)
        assert "[secret]" in clean
        assert spelled not in clean
        assert WORD not in clean
        assert spelled.encode() not in redaction.body(said.encode())
    core = base64.b64encode(WORD.encode()).decode().rstrip("=")[:-1]
    assert core not in redaction.text(spelled)


@pytest.mark.parametrize(
    ("said", "clean"),
    [
        ("see http://user:pw@proxy.example:80/x", "see http://[secret]@proxy.example:80/x"),
        ("via socks5h://u%20s:p@[::1]:1080", "via socks5h://[secret]@[::1]:1080"),
        ("proxy user:hunter2@10.0.0.1:8080 is down", "proxy [secret]@10.0.0.1:8080 is down"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer [secret]"),
        ("{'Proxy-Authorization': 'Basic dTpw'}", "{'Proxy-Authorization': 'Basic [secret]'}"),
        ("Cookie: a=b; c=d", "Cookie: [secret]"),
        ("Set-Cookie: sid=1234; Path=/", "Set-Cookie: [secret]"),
        ("mail me at bob@example.com, 12:30", "mail me at bob@example.com, 12:30"),
        ("see http://example.com/a@b?c=d", "see http://example.com/a@b?c=d"),
        ("'#lblOwner' is missing on http://a.example:80/x", "'#lblOwner' is missing on http://a.example:80/x"),
    ],
)
def test_what_nobody_told_us_of_is_found_by_where_it_stands(said, clean):
    assert Redaction().text(said) == clean


def test_pages_keep_what_only_looks_like_a_secret():
    body = b"<p>Cookie: a=b</p>http://user:pw@example.com"
    assert Redaction([Secret("other")]).body(body) == body


def test_references_are_resolved_from_the_environment_and_then_from_files(tmp_path):
    (tmp_path / "filed").write_text("from a file\n")
    (tmp_path / "both").write_text("from a file")
    secrets = Secrets(tmp_path, {"SCRAPEYARD_SECRET_GIVEN": "word", "SCRAPEYARD_SECRET_BOTH": "from outside"})
    assert secrets.resolve("secret://given").reveal() == "word"
    assert secrets.resolve("secret://filed").reveal() == "from a file"
    assert secrets.resolve("secret://both").reveal() == "from outside"
    assert secrets.word("secret://given") == "word"
    assert secrets.word("plain") == "plain"
    assert "from a file" not in secrets.redaction.text("it is from a file")


def test_an_unknown_secret_says_where_it_was_looked_for(tmp_path):
    with pytest.raises(Refused, match=r"set SCRAPEYARD_SECRET_MY_KEY or write the file .*/my-key"):
        Secrets(tmp_path, {}).resolve("secret://my-key")
    with pytest.raises(Refused, match=r"set SCRAPEYARD_SECRET_X\.$"):
        Secrets(None, {}).resolve("secret://x")


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a b", ".", "1a", "x" * 65])
def test_a_reference_names_no_path(tmp_path, name):
    assert not is_reference(f"secret://{name}")
    with pytest.raises(Refused, match="secret://NAME"):
        Secrets(tmp_path, {}).resolve(f"secret://{name}")


def test_a_secret_too_short_to_be_blotted_out_is_refused():
    with pytest.raises(Refused, match="shorter than 4") as raised:
        Secrets(None, {"SCRAPEYARD_SECRET_PIN": "123"}).resolve("secret://pin")
    assert "123" not in str(raised.value)


def test_a_file_of_secrets_has_a_size_limit(tmp_path):
    (tmp_path / "huge").write_bytes(b"x" * ((1 << 20) + 1))
    with pytest.raises(Refused, match="too large"):
        Secrets(tmp_path, {}).resolve("secret://huge")


def test_what_we_start_inherits_no_secret():
    environ = {"SCRAPEYARD_SECRET_A": "x", "SCRAPEYARD_SECRETS_DIR": "/s", "HOME": "/h"}
    hide(environ)
    assert environ == {"SCRAPEYARD_SECRETS_DIR": "/s", "HOME": "/h"}
