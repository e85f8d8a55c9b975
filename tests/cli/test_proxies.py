"""`scrapeyard proxies` lists what the settings name, and says of each proxy whether it works now."""

import asyncio
import json

import pytest
from typer.testing import CliRunner

from scrapeyard.cli.main import app
from scrapeyard.demo.county import CountyOptions, Mood, Origin, ProviderError, serve

PASSWORD = "correct horse battery"
SETTINGS = """
[proxies.dc]
kind = "list"
urls = ["{first}", "{second}"]
username = "demo"
password = "secret://county"

[proxies.home]
kind = "brightdata"
customer = "demo"
zone = "residential"
password = "secret://county"
host = "127.0.0.1"
port = {gate}

[tiers.datacenter]
proxies = "dc"
usd_per_gb = 0.6

[tiers.residential]
proxies = "home"
usd_per_gb = 8
"""


@pytest.fixture
async def county():
    async with serve(CountyOptions(parcels=50, datacenter=2, residential=1, password=PASSWORD)) as county:
        yield county


@pytest.fixture
def ask(county, tmp_path, monkeypatch):
    first, second = county.pools[Origin.DATACENTER].addresses
    gate = county.pools[Origin.RESIDENTIAL].addresses[0].rpartition(":")[2]
    (tmp_path / "yard.toml").write_text(SETTINGS.format(first=first, second=second, gate=gate))
    monkeypatch.setenv("SCRAPEYARD_SECRET_COUNTY", PASSWORD)

    async def ask(*words):
        arguments = ["proxies", *words, "--config", str(tmp_path / "yard.toml"), "--data", str(tmp_path / "data")]
        return await asyncio.to_thread(CliRunner().invoke, app, arguments, env={"COLUMNS": "200"})

    return ask


async def test_sets_are_listed_with_their_tiers_and_prices(ask):
    told = await ask()
    assert [line.split("\t") for line in told.stdout.splitlines()] == [
        ["dc", "list", "datacenter", "$0.60/GB"],
        ["home", "brightdata", "residential", "$8.00/GB"],
    ]
    assert PASSWORD not in told.output


async def test_a_check_asks_for_a_page_through_each_and_says_what_came(ask, county):
    told = await ask("--check", "--json", "--url", county.url("/detail?parcel=001-0001-001"))
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    assert told.exit_code == 0, told.output
    assert [(row["set"], row["kind"]) for row in rows] == [("dc", None)] * 2 + [("home", None)] * 3
    assert all("<!doctype html>" in row["said"].lower() for row in rows)
    assert county.visitors["residential"] == 3


async def test_a_check_names_the_trouble_of_each_and_fails_where_none_works(ask, county):
    county.pools[Origin.RESIDENTIAL].turn(Mood(errors={ProviderError.POLICY: 1.0}))
    datacenter = county.pools[Origin.DATACENTER]
    datacenter.turn(Mood(dead=0.5))
    while datacenter.proxies[0].alive:  # noqa: ASYNC110 - what happens in a pool tells nobody
        await asyncio.sleep(0.01)
    told = await ask("--check", "--json", "--url", county.url("/detail?parcel=001-0001-001"))
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    assert told.exit_code == 1
    assert sorted(str(row["kind"]) for row in rows if row["set"] == "dc") == ["None", "proxy_error"]
    assert {row["kind"] for row in rows if row["set"] == "home"} == {"denied"}


async def test_a_wrong_password_is_called_that_and_never_shown(ask, county, monkeypatch):
    monkeypatch.setenv("SCRAPEYARD_SECRET_COUNTY", "wrong-password")
    told = await ask("dc", "--check", "--url", county.url("/"))
    assert told.exit_code == 1
    assert told.stdout.count("proxy_auth") == 2
    assert "wrong-password" not in told.output


async def test_a_place_that_a_set_does_not_serve_and_a_set_that_is_not_there(ask):
    told = await ask("dc", "--check", "--place", "fr")
    assert (told.exit_code, "0 of 0" in told.output) == (1, True)
    told = await ask("none")
    assert told.exit_code != 0
    assert "[proxies.none]" in told.output
    assert "dc, home" in told.output


async def test_a_missing_secret_says_where_it_belongs(ask, monkeypatch):
    monkeypatch.delenv("SCRAPEYARD_SECRET_COUNTY")
    told = await ask("dc", "--check")
    assert told.exit_code == 1
    assert "SCRAPEYARD_SECRET_COUNTY" in told.output
