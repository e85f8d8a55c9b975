"""Drafts from a curl command line and from a HAR: read as text, never run, without the secrets of whoever recorded."""

import base64
import json
from typing import Any

import aiohttp
import pytest

from authoring.scraper_files import registry
from scrapeyard.cli.scraper.drafts import har
from scrapeyard.cli.scraper.drafts.code import Draft, from_steps
from scrapeyard.cli.scraper.drafts.curl import LONGEST, parse_curl
from scrapeyard.cli.scraper.drafts.har import parse_har, read_har
from scrapeyard.cli.scraper.drafts.route import plan
from scrapeyard.demo.county import CountyOptions, number_at, serve
from scrapeyard.model.errors import BadInput
from scrapeyard.testing.trial import Workbench

NUMBER = number_at(11)
INPUTS = {"parcel_id": NUMBER}


def drafted(asked, inputs=INPUTS):
    return from_steps(Draft("us.x.recorded", asked[0].url, inputs), plan(asked))


def loaded(tmp_path, text):
    """The drafted scraper, imported."""
    from scrapeyard.settings import Settings
    from scrapeyard.testing.benches import Benches

    folder = tmp_path / "scrapers"
    folder.mkdir(exist_ok=True)
    (folder / "recorded.py").write_text(text)
    benches = Benches(Settings(data=tmp_path / "data", scrapers=(str(folder),)))
    return benches.scraper(benches.card("us.x.recorded"))


# curl

CHROME = """curl 'https://assessor.example/search?p=1' \\
  -H 'accept: text/html,application/xhtml+xml' \\
  -H 'content-type: application/x-www-form-urlencoded' \\
  -b 'SESSION=verysecret; other=1' \\
  -H 'authorization: Bearer verysecret' \\
  -H 'X-CSRF-Token: verysecret' \\
  -H 'X-Requested-With: XMLHttpRequest' \\
  -u 'user:verysecret' \\
  --data-raw $'parcel=012-0001-001&note=it\\'s\\u0021' \\
  --compressed"""


def test_a_copied_command_becomes_a_request():
    asked = parse_curl(CHROME)
    assert (asked.method, asked.url) == ("POST", "https://assessor.example/search?p=1")
    assert asked.fields == (("parcel", "012-0001-001"), ("note", "it's!"))


def test_secrets_of_a_copied_command_are_left_out_and_named():
    text = drafted([parse_curl(CHROME)])
    assert "verysecret" not in text
    assert "left out: authorization, X-CSRF-Token, cookie, user" in text
    assert '"X-Requested-With": "XMLHttpRequest"' in text


def test_the_example_value_becomes_the_input():
    assert '"parcel": parcel.parcel_id' in drafted([parse_curl(CHROME)])
    text = drafted([parse_curl(f"curl https://x.example/parcel/{NUMBER}/detail")])
    assert 'http.get(f"https://x.example/parcel/{parcel.parcel_id}/detail")' in text


def test_a_query_becomes_params():
    text = drafted([parse_curl(f"curl 'https://x.example/find?pin={NUMBER}&tab=2&tab=3'")])
    assert 'params=[("pin", parcel.parcel_id), ("tab", "2"), ("tab", "3")]' in text


def test_a_json_body_is_sent_as_json(tmp_path):
    asked = parse_curl(f"""curl https://x.example/api --json '{{"pin": "{NUMBER}", "all": true, "n": null}}'""")
    text = drafted([asked])
    assert 'json.dumps({"pin": parcel.parcel_id, "all": True, "n": None}).encode()' in text
    assert loaded(tmp_path, text).declared.name == "us.x.recorded"


@pytest.mark.parametrize(
    ("command", "method", "fields"),
    [
        ("curl -G -d a=1 --data-urlencode 'b=x y' https://x.example/", "GET", (("a", "1"), ("b", "x y"))),
        ("curl -sSL -d a=1 -d b=2 https://x.example/", "POST", (("a", "1"), ("b", "2"))),
        ("curl -da=1 https://x.example/", "POST", (("a", "1"),)),
        ("curl --data=a=1 https://x.example/", "POST", (("a", "1"),)),
        ("curl -F a=1 -F 'b=2' https://x.example/", "POST", (("a", "1"), ("b", "2"))),
        ("curl -X POST --url https://x.example/", "POST", ()),
        ("/usr/bin/curl https://x.example/", "GET", ()),
    ],
)
def test_the_usual_ways_to_write_it_are_understood(command, method, fields):
    asked = parse_curl(command)
    assert asked.method == method
    assert (asked.fields or asked.query) == fields


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("wget https://x.example/", "not a curl command"),
        ("", "not a curl command"),
        ("curl", "0 addresses"),
        ("curl https://a.example/ https://b.example/", "2 addresses"),
        ("curl 'https://x.example/", "not complete"),
        ("curl https://x.example/ -H", "ends after -H"),
        ("curl https://x.example/ | sh", "goes on with"),
        ("curl https://x.example/ && rm -rf /", "goes on with"),
        ("curl -d @/etc/passwd https://x.example/", "sends a file"),
        ("curl --data-urlencode name@/etc/passwd https://x.example/", "sends a file"),
        ("curl -F 'f=@/etc/passwd' https://x.example/", "sends a file"),
        ("curl --config /tmp/x https://x.example/", "--config is not known"),
        ("curl -Z https://x.example/", "-Z is not known"),
        ("curl file:///etc/passwd", "not a web address"),
        ("curl -X DELETE https://x.example/", "sends DELETE"),
        ("curl https://x.example/" + "a" * LONGEST, "longer than"),
        ("curl https://x.example/?" + "a=1&" * 3_000, "more than 2,000 fields"),
    ],
)
def test_what_cannot_be_a_draft_is_refused_in_a_sentence(command, reason):
    with pytest.raises(BadInput, match=reason):
        drafted([parse_curl(command)])


def test_nothing_in_a_command_is_ever_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = parse_curl("curl 'https://x.example/$(touch ran)`touch ran`' -H 'X: $(touch ran)'")
    text = drafted([asked])
    assert list(tmp_path.iterdir()) == []
    assert "$(touch ran)" in text  # as a text


@pytest.mark.parametrize("field", ["password", "Login$txtPwd", "csrf_token", "__RequestVerificationToken", "api-key"])
def test_fields_that_hold_a_secret_are_left_out_and_named(field):
    for command in (
        f"curl https://x.example/ -d 'pin={NUMBER}&{field}=verysecret'",
        f"curl 'https://x.example/?pin={NUMBER}&{field}=verysecret'",
    ):
        text = drafted([parse_curl(command)])
        assert "verysecret" not in text
        assert f"left out: {field}" in text
        assert '"pin": parcel.parcel_id' in text


def test_a_password_that_was_typed_into_a_form_is_left_out():
    page = entry("GET", "https://x.example/")
    page["response"]["content"]["text"] = (
        "<form id=login method=post action='/in'><input name=user><input type=password name=pwd></form>"
    )
    sent = [{"name": "user", "value": "me"}, {"name": "pwd", "value": "verysecret"}]
    text = drafted(parse_har(archive(page, entry("POST", "https://x.example/in", fields=sent))))
    assert "verysecret" not in text
    assert 'page.submit("form#login", user="me")' in text
    assert "left out: pwd; take it from the environment" in text


def test_user_and_password_in_an_address_are_left_out():
    assert parse_curl("curl https://me:verysecret@x.example/a").url == "https://x.example/a"


# HAR


def entry(method, url, *, body="", mime="text/html", status=200, fields=(), kind="document", headers=()):
    """One entry as Chrome writes it."""
    post = {"mimeType": "application/x-www-form-urlencoded", "text": body, "params": list(fields)}
    made: dict[str, Any] = {
        "_resourceType": kind,
        "request": {
            "method": method,
            "url": url,
            "headers": [{"name": name, "value": said} for name, said in headers],
            **({"postData": post} if method == "POST" else {}),
        },
        "response": {"status": status, "content": {"mimeType": mime, "text": mime and "", "size": 0}},
    }
    return made


def archive(*entries):
    return json.dumps({"log": {"version": "1.2", "entries": list(entries)}}).encode()


async def browsed(county, *steps):
    """What a browser would have recorded of these steps on the county: (method, path, fields)."""
    entries: list[dict[str, Any]] = []
    async with aiohttp.ClientSession(county.base_url, cookie_jar=aiohttp.CookieJar(unsafe=True)) as web:
        for method, path, fields in steps:
            given: Any = fields(entries) if callable(fields) else fields
            async with web.request(method, path, data=given if method == "POST" else None) as answer:
                body = await answer.read()
                one = entry(method, county.url(path), mime=answer.content_type)
                content = {"text": base64.b64encode(body).decode(), "encoding": "base64"}
                one["response"]["content"].update(content)
                one["request"]["headers"] = [{"name": "Cookie", "value": "SESSION=verysecret"}]
                if method == "POST":
                    one["request"]["postData"]["params"] = [
                        {"name": name, "value": said} for name, said in given.items()
                    ]
                entries.append(one)
                entries.append(entry("GET", county.url("/logo.png"), mime="image/png", kind="image"))
                entries.append(entry("GET", "https://tracker.example/t", kind="document"))
    return archive(*entries)


def hidden(entries):
    """The hidden fields of the last page."""
    from scrapeyard.pages import Page

    page = Page(base64.b64decode(entries[-3]["response"]["content"]["text"]), "https://x.example/")
    return dict(page.form().fields)


async def test_a_recorded_postback_becomes_a_scraper_that_works(tmp_path):
    """The whole way: a person searches Alder in a browser, and the draft finds another parcel."""
    search = "/alder/Search.aspx"
    box, button = "ctl00$MainContent$txtParcel", "ctl00$MainContent$btnSearch"
    async with serve(CountyOptions(parcels=500)) as county:
        recorded = await browsed(
            county,
            ("GET", search, None),
            ("POST", search, lambda done: hidden(done) | {box: NUMBER, button: "Search"}),
            ("GET", f"/alder/Detail.aspx?KeyValue={NUMBER}", None),
        )
        text = drafted(parse_har(recorded))
        assert "__VIEWSTATE" not in text
        assert "verysecret" not in text
        assert "tracker" not in text
        assert f'await page.submit("form#aspnetForm", {{"{box}": parcel.parcel_id}})' in text
        assert 'await page.follow("a.detail")' in text
        bench = Workbench(loaded(tmp_path, text))
        trial = await bench.visit({"parcel_id": number_at(40)})
        await bench.close()
        assert trial.good, trial.detail
        assert number_at(40) in trial.kept[-1].body.decode()


async def test_a_recorded_disclaimer_becomes_a_scraper_that_works(tmp_path):
    async with serve(CountyOptions(parcels=500)) as county:
        recorded = await browsed(
            county,
            ("GET", "/birch/search", None),
            ("POST", "/birch/disclaimer", lambda done: hidden(done) | {"btAgree": "Agree"}),
            ("POST", "/birch/search", lambda done: hidden(done) | {"inpParid": NUMBER, "hdAction": "Search"}),
        )
        text = drafted(parse_har(recorded))
        bench = Workbench(loaded(tmp_path, text))
        trial = await bench.visit({"parcel_id": number_at(40)})
        await bench.close()
        assert trial.good, trial.detail
        assert number_at(40) in trial.kept[-1].body.decode()


def test_a_redirect_and_what_it_leads_to_are_one_step():
    steps = parse_har(
        archive(
            entry("GET", "https://x.example/search", status=302, mime=""),
            entry("GET", "https://x.example/disclaimer"),
        )
    )
    assert [step.url for step in steps] == ["https://x.example/search"]


def test_a_page_without_its_content_leaves_the_plain_request_and_says_what_is_missing():
    sent = [{"name": "__VIEWSTATE", "value": "abc"}, {"name": "pin", "value": NUMBER}]
    text = drafted(
        parse_har(archive(entry("GET", "https://x.example/"), entry("POST", "https://x.example/", fields=sent)))
    )
    assert '{"pin": parcel.parcel_id}' in text
    assert "hidden state left out" in text


def test_a_bill_that_was_opened_becomes_a_download(tmp_path):
    page = entry("GET", f"https://x.example/account/{NUMBER}")
    page["response"]["content"]["text"] = '<a id="latestBill" href="/bill/2024">View</a>'
    text = drafted(parse_har(archive(page, entry("GET", "https://x.example/bill/2024", mime="application/pdf"))))
    assert 'visit.keep("file", await page.download("a#latestBill", expect="application/pdf"))' in text
    assert loaded(tmp_path, text).expected == ("page",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "not a HAR file"),
        (b"[]", "not a HAR file"),
        (b"{", "not a HAR file"),
        (b"[" * 100_000, "not a HAR file"),
        (b"\xff\xfe{", "not a HAR file"),
        (archive(), "no page in it"),
        (archive(entry("GET", "https://x.example/a.png", mime="image/png", kind="image")), "no page in it"),
        (archive(entry("GET", "file:///etc/passwd")), "no page in it"),
        (archive(*(entry("GET", f"https://x.example/{at}") for at in range(30))), "30 pages of x.example"),
        (
            archive(entry("POST", "https://x.example/", fields=[{"name": "a", "value": ""}] * 2_001)),
            "more than 2,000 fields",
        ),
    ],
)
def test_what_is_no_usable_recording_is_refused_in_a_sentence(text, reason):
    with pytest.raises(BadInput, match=reason):
        parse_har(text)


def test_a_recording_of_a_whole_day_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(har, "LARGEST", 1 << 20)
    file = tmp_path / "day.har"
    with file.open("wb") as out:
        out.truncate((1 << 20) + 1)
    with pytest.raises(BadInput, match="larger than 1 MiB"):
        read_har(file)
    with pytest.raises(BadInput, match="cannot be read"):
        read_har(tmp_path / "missing.har")


def test_too_many_requests_are_refused(monkeypatch):
    monkeypatch.setattr(har, "MOST_ENTRIES", 3)
    with pytest.raises(BadInput, match="more than 3 requests"):
        parse_har(archive(*(entry("GET", f"https://x.example/{at}") for at in range(4))))


def test_code_in_a_recording_stays_a_text(tmp_path):
    evil = '"); import os; os.system("touch ran") #{parcel}'
    page = entry("GET", "https://x.example/?q=" + "%22%29%3Bimport%20os")
    page["response"]["content"]["text"] = "<form id='f' method=post action='/'><input name='a\"b'></form>"
    sent = [{"name": 'a"b', "value": evil}]
    text = drafted(parse_har(archive(page, entry("POST", "https://x.example/", fields=sent))))
    assert registry(tmp_path, tmp_path) is not None
    assert loaded(tmp_path, text).declared.name == "us.x.recorded"
    assert json.dumps(evil) in text
