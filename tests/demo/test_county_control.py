"""The back door: the dial over HTTP, and the county as a process."""

import asyncio
import csv
import signal
import sys

import aiohttp
import pytest

from scrapeyard.demo.county import CountyOptions, Fault, Faults, serve
from scrapeyard.demo.county.__main__ import main, options_from


@pytest.fixture
async def county():
    async with serve(CountyOptions(parcels=100)) as county:
        yield county


@pytest.fixture
async def web(county):
    async with aiohttp.ClientSession(county.base_url) as session:
        yield session


async def test_the_dial_is_turned_while_the_county_runs(web):
    async with web.post("/_county/faults", json={"rates": {"blocked": 1}}) as answer:
        assert answer.status == 200
    async with web.get("/_county/faults") as answer:
        assert (await answer.json())["rates"] == {"blocked": 1.0}
    async with web.get("/detail?parcel=001-0001-001") as answer:
        assert "lblParcel" not in await answer.text()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "The body must be a JSON object"),
        (b"[1]", "The body must be a JSON object"),
        (b"\xff", "The body must be a JSON object"),
        (b"[" * 10_000, "The body must be a JSON object"),
        (b'{"rates": {"blocked": 2}}', "rates.blocked"),
        (b'{"rates": 5}', "rates"),
        (b'{"profile": 5}', "profile"),
    ],
)
async def test_a_senseless_setting_is_refused_and_changes_nothing(county, web, body, says):
    async with web.post("/_county/faults", data=body) as answer:
        assert answer.status == 400
        assert (await answer.json())["error"].startswith(says)
    async with web.get("/_county/faults") as answer:
        assert await answer.json() == Faults().model_dump(mode="json")


async def test_a_setting_that_is_too_long_is_refused(web):
    async with web.post("/_county/faults", data=b" " * 17_000) as answer:
        assert answer.status == 413
        assert "at most 16384 bytes" in (await answer.json())["error"]


async def test_a_form_that_is_too_long_is_refused(web):
    async with web.post("/alder/Search.aspx", data={"__VIEWSTATE": "x" * 70_000}) as answer:
        assert answer.status == 413


async def test_requests_and_faults_are_counted_by_route(county, web):
    await (await web.post("/_county/faults", json={"rates": {"throttled": 1}})).release()
    for path in ("/detail?parcel=001-0001-001", "/detail?parcel=002-0001-001", "/no/such/page", "/fir/account/1"):
        await (await web.get(path)).release()
    async with web.get("/_county/stats") as answer:
        stats = await answer.json()
    assert stats["faults"] == {"throttled": 2}
    assert stats["requests"]["/detail"] == 2
    assert stats["requests"]["/fir/account/{number}"] == 1
    assert stats["requests"]["(no such page)"] == 1


async def test_two_counties_run_beside_each_other_on_ports_of_their_own():
    async with serve(CountyOptions(parcels=10)) as one, serve(CountyOptions(parcels=10)) as other:
        assert one.port != other.port
        assert other.base_url == f"http://127.0.0.1:{other.port}"


async def test_a_closed_county_answers_nobody():
    async with serve(CountyOptions(parcels=10)) as county:
        await county.close()
        async with aiohttp.ClientSession() as web:
            with pytest.raises(aiohttp.ClientConnectorError):
                await web.get(county.url("/"))


def test_flags_describe_a_county():
    options, _ = options_from(
        ["--parcels", "50", "--seed", "3", "--fault", "blocked=0.5", "--after", "blocked=9", "--latency", "0.1"]
    )
    assert (options.parcels, options.seed) == (50, 3)
    assert options.faults == Faults(rates={Fault.BLOCKED: 0.5}, after={Fault.BLOCKED: 9}, latency=0.1)


@pytest.mark.parametrize("flags", [["--fault", "blocked=2"], ["--faults", "wild"], ["--parcels", "0"]])
def test_flags_that_make_no_sense_end_with_a_sentence_and_code_2(flags, capsys):
    assert main(flags) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


async def test_a_taken_port_ends_with_a_sentence_and_code_1(county):
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "scrapeyard.demo.county", "--port", str(county.port), stderr=asyncio.subprocess.PIPE
    )
    _, said = await process.communicate()
    assert process.returncode == 1
    assert f"Cannot listen on port {county.port}" in said.decode()
    assert "Traceback" not in said.decode()


async def test_as_a_process_it_prints_its_address_serves_and_ends_when_told(tmp_path):
    path = tmp_path / "list.csv"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "scrapeyard.demo.county", "--parcels", "60", "--fault", "reset=1"),
        *("--write-list", str(path), "--ghosts", "5"),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    address = (await asyncio.wait_for(process.stdout.readline(), 30)).decode().strip()
    try:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True)) as web:
            async with web.get(f"{address}/list") as answer:
                assert "001-0001-001" in await answer.text()
            with pytest.raises(aiohttp.ClientOSError):
                await web.get(f"{address}/detail?parcel=001-0001-001")
    finally:
        process.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(process.wait(), 30) == 0
    assert len(list(csv.reader(path.open(encoding="utf-8")))) == 66
