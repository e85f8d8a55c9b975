"""A county, a scraper for it and a list; and one job that has been through it all, for whatever only looks."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import structlog
from typer.testing import CliRunner, Result

from scrapeyard.cli.main import app
from scrapeyard.demo.county import County, CountyOptions, Faults, listed, start

SCRAPEYARD = str(Path(sys.executable).with_name("scrapeyard"))

SCRAPER = '''
"""A scraper for the county without a portal: one page, one record; some inputs go wrong on purpose."""

from scrapeyard import Http, InvalidInput, Inputs, Page, Record, scraper


class Parcel(Inputs):
    parcel_id: str
    note: str = ""


class Assessment(Record):
    parcel_id: str
    note: str


@scraper("test.county", site="county", key=["parcel_id"], rate=None, concurrency=8)
async def visit(parcel: Parcel, http: Http) -> Page:
    if parcel.note == "malformed":
        raise InvalidInput("this is no number of a parcel")
    return await http.get("BASE/detail?parcel=" + parcel.parcel_id, absent_on=(404,))


@visit.extractor
def read(parcel: Parcel, page: Page) -> Assessment:
    if parcel.note == "unreadable":
        raise KeyError("a bug of the extractor")
    return Assessment(parcel_id=parcel.parcel_id, note=parcel.note)
'''


class Place(NamedTuple):
    """A folder with a scraper and a list in it, and the command line working there."""

    folder: Path
    county: County

    def ask(self, *words: str, text: str | None = None) -> Result:
        """One command in this process."""
        arguments = [*words, "--data", str(self.folder / "data")]
        return CliRunner().invoke(app, arguments, input=text, env={"COLUMNS": "200"})

    def told(self, *words: str) -> Any:
        """What a command says as JSON, which must be a single object."""
        return json.loads(self.ask(*words, "--json").stdout)

    def lines(self, *words: str) -> list[Any]:
        """What a command says as JSON, one object a line."""
        return [json.loads(line) for line in self.ask(*words, "--json").stdout.splitlines()]

    def begin(self, *words: str) -> "subprocess.Popen[str]":
        """One command as a process of its own."""
        return subprocess.Popen(
            [SCRAPEYARD, *words, "--data", str(self.folder / "data")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
        )

    @property
    def scraper(self) -> str:
        return str(self.folder / "county.py")

    @property
    def list(self) -> str:
        return str(self.folder / "parcels.csv")

    def write(self, name: str, *rows: str, header: str = "parcel_id,note") -> str:
        """A list of its own."""
        path = self.folder / name
        path.write_text("\n".join([header, *rows]) + "\n")
        return str(path)


@pytest.fixture(scope="session")
def county() -> Generator[County]:
    """A county that answers while the test's own thread waits for the command line."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    options = CountyOptions(parcels=400)
    found = asyncio.run_coroutine_threadsafe(start(options), loop).result(10)
    yield found
    asyncio.run_coroutine_threadsafe(found.close(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)


def furnish(folder: Path, county: County) -> Place:
    place = Place(folder, county)
    (folder / "county.py").write_text(SCRAPER.replace("BASE", county.base_url))
    numbers = list(listed(17))
    rows = [f"{number}," for number in numbers[:15]]
    rows += [f"{numbers[15]},unreadable", f"{numbers[16]},malformed", "001-0001-900,ghost", f"{numbers[0]},again"]
    place.write("parcels.csv", *rows)
    return place


@pytest.fixture
def place(tmp_path: Path, county: County) -> Iterator[Place]:
    """An empty place."""
    yield furnish(tmp_path, county)
    county.turn(Faults())


@pytest.fixture(scope="session")
def lived_in(tmp_path_factory: pytest.TempPathFactory, county: County) -> Place:
    """A place where one job has ended: 16 succeeded (one of them unreadable), 1 absent, 1 failed. Only look at it."""
    place = furnish(tmp_path_factory.mktemp("lived-in"), county)
    ran = place.ask("run", place.scraper, place.list, "--name", "parcels")
    assert ran.exit_code == 3, ran.output
    return place


@pytest.fixture(autouse=True)
def undisturbed() -> Iterator[None]:
    """Logging, signals and environment as before: a command sets them up for a whole process."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    environment = {name: value for name, value in os.environ.items() if name.startswith("SCRAPEYARD")}
    yield
    structlog.reset_defaults()
    assert {number: signal.getsignal(number) for number in handlers} == handlers
    assert {name: value for name, value in os.environ.items() if name.startswith("SCRAPEYARD")} == environment
