"""What a process logs: with the item during whose try it was said, in the form that was set, without secrets."""

import asyncio
import json
import logging

import structlog

from scrapeyard.cli.logs import configure
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.item import NewItem
from scrapeyard.model.policy import Policy
from scrapeyard.model.secret import Redaction, Secret
from scrapeyard.model.states import JobState
from scrapeyard.settings import LogSettings, Settings
from scrapeyard.wiring import open_yard

SCRAPER = """
import logging

from scrapeyard import Inputs, Page, scraper


class Parcel(Inputs):
    parcel: str


@scraper("test.talker", site="nowhere", key=["parcel"], rate=None, expect=["page"])
async def talker(item: Parcel) -> Page:
    logging.getLogger("county").warning("the page of %s with password hunter22 is odd", item.parcel)
    return Page(b"<p>", url="http://nowhere.example/")
"""


async def test_what_an_author_logs_is_told_with_its_item_and_without_secrets(tmp_path, monkeypatch):
    monkeypatch.setenv("SCRAPEYARD_SECRET_COUNTY", "hunter22")
    (tmp_path / "talker.py").write_text(SCRAPER)
    log = LogSettings(format="json")
    settings = Settings(data=tmp_path / "data", scrapers=(str(tmp_path / "talker.py"),), log=log)
    async with open_yard(settings) as yard:
        card = yard.scrapers.find("test.talker")
        check = yard.scrapers.load(card.ref).check_inputs
        job = (await yard.service.jobs.open(JobOrder("talk", card, Policy()))).job
        await yard.service.jobs.load(job.id, [NewItem(*check({"parcel": f"p{n}"})) for n in range(4)])
        await yard.service.jobs.seal(job.id)
        async with yard.working(), asyncio.timeout(60):
            while (await yard.service.jobs.get(job.id)).state is not JobState.COMPLETED:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    text = (tmp_path / "data" / "logs" / "scraping.log").read_text()
    told = [line for line in map(json.loads, text.splitlines()) if line["logger"] == "county"]
    assert {line["item"] for line in told} == {"p0", "p1", "p2", "p3"}
    for line in told:
        assert (line["job"], line["attempt"], line["level"]) == (job.id, 1, "warning")
        assert line["event"].startswith(f"the page of {line['item']} with password")
    assert "hunter22" not in text


def test_what_a_library_logs_in_a_role_has_the_same_form_and_lets_no_secret_through(capsys):
    redaction = Redaction([Secret("hunter22")])
    before = structlog.get_config()
    try:
        configure(LogSettings(format="json"), redaction, quiet=False)
        logging.getLogger("library").warning("cannot log in with %s", "hunter22")
        logging.getLogger("library").info("chatter")
        structlog.get_logger().info("ours", job="j1")
    finally:
        structlog.configure(**before)
        for handler in list(logging.getLogger().handlers):
            if type(handler).__name__ == "_Bridge":
                logging.getLogger().removeHandler(handler)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line.get("logger", line.get("job")) for line in lines] == ["library", "j1"]
    assert "hunter22" not in json.dumps(lines)
