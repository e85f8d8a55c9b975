"""Figures of a process: read by Prometheus, written for CloudWatch, and true."""

import asyncio
import json
import math

import aiohttp
import pytest

from api.conftest import Caller
from chaos.tool import SCRAPER
from dispatcher.yard import Yard
from scrapeyard.backends.cloudwatch.meter import CloudMeter
from scrapeyard.backends.prometheus.meter import PrometheusMeter
from scrapeyard.backends.prometheus.page import FiguresPage, parted
from scrapeyard.backends.wrapped.around import wrapped
from scrapeyard.controller.access.keys import Keys
from scrapeyard.model import metric
from scrapeyard.model.access import Scope
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.errors import Refused, StorageError
from scrapeyard.model.item import NewItem
from scrapeyard.model.metric import METRICS
from scrapeyard.model.policy import Policy, SitePolicy
from scrapeyard.model.states import JobState
from scrapeyard.settings import ApiSettings, MetricsSettings, Settings
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.wiring import open_yard
from scrapeyard.wiring.figures import Figures
from scrapeyard.wiring.serving import Controller


def value(page: str, name: str, **labels: str) -> float:
    """One figure of a page; not a number, equal to nothing, if it is not there."""
    said = "".join(f',{key}="{text}"' for key, text in sorted(labels.items())).removeprefix(",")
    start = f"{name}{{{said}}} " if said else f"{name} "
    found = [line.rpartition(" ")[2] for line in page.splitlines() if line.startswith(start)]
    return float(found[0]) if found else math.nan


async def fetched(address: str) -> str:
    async with aiohttp.ClientSession() as http, http.get(address) as answer:
        assert answer.status == 200
        return await answer.text()


async def test_a_dispatcher_and_a_worker_tell_what_they_did(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CHAOS_LOG", str(tmp_path / "executions.log"))
    metrics = MetricsSettings(listen="127.0.0.1:0", emf=True)
    settings = Settings(data=tmp_path / "data", scrapers=(str(SCRAPER),), metrics=metrics)
    async with open_yard(settings) as yard:
        card = yard.scrapers.find("chaos.task")
        check = yard.scrapers.load(card.ref).check_inputs
        job = (await yard.service.jobs.open(JobOrder("figures", card, Policy()))).job
        rows = [{"key": f"parcel{n}", "seconds": 0.01} for n in range(20)]
        await yard.service.jobs.load(job.id, [NewItem(*check(row)) for row in rows])
        await yard.service.jobs.seal(job.id)
        async with yard.working(), asyncio.timeout(60):
            while (await yard.service.jobs.get(job.id)).state is not JobState.COMPLETED:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            assert yard.metering is not None
            page = await fetched(yard.metering.address)
    assert value(page, "scrapeyard_outcomes_total", outcome="succeeded", fault="none") == 20
    assert value(page, "scrapeyard_offers_total", lane="http") == 20
    assert value(page, "scrapeyard_recorded_total") == 20
    assert value(page, "scrapeyard_stale_commits_total") == 0
    assert value(page, "scrapeyard_leases_lost_total") == 0
    assert value(page, "scrapeyard_workers", lane="http") == 1
    assert value(page, "scrapeyard_backlog_per_worker", lane="http") >= 0
    assert value(page, "scrapeyard_leading") == 1
    assert value(page, "scrapeyard_memory_bytes") > 1_000_000
    assert value(page, "scrapeyard_heartbeat_age_seconds") >= 0
    assert value(page, "scrapeyard_settle_seconds_count") >= 1
    assert job.id not in page
    assert "parcel1" not in page
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith('{"_aws"')]
    assert sum(line.get("Recorded", 0) for line in told) == 20
    scaling = [line for line in told if "BacklogPerWorker" in line and line["Lane"] == "http"]
    assert scaling
    assert scaling[0]["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "Scrapeyard"
    assert scaling[0]["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["Lane"]]


async def test_a_controller_shows_its_figures_to_keys_that_may_read(tmp_path):
    settings = Settings(data=tmp_path / "data", api=ApiSettings(port=0))
    async with open_yard(settings, measured=True) as yard, aiohttp.ClientSession() as http:
        server = Controller(yard)
        await server.open()
        running = asyncio.create_task(server.run())
        try:
            call = Caller(http, server.address)
            await call("GET", "/v1/jobs")
            await call("GET", "/v1/jobs/nobody")
            page = (await call("GET", "/metrics")).body.decode()
            assert value(page, "scrapeyard_api_requests_total", status="2xx") == 1
            assert value(page, "scrapeyard_api_requests_total", status="4xx") == 1
            keys = Keys(yard.ledger.memos, yard.clock)
            submit = (await keys.create("a", (Scope.SUBMIT,)))[1]
            reading = (await keys.create("b", (Scope.READ,)))[1]
            assert (await call("GET", "/metrics")).status == 401
            assert (await call.with_key(reading)("GET", "/metrics")).status == 200
            assert (await call.with_key(submit)("GET", "/metrics")).status in (200, 403)
        finally:
            server.stop()
            await running


async def test_the_backlog_is_what_the_sites_pace_can_feed_and_a_standby_says_zero():
    yard = Yard()
    meters = [PrometheusMeter(), PrometheusMeter()]
    for meter in meters:
        figures = Figures(meter, yard.clock)
        ledger, fleet = (
            wrapped(port, name, figures) for port, name in ((yard.ledger, "ledger"), (yard.fleet, "fleet"))
        )
        yard.dispatcher(ledger=ledger, fleet=fleet)
    await yard.job(400_000 // 1000, site=SitePolicy("slow.example", rate=None, concurrency=3))
    await yard.clock.advance(20)
    pages = [meter.text().decode() for meter in meters]
    assert sorted(value(page, "scrapeyard_leading") for page in pages) == [0, 1]
    leading = max(pages, key=lambda page: value(page, "scrapeyard_leading"))
    assert value(leading, "scrapeyard_waiting_items", lane="http") == 400
    assert value(leading, "scrapeyard_backlog_per_worker", lane="http") == 3
    assert value(leading, "scrapeyard_gates_closed", gate="no_worker") == 1
    assert sum(value(page, "scrapeyard_waiting_items", lane="http") for page in pages) == 400
    await yard.close()


async def test_storage_that_fails_is_counted_by_port():
    class Broken:
        async def depth(self) -> int:
            raise StorageError("the disk is gone")

    meter = PrometheusMeter()
    queue = wrapped(Broken(), "queue", Figures(meter, VirtualClock()))
    with pytest.raises(StorageError):
        await queue.depth()
    assert value(meter.text().decode(), "scrapeyard_storage_errors_total", port="queue") == 1


def test_no_figure_has_a_label_of_which_there_could_be_a_million():
    assert {label for one in METRICS for label in one.labels} == {
        "lane", "gate", "phase", "outcome", "fault", "port", "status",
    }  # fmt: skip
    assert len({one.name for one in METRICS}) == len({one.cloud for one in METRICS}) == len(METRICS)
    declared = [one for one in vars(metric).values() if isinstance(one, metric.Metric)]
    assert {one.name for one in declared} == {one.name for one in METRICS}


def test_cloudwatch_gets_sums_anew_and_gauges_again():
    lines: list[str] = []
    meter = CloudMeter(lines.append, VirtualClock())
    meter.count(metric.OFFERS, 3, "http")
    meter.count(metric.OFFERS, 4, "http")
    meter.set(metric.BACKLOG, 12, "http")
    for number in range(5_000):
        meter.observe(metric.SETTLE_SECONDS, number)
    meter.flush()
    first = [json.loads(line) for line in lines]
    assert {line.get("Offers") for line in first if line.get("Lane") == "http"} == {7}
    spread = next(line["SettleSeconds"] for line in first if "SettleSeconds" in line)
    assert len(spread) <= 100
    assert max(spread) == 4_999
    lines.clear()
    meter.flush()
    assert [json.loads(line).get("Offers") for line in lines] == [None]
    assert json.loads(lines[0])["Backlog"] == 12


@pytest.mark.parametrize("listen", ["9100", "localhost", "host:port", "host:99999", ""])
def test_an_address_that_is_none_is_refused_with_an_example(listen):
    with pytest.raises(Refused, match=r"HOST:PORT"):
        parted(listen)


async def test_a_taken_port_is_refused_in_a_sentence():
    first = FiguresPage(":0", lambda: b"")
    await first.open()
    try:
        with pytest.raises(Refused, match="choose another"):
            await FiguresPage(first.address.removeprefix("http://"), lambda: b"").open()
        with pytest.raises(AssertionError):
            await fetched(f"{first.address}/secrets")
    finally:
        await first.close()


async def test_a_controller_that_takes_no_figures_says_so(tmp_path):
    settings = Settings(data=tmp_path / "data", api=ApiSettings(port=0))
    async with open_yard(settings) as yard, aiohttp.ClientSession() as http:
        server = Controller(yard)
        await server.open()
        running = asyncio.create_task(server.run())
        try:
            answer = await Caller(http, server.address)("GET", "/metrics")
        finally:
            server.stop()
            await running
    assert answer.status == 404
    assert "scrapeyard controller" in answer.json["detail"]
