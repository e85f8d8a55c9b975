"""Workers as tasks of ECS: the desired count at an emulator of ECS, and protection at a stand-in for a task's agent."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from scrapeyard.backends.aws.client import Service
from scrapeyard.backends.ecs.protection import TaskProtection
from scrapeyard.backends.ecs.scale import open_scale
from scrapeyard.backends.memory.fleet import MemoryFleet
from scrapeyard.backends.wrapped.around import wrapped
from scrapeyard.model.errors import Refused, StorageError
from scrapeyard.model.fleet import WorkerReport
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.testing.servers.ministack import SqsServer

FAMILY = "AmazonEC2ContainerServiceV20141113"


@asynccontextmanager
async def a_service(server: SqsServer) -> AsyncGenerator[tuple[Service, str]]:
    """A cluster with one service of no tasks; gives its address too."""
    ecs = Service(server.endpoint, FAMILY, ("us-east-1", "ecs"), kind="application/x-amz-json-1.1")
    try:
        await ecs.call("CreateCluster", {"clusterName": "yard"})
        task = {"name": "worker", "image": "scrapeyard", "memory": 512}
        await ecs.call("RegisterTaskDefinition", {"family": "worker", "containerDefinitions": [task]})
        await ecs.call(
            "CreateService",
            {"cluster": "yard", "serviceName": "workers-http", "taskDefinition": "worker", "desiredCount": 0},
        )
        yield ecs, f"ecs://us-east-1/yard/workers-http?endpoint={server.endpoint}"
    finally:
        await ecs.close()


async def desired(ecs: Service) -> int:
    found = await ecs.call("DescribeServices", {"cluster": "yard", "services": ["workers-http"]})
    return found["services"][0]["desiredCount"]


async def test_the_desired_count_of_a_service_is_asked_and_set(sqs: SqsServer):
    async with a_service(sqs) as (ecs, address):
        scale = open_scale(address)
        assert await scale.count() == 0
        await scale.ask(3, [])
        assert await desired(ecs) == 3
        assert await scale.count() == 3
        await scale.ask(1, [WorkerReport("w1", 1, "http", 4, 2, draining=True)])
        assert await desired(ecs) == 1
        await scale.ask(0, [])
        assert await desired(ecs) == 0
        await scale.close()
        with pytest.raises(StorageError, match="setting scale"):
            await open_scale(address.replace("workers-http", "nobody")).count()


@pytest.mark.parametrize(
    "address",
    ["ecs://", "ecs://us-east-1/cluster", "ecs://nowhere/a/b", "ecs://us-east-1/a/b/c", "ecs://us-east-1/a/b;c"],
)
def test_an_address_that_is_no_service_is_refused_with_an_example(address: str):
    with pytest.raises(Refused, match="ecs://region/cluster/service"):
        open_scale(address)


class Agent:
    """A stand-in for the agent of a task: remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self.deaf = False
        self.address = ""

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator["Agent"]:
        app = web.Application()
        app.router.add_put("/task-protection/v1/state", self._put)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.address = "http://{}:{}".format(*runner.addresses[0])
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _put(self, request: web.Request) -> web.Response:
        if self.deaf:
            return web.json_response({"error": "throttled"}, status=429)
        self.told.append(await request.json())
        return web.json_response({"protection": {}})


async def test_a_task_is_protected_while_it_runs_items_and_no_longer():
    clock = VirtualClock()
    async with Agent().listening() as agent:
        fleet = wrapped(MemoryFleet(), "fleet", TaskProtection(agent.address, clock))
        number = 0

        async def report(busy: int) -> None:
            nonlocal number
            number += 1
            async with asyncio.timeout(30):
                await fleet.report(WorkerReport("w1", number, "http", 4, 4 - busy))

        await report(0)
        assert agent.told == []
        await report(2)
        await report(1)
        assert [one["ProtectionEnabled"] for one in agent.told] == [True]
        clock.jump(0)
        await clock.advance(900)
        await report(1)
        assert [one["ProtectionEnabled"] for one in agent.told] == [True, True], "it is renewed before it lapses"
        assert agent.told[0]["ExpiresInMinutes"] * 60 > 900
        await report(0)
        await report(0)
        assert [one["ProtectionEnabled"] for one in agent.told] == [True, True, False]
        agent.deaf = True
        await report(3)
        agent.deaf = False
        await report(3)
        assert len(agent.told) == 3, "an agent that is busy is not asked ten times a second"
        await clock.advance(11)
        await report(3)
        assert agent.told[-1]["ProtectionEnabled"] is True
        assert len(await fleet.roster()) == 1
