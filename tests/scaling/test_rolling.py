"""A new version of a scraper reaches a fleet that works: jobs keep theirs, and nothing is lost or done twice."""

import asyncio
import json
import os
import signal
import subprocess
from collections import Counter
from pathlib import Path

import psutil

from chaos.tool import COMMAND, SCRAPER
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.gate import GateName
from scrapeyard.model.item import NewItem
from scrapeyard.model.job import JobId
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.settings import Settings
from scrapeyard.wiring import Yard, open_yard

OLD, NEW = SCRAPER.read_text(), SCRAPER.read_text().replace('tell("start"', 'tell("start-new"')


class Fleet:
    """Processes over one folder, each with scrapers of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "executions.log"
        self.log.touch()
        self.roles: dict[str, subprocess.Popen[bytes]] = {}
        for name, text in (("old", OLD), ("new", NEW)):
            (folder / name).mkdir()
            (folder / name / "task.py").write_text(text)

    def settings(self, version: str) -> Settings:
        return Settings(data=self.folder / "data", scrapers=(str(self.folder / version / "task.py"),))

    def start(self, name: str, version: str) -> None:
        settings = self.settings(version)
        env = {
            **os.environ,
            "SCRAPEYARD_DATA": str(settings.data),
            "SCRAPEYARD_SCRAPERS": json.dumps(settings.scrapers),
            "SCRAPEYARD_WORKER__CONCURRENCY": "3",
        }
        with (self.folder / f"{name}.log").open("ab") as log:
            self.roles[name] = subprocess.Popen(
                [str(COMMAND), name.partition("-")[0]], env=env, stdout=log, stderr=log, start_new_session=True
            )

    async def drained(self, name: str) -> None:
        """Told to end, as a rolling update does, and gone."""
        self.roles[name].send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(self.roles[name].wait, 60) == 0

    def told(self) -> list[tuple[str, str]]:
        lines = (line.split() for line in self.log.read_text().splitlines())
        return [(what, key) for what, key, _ in lines]

    def end(self) -> None:
        for role in self.roles.values():
            family = [psutil.Process(role.pid), *psutil.Process(role.pid).children()] if role.poll() is None else []
            for process in family:
                process.kill()
            role.wait()


async def submitted(yard: Yard, name: str, count: int, policy: Policy) -> JobId:
    """A sealed job of the version that this yard has."""
    card = yard.scrapers.find("chaos.task")
    check = yard.scrapers.load(card.ref).check_inputs
    job = (await yard.service.jobs.open(JobOrder(name, card, policy))).job
    rows = [{"key": f"{name}{number}", "seconds": 0.05} for number in range(count)]
    await yard.service.jobs.load(job.id, [NewItem(*check(row)) for row in rows])
    await yard.service.jobs.seal(job.id)
    return job.id


async def test_a_rolling_update_loses_and_doubles_nothing_and_jobs_keep_their_version(tmp_path, monkeypatch):
    monkeypatch.setenv("CHAOS_LOG", str(tmp_path / "executions.log"))
    fleet = Fleet(tmp_path)

    async def completed(yard: Yard, job: JobId) -> None:
        while (await yard.service.jobs.get(job)).state is not JobState.COMPLETED:  # noqa: ASYNC110
            await asyncio.sleep(0.05)

    async def until(yard: Yard, job: JobId, ended: int) -> None:
        while (await yard.ledger.jobs.tally(job)).count(VisitState.SUCCEEDED) < ended:  # noqa: ASYNC110
            await asyncio.sleep(0.05)

    async with open_yard(fleet.settings("old")) as old, open_yard(fleet.settings("new")) as new, asyncio.timeout(120):
        first = await submitted(old, "first", 40, Policy(rate=0.5))  # slow enough to outlive the old workers
        try:
            for name in ("dispatcher", "worker-1", "worker-2"):
                fleet.start(name, "old")
            await until(old, first, 2)
            second = await submitted(new, "second", 30, Policy())
            fleet.start("worker-3", "new")
            await fleet.drained("worker-1")
            await until(new, second, 5)
            fleet.start("worker-4", "new")
            await fleet.drained("worker-2")
            await until(new, second, 30)
            status = await old.service.jobs.status(first)
            while not any("version" in gate.reason for gate in status.gates):
                await asyncio.sleep(0.1)
                status = await old.service.jobs.status(first)
            why = await old.service.jobs.why(first)
            held = status.tally.count(VisitState.SUCCEEDED)
            await old.service.jobs.revise(first, Policy())
            fleet.start("worker-5", "old")
            await completed(old, first)
        finally:
            fleet.end()
        items = [*await old.ledger.items.page(first), *await old.ledger.items.page(second)]
    assert held < 40
    assert status.gates[0].gate is GateName.NO_WORKER
    assert "start one that has exactly this version" in status.gates[0].reason
    assert any(one.what == GateName.NO_WORKER for one in why.hindrances)
    assert {(item.state, item.attempts, item.losses) for item in items} == {(VisitState.SUCCEEDED, 1, 0)}
    starts = Counter(told for told in fleet.told() if told[0].startswith("start"))
    assert set(starts.values()) == {1}
    assert len(starts) == 70
    assert {what for what, key in starts if key.startswith("first")} == {"start"}
    assert {what for what, key in starts if key.startswith("second")} == {"start-new"}
