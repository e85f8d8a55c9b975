"""Twenty secrets, proxies that tell them to everybody, an author who prints and raises them: nobody learns one."""

import base64
import gzip
import sys
from collections import Counter
from urllib.parse import quote

import msgspec
import pytest

from demo.asking import answers
from demo.stage import Quiet
from demo.telltale import everything, spellings, telltale
from proxies.provider import interface
from scrapeyard.demo.county.__main__ import VARIABLE as PASSWORD
from scrapeyard.demo.outside import Ground
from scrapeyard.demo.run import run_demo
from scrapeyard.demo.scene import QUICK, Ending, Scene
from scrapeyard.settings import (
    ApiSettings,
    BrightDataProxies,
    ListedProxies,
    Settings,
    TierSettings,
    UnlockerProxies,
    WebshareProxies,
)

AUTHOR = '''
"""An author who keeps nothing to himself."""

import os, sys

from scrapeyard import Http, Inputs, Page, Record, scraper


class Parcel(Inputs):
    parcel_id: str


class Row(Record):
    parcel_id: str


@scraper("test.loud", site="county.example", rate=None)
async def visit(parcel: Parcel, http: Http) -> Page:
    url = os.environ["COUNTY_URL"] + "/detail?parcel=" + parcel.parcel_id
    page = await http.get(url, allow=(403, 502), absent_on=(404,))
    if page.status != 200 or page.says("Hello"):
        print("the proxy says", page.body.decode(), dict(page.headers))
        print(dict(os.environ), file=sys.stderr)
        raise ValueError(f"unexpected: {page.body.decode()} {dict(page.headers)}")
    return page


@visit.extractor
def read(parcel: Parcel, page: Page) -> Row:
    return Row(parcel_id=page.text("#lblParcel", must_equal=parcel.parcel_id))
'''

COUNTY = "cöunty/p@ss+wörd:0"
LISTED = [f"l1sted-{n}&/+ s3cr=t-{n}" for n in range(12)]
GIVEN = [f"g!ven-{n}-%2F{n}" for n in range(4)]
KEY, UNLOCKER, ZONE = "websh@re-key/1+", "unl0cker-key==", "z0ne:pass word"
SECRETS = [COUNTY, *LISTED, *GIVEN, KEY, UNLOCKER, ZONE]
TIERS = ("webshare", "datacenter")


def scene(scraper, loud, api, said):
    """Proxies of the county that work, among twelve that tell; and a first rung where all of them do. What a controller
    answers at the end is put into `said`."""

    async def settings(world):
        addresses = [f"http://{proxy['address']}" for proxy in await world.proxies("datacenter")]
        proxies = {
            "dc": ListedProxies(
                kind="list", urls=(*addresses, "secret://lines"), username="demo", password="secret://county"
            ),
            "shared": WebshareProxies(kind="webshare", key="secret://webshare", endpoint=api.url("/list/")),
            "idle": BrightDataProxies(kind="brightdata", customer="demo", zone="z", password="secret://zone"),
            "unlock": UnlockerProxies(kind="brightdata_unlocker", zone="u", key="secret://unlocker"),
        }
        tiers = {
            "webshare": TierSettings(proxies="shared", usd_per_gb=0.1),
            "datacenter": TierSettings(proxies="dc", usd_per_gb=0.6),
        }
        return {"proxies": proxies, "tiers": tiers, "scrapers": (str(scraper),), "api": ApiSettings(port=0)}

    async def script(play):
        await play.end()
        said[:] = await answers(play.yard, play.job.id, "test.loud", "county.example")
        return Ending()

    policy = msgspec.structs.replace(QUICK, tiers=TIERS, attempts=6, backoff_cap=0.5)
    return Scene(
        "loud", "A loud one", "test.loud", Ground(parcels=150, datacenter=12), script, policy, settings=settings
    )


@pytest.fixture
def planted(monkeypatch):
    """All secrets where they belong: in the environment."""
    monkeypatch.setenv("COUNTY_URL", "http://127.0.0.1:9")
    monkeypatch.setenv(PASSWORD, COUNTY)

    def plant(port):
        lines = "\n".join(f"127.0.0.1:{port}:teller{n}:{word}" for n, word in enumerate(LISTED))
        given = {"COUNTY": COUNTY, "LINES": lines, "WEBSHARE": KEY, "ZONE": ZONE, "UNLOCKER": UNLOCKER}
        for name, word in given.items():
            monkeypatch.setenv(f"SCRAPEYARD_SECRET_{name}", word)

    return plant


async def test_no_secret_is_found_in_anything_that_a_job_leaves_behind(tmp_path, planted, capfd):
    said: list[tuple[str, bytes]] = []
    scraper = tmp_path / "loud.py"
    scraper.write_text(AUTHOR)
    async with telltale() as loud, interface(lambda *_: (200, listing(loud.port))) as api:
        planted(loud.port)
        end = await run_demo(Settings(data=tmp_path / "data"), scene(scraper, loud, api, said), Quiet())
        told = Counter(base64.b64decode(one.headers["proxy-authorization"][6:]).decode() for one in loud.asked)
    assert end.complete
    assert end.status.tally.answered >= 140
    users = {line.partition(":")[2] for line in told}
    assert users >= {*LISTED, *GIVEN}, "each of them was told"
    out, err = capfd.readouterr()
    assert len(said) >= 300, "the REST API and the dashboard were asked for everything"
    assert b"[secret]" in b"".join(raw for _, raw in said)
    left = [*everything(tmp_path / "data"), *said, ("stdout", out.encode()), ("stderr", err.encode())]
    kinds = {name.rpartition(".")[2] for name, _ in left}
    assert {"csv", "parquet", "log"} <= kinds, kinds
    assert b"[secret]" in b"".join(raw for _, raw in left), "what they told did come here"
    needles = {needle: word for word in SECRETS for needle in spellings(word)}
    hits = [(name, needles[needle], needle) for name, raw in left for needle in needles if needle in raw]
    print(
        f"{len(SECRETS)} secrets in {len(needles)} spellings, told {sum(told.values())} times: {len(hits)} hits in "
        f"{len(left) - len(said)} files and {len(said)} answers, {sum(len(raw) for _, raw in left):,} bytes",
        file=sys.stderr,
    )
    assert hits == []


def listing(port):
    """What Webshare would answer."""
    each = {"proxy_address": "127.0.0.1", "port": port, "valid": True, "country_code": "US"}
    return {
        "next": None,
        "results": [{"username": f"wall{n}", "password": word, **each} for n, word in enumerate(GIVEN)],
    }


@pytest.mark.parametrize("word", SECRETS)
def test_the_search_finds_what_it_looks_for(tmp_path, word):
    for n, text in enumerate((word, quote(word, safe=""), f"see {base64.b64encode(f'me:{word}'.encode()).decode()}",
                              base64.b64encode(word.encode()).decode())):  # fmt: skip
        (tmp_path / f"{n}.gz").write_bytes(gzip.compress(b"first") + gzip.compress(text.encode()))
    found = {name for name, raw in everything(tmp_path) if any(needle in raw for needle in spellings(word))}
    assert found == {f"{n}.gz, unpacked" for n in range(4)}
