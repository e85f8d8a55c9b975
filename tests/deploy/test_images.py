"""The images: linted, and their entry points run as their user, with nowhere to write but their volumes."""

import asyncio
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.container import IMAGES, ROLES, Container, image
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.item import NewItem
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import JobState
from scrapeyard.settings import Settings, StorageSettings
from scrapeyard.wiring import open_yard

SCRAPER = """
from scrapeyard import Inputs, Page, scraper


class Task(Inputs):
    key: str


@scraper("image.task", site="nowhere", key=["key"], rate=None, concurrency=None, expect=["page"])
async def task(item: Task) -> Page:
    return Page(("<p>" + item.key).encode(), "http://nowhere.example/")
"""


def hadolint(*words: str) -> list[dict[str, object]]:
    program = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    assert program
    done = subprocess.run([program, "--format", "json", *words], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def test_the_dockerfiles_are_clean_to_a_linter_that_finds_what_is_not(tmp_path):
    bad = tmp_path / "Dockerfile"
    bad.write_text("FROM debian\nRUN cd /x && apt-get install curl\nCMD scrapeyard worker\n")
    assert {"DL3006", "DL3025"} <= {one["code"] for one in hadolint(str(bad))}
    assert hadolint(*(str(IMAGES / f"{role}.Dockerfile") for role in ROLES)) == []


@pytest.mark.parametrize("role", ROLES)
def test_an_image_runs_as_nobody_and_hears_when_it_is_told_to_stop(role):
    found = image(role)
    assert found.user.split(":")[0].isdecimal()
    assert int(found.user.split(":")[0]) >= 10_000
    assert found.entrypoint[-1] == "scrapeyard"  # as JSON, so no shell stands between a signal and the process
    assert found.health == ("scrapeyard", "alive")
    assert set(found.volumes) == {"/data", "/tmp"}
    assert not [value for word, value in found.steps if word == "ADD" or "COPY --chown" in f"{word} {value}"]
    assert not [name for name in found.env if "SECRET" in name or "KEY" in name]


def test_only_the_worker_has_a_browser():
    installed = {role: " ".join(value for word, value in image(role).steps if word == "RUN") for role in ROLES}
    assert "chromium" in installed["worker"]
    assert "chromium" not in installed["controller"]
    assert "apt-get" not in installed["controller"]


async def until(condition, seconds: float = 120.0) -> None:
    async with asyncio.timeout(seconds):
        while not await asyncio.to_thread(condition):  # noqa: ASYNC110 - of other processes
            await asyncio.sleep(0.1)


async def stopped(process: "subprocess.Popen[bytes]") -> int:
    process.send_signal(signal.SIGTERM)
    return await asyncio.to_thread(process.wait, 120)


async def test_worker_and_dispatcher_work_as_their_user_with_a_home_that_cannot_be_written(
    tmp_path_factory, postgres, s3
):
    folder = tmp_path_factory.mktemp("image")
    scraper = folder / "task.py"
    scraper.write_text(SCRAPER)
    storage = StorageSettings(ledger=postgres.fresh(), blobs=s3.fresh())
    env = {"SCRAPEYARD_STORAGE": storage.model_dump_json(), "SCRAPEYARD_SCRAPERS": json.dumps([str(scraper)]), **s3.env}
    valve = Container("controller", folder / "controller", env)
    worker = Container("worker", folder / "worker", env)
    settings = Settings(data=folder / "asking", storage=storage, scrapers=(str(scraper),))
    async with open_yard(settings) as yard:
        card = yard.scrapers.find("image.task")
        check = yard.scrapers.load(card.ref).check_inputs
        job = (await yard.service.jobs.open(JobOrder("image", card, Policy()))).job
        await yard.service.jobs.load(job.id, [NewItem(*check({"key": str(n)})) for n in range(20)])
        await yard.service.jobs.seal(job.id)
        assert not worker.healthy()
        running = [valve.start(["dispatcher"]), worker.start()]
        try:
            async with asyncio.timeout(120):
                while (await yard.service.jobs.get(job.id)).state is not JobState.COMPLETED:
                    assert all(process.poll() is None for process in running), (worker.tmp / "log").read_text()
                    await asyncio.sleep(0.1)
            await until(worker.healthy)
            await until(valve.healthy)
            assert [await stopped(process) for process in reversed(running)] == [0, 0]
        finally:
            for process in running:
                process.kill()
                process.wait()
    assert not worker.healthy()
    assert list(worker.home.iterdir()) == list(valve.home.iterdir()) == []
    owners = {path.stat().st_uid for path in worker.data.rglob("*")}
    assert owners == {worker.data.stat().st_uid}


async def test_the_controller_answers_beyond_its_own_machine_once_there_is_a_key(tmp_path_factory, postgres):
    folder = tmp_path_factory.mktemp("image")
    env = {"SCRAPEYARD_STORAGE": StorageSettings(ledger=postgres.fresh()).model_dump_json()}
    inside = Container("controller", folder, env)
    without = inside.start()
    assert await asyncio.to_thread(without.wait, 120) == 1
    assert "make one with `scrapeyard keys create" in (inside.tmp / "log").read_text()
    made = await asyncio.to_thread(inside.run, ["scrapeyard", "keys", "create", "ops", "--scope", "admin"])
    assert made.returncode == 0
    log = folder / "serving"
    process = inside.start([*inside.image.command, "--port", "0"], log)
    try:
        await until(lambda: "Serving http://0.0.0.0:" in log.read_text())
        await until(inside.healthy)
        assert await stopped(process) == 0
    finally:
        process.kill()
        process.wait()
