"""The commands of a scraper's author: what they print, what they refuse, and their exit codes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from authoring.scraper_files import module, write
from scrapeyard.cli.main import app
from scrapeyard.demo.county import number_at

DEMO = ["--scrapers", "scrapeyard.demo.scrapers"]
RECORDED = "county.plain/001-0001-001"


@pytest.fixture(scope="module")
def address():
    """A county in a process of its own, since each command runs a loop of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "scrapeyard.demo.county", "--until-eof"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    yield process.stdout.readline().decode().strip()
    process.stdin.close()
    process.wait(timeout=20)


@pytest.fixture
def here(tmp_path, monkeypatch, address):
    """An empty folder to work in, the county reachable."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COUNTY_URL", address)
    return tmp_path


def call(*words, code=0, given=None):
    """Type a command; gives what it printed, results and remarks."""
    result = CliRunner().invoke(app, ["scraper", *words], input=given)
    assert result.exit_code == code, result.output
    return result


def shapes(result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def mine(here):
    """A copy of the plain scraper, to be broken at will."""
    from scrapeyard.demo.scrapers import county, plain

    for each in (plain, county):
        write(here, {f"scrapers/{each.__name__.rpartition('.')[2]}.py": Path(str(each.__file__)).read_text()})
    return here / "scrapers" / "plain.py"


# list and show


def test_the_list_shows_all_and_then_what_is_broken(here):
    texts = {"a.py": module("us.a"), "b.py": module("us.b", after="\nraise RuntimeError('no such table')\n")}
    write(here / "scrapers", texts)
    result = call("list")
    assert result.stdout.startswith("us.a\t1\tcounty.test\tparcel_id\tRow\tWhat us.a shows.")
    assert "1 place cannot be read:" in result.stderr
    assert "no such table" in result.stderr


def test_the_list_for_a_program_has_a_line_for_each_and_the_schemas(here):
    write(here / "scrapers", {"a.py": module("us.a"), "b.py": "def broken(:"})
    first, second = shapes(call("list", "--json"))
    assert first["name"] == "us.a"
    assert first["records"]["Row"]["properties"]["parcel_id"]["type"] == "string"
    assert second["broken"].endswith("b.py")
    assert second["reason"].startswith("line 1: ")


def test_an_empty_folder_says_how_to_begin(here):
    (here / "scrapers").mkdir()
    assert "scrapeyard scraper new" in call("list").stderr


def test_a_scraper_is_shown_with_its_limits_models_and_sentinels(here):
    text = call("show", "county.fir", *DEMO).stdout
    assert "300 requests a second, 8 items at once" in text
    assert "keeps      account, bill" in text
    assert "sentinels  001-0001-001" in text
    assert "balance              amount" in text
    [shape] = shapes(call("show", "county.fir", "--json", *DEMO))
    assert shape["site"] == {"name": "fir.county.example", "rate": 300, "concurrency": 8}


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(here):
    assert "did you mean county.fir" in call("show", "county.fer", *DEMO, code=1).stderr


# new


def test_new_writes_a_file_that_lists_and_shows(here):
    result = call("new", "us.ca.alameda", "--template", "pdf-bill", "--input", "parcel_id=001-0001-001")
    assert result.stdout == "scrapers/us_ca_alameda.py\n"
    assert "scrapeyard scraper try scrapers/us_ca_alameda.py parcel_id=001-0001-001" in result.stderr
    assert "account, bill" in call("show", "us.ca.alameda").stdout
    assert "account, bill" in call("show", "scrapers/us_ca_alameda.py").stdout


def test_new_replaces_nothing_unless_it_is_told_to(here):
    call("new", "us.a")
    (here / "scrapers" / "us_a.py").write_text("mine")
    assert "is there already" in call("new", "us.a", code=1).stderr
    assert (here / "scrapers" / "us_a.py").read_text() == "mine"
    call("new", "us.a", "--force")
    assert (here / "scrapers" / "us_a.py").read_text() != "mine"


def test_new_takes_a_copied_command_from_standard_input(here):
    command = "curl 'https://x.example/find?pin=001-0001-001' -H 'Cookie: SESSION=verysecret'"
    call("new", "us.a", "--from-curl", "-", "--input", "pin=001-0001-001", given=command)
    text = (here / "scrapers" / "us_a.py").read_text()
    assert 'http.get("https://x.example/find", params={"pin": parcel.pin})' in text
    assert "verysecret" not in text


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["../x"], 1, "no name for a scraper"),
        (["us.a", "--template", "nope"], 1, "There is no template 'nope'"),
        (["us.a", "--url", "file:///etc/passwd"], 1, "not a web address"),
        (["us.a", "--template", "one-page", "--from-curl", "curl x"], 2, "Give one of"),
        (["us.a", "--from-har", "missing.har"], 1, "cannot be read"),
        (["us.a", "--input", "class=1"], 1, "cannot be an input's name"),
    ],
)
def test_new_refuses_in_a_sentence(here, words, code, reason):
    assert reason in call("new", *words, code=code).stderr
    assert not (here / "scrapers").exists()


# try


def test_a_try_tells_every_request_page_field_and_record(here):
    text = call("try", "county.alder", "003-0001-001", *DEMO).stdout
    assert text.count("/alder/Search.aspx  200") == 2
    assert "page       text/html" in text
    assert "money('#ctl00_MainContent_lblTotalValue') → Decimal(" in text
    assert "YearValue  parcel_id=003-0001-001  year=2024" in text
    assert "succeeded: 7 records. 3 requests" in text


def test_a_try_without_inputs_takes_the_first_sentinel(here):
    assert '{"parcel_id":"001-0001-001"}' in call("try", "county.plain", *DEMO).stdout


def test_an_absent_item_is_an_answer(here):
    result = call("try", "county.plain", "parcel_id=001-0001-900", *DEMO)
    assert "absent: the site says that there is no such record." in result.stdout


def test_a_failing_selector_is_shown_with_what_stands_near_it(mine):
    mine.write_text(mine.read_text().replace("#lblTotalValue", "#lblTotalVal"))
    result = call("try", "county.plain", code=3)
    assert "money('#lblTotalVal') ✗" in result.stdout
    assert "#lblTotalValue <span> $" in result.stdout
    assert "failed (parse_empty)" in result.stdout


def test_a_bug_in_the_extractor_is_told_with_its_line(mine):
    mine.write_text(mine.read_text().replace("return Assessment(", "1 / 0\n    return Assessment("))
    result = call("try", "county.plain", code=3)
    assert "unreadable: ZeroDivisionError: division by zero (line " in result.stdout


def test_offline_reads_the_last_pages_again_without_the_site(mine, monkeypatch):
    call("try", "county.plain", "007-0001-001")
    monkeypatch.setenv("COUNTY_URL", "http://127.0.0.1:9")
    mine.write_text(mine.read_text().replace('"#lblOwner", default=None', '"#lblSitus"'))
    result = call("try", "county.plain", "--offline")
    assert "007-0001-001" in result.stdout
    assert "text('#lblSitus')" in result.stdout
    assert "asked" not in result.stdout


def test_offline_replays_a_visit_that_had_not_come_to_its_pages(here, monkeypatch):
    from scrapeyard.demo.scrapers import alder, county

    for each in (alder, county):
        text = Path(str(each.__file__)).read_text().replace("a.detail", "a.details")
        write(here, {f"scrapers/{each.__name__.rpartition('.')[2]}.py": text})
    assert "'a.details' is not on" in call("try", "county.alder", code=3).stdout
    monkeypatch.setenv("COUNTY_URL", "http://127.0.0.1:9")
    assert "'a.details' is not on" in call("try", "county.alder", "--offline", code=3).stdout
    file = here / "scrapers" / "alder.py"
    file.write_text(file.read_text().replace("a.details", "a.detail"))
    result = call("try", "county.alder", "--offline", code=3)
    assert "which the recorded visit did not" in result.stdout


def test_offline_before_any_try_says_what_to_do(here):
    assert "has not been tried here yet" in call("try", "county.plain", "--offline", *DEMO, code=2).stderr


def test_a_site_that_is_down_is_told_in_one_sentence(here, monkeypatch):
    monkeypatch.setenv("COUNTY_URL", "http://127.0.0.1:9")
    result = call("try", "county.plain", *DEMO, code=3)
    assert "failed (conn_reset)" in result.stdout or "failed (timeout_connect)" in result.stdout


def test_a_try_for_a_program_is_one_object(here):
    [shape] = shapes(call("try", "county.plain", "--json", *DEMO))
    assert shape["outcome"] == "succeeded"
    assert shape["requests"][0]["status"] == 200
    assert shape["records"]["Assessment"][0]["parcel_id"] == "001-0001-001"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["county.plain", "nope=1"], "has no input 'nope'; its inputs are parcel_id"),
        (["county.plain", "a", "b"], "is no input; write it as parcel_id=value"),
    ],
)
def test_inputs_that_make_no_sense_are_refused(here, words, reason):
    assert reason in call("try", *words, *DEMO, code=2).stderr


def test_a_file_that_is_not_there_is_refused(here):
    assert "There is no file 'scrapers/x.py'" in call("try", "scrapers/x.py", code=1).stderr


# shell


def test_the_shell_answers_one_question_about_the_page(here):
    result = call("shell", "county.plain", *DEMO, "--command", "text('#lblParcel'), len(css('table')), inputs")
    assert result.stdout.strip() == """('001-0001-001', 7, '{"parcel_id":"001-0001-001"}')"""


def test_the_shell_keeps_a_mistake_short(here):
    result = call("shell", "county.plain", *DEMO, "--command", "text('#nope')", code=1)
    assert "'#nope' is missing" in result.stderr
    assert "Traceback" not in result.stderr


def test_the_shell_is_a_prompt(here, monkeypatch):
    result = call("shell", "county.plain", *DEMO, given="page.title\n")
    assert "'Parcel Detail" in result.output or "Parcel Detail" in result.output


# record-case and test


def test_a_recorded_case_passes_and_a_changed_scraper_fails(mine, monkeypatch):
    assert call("record-case", "county.plain").stdout == f"scrapers/cases/{RECORDED}\n"
    monkeypatch.setenv("COUNTY_URL", "http://127.0.0.1:9")
    result = call("test")
    assert result.stdout == f"ok   {RECORDED}\n"
    assert "1 case passed, 0 failed." in result.stderr
    mine.write_text(mine.read_text().replace('money("#lblTotalValue")', 'money("#lblLandValue")'))
    result = call("test", code=3)
    assert f"FAIL {RECORDED}" in result.stdout
    assert "Assessment.total_value" in result.stdout
    [shape] = shapes(call("test", "--json", code=3))
    assert shape["passed"] is False
    assert shape["differences"][0]["where"] == "Assessment.total_value"


def test_a_visit_that_reached_nobody_makes_no_case(mine, monkeypatch):
    monkeypatch.setenv("COUNTY_URL", "http://127.0.0.1:9")
    assert "No case is kept" in call("record-case", "county.plain", code=1).stderr
    assert not (mine.parent / "cases").exists()


def test_update_makes_what_is_found_what_is_expected(mine):
    call("record-case", "county.plain")
    mine.write_text(mine.read_text().replace('money("#lblTotalValue")', 'money("#lblLandValue")'))
    assert "1 updated" in call("test", "--update").stderr
    assert call("test").stdout.startswith("ok ")


def test_the_last_try_can_be_kept_as_a_case(mine, monkeypatch):
    call("try", "county.plain", number_at(7))
    monkeypatch.setenv("COUNTY_URL", "http://127.0.0.1:9")
    call("record-case", "county.plain", "--last", "--name", "seven")
    assert call("test").stdout == "ok   county.plain/seven\n"


def test_one_spoilt_case_stops_none_of_the_others(mine):
    call("record-case", "county.plain")
    call("record-case", "county.plain", number_at(7))
    (mine.parent / "cases" / RECORDED / "expected.json").write_text("{")
    result = call("test", code=3)
    assert "1 case passed, 1 failed." in result.stderr
    assert "expected.json is not as it should be" in result.stdout


def test_a_broken_module_fails_the_run_of_all_cases(mine):
    call("record-case", "county.plain")
    write(mine.parent, {"broken.py": module("us.b", after="\n1 / 0\n")})
    result = call("test", code=3)
    assert "1 case passed" in result.stderr
    assert "division by zero" in result.stderr


def test_no_case_at_all_says_how_to_keep_one(here):
    write(here / "scrapers", {"a.py": module("us.a")})
    assert "scrapeyard scraper record-case" in call("test", code=1).stderr
