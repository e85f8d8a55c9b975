"""Workers as pods, against a small stand-in for the API of Kubernetes: a real one cannot be had in these tests."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from scrapeyard.backends.kubernetes.scale import KubernetesScale, open_scale
from scrapeyard.model.errors import Refused, StorageError
from scrapeyard.model.fleet import WorkerReport

COST = "controller.kubernetes.io/pod-deletion-cost"


class Cluster:
    """Knows one deployment and two pods, and wants a token."""

    def __init__(self) -> None:
        self.replicas = 2
        self.pods: dict[str, dict[str, str]] = {"worker-a": {}, "worker-b": {}}
        self.history: list[str] = []
        self.status = 200
        self.address = ""

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator["Cluster"]:
        app = web.Application()
        app.router.add_get("/apis/apps/v1/namespaces/yard/deployments/workers/scale", self._scale)
        app.router.add_patch("/apis/apps/v1/namespaces/yard/deployments/workers/scale", self._scale)
        app.router.add_patch("/api/v1/namespaces/yard/pods/{pod}", self._pod)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.address = "http://{}:{}".format(*runner.addresses[0])
        try:
            yield self
        finally:
            await runner.cleanup()

    def _admitted(self, request: web.Request) -> None:
        if request.headers.get("Authorization") != "Bearer let-me-in":
            raise web.HTTPForbidden
        if self.status != 200:
            raise web.HTTPServiceUnavailable

    async def _said(self, request: web.Request) -> dict[str, Any]:
        assert request.content_type == "application/merge-patch+json"
        return await request.json()

    async def _scale(self, request: web.Request) -> web.Response:
        self._admitted(request)
        if request.method == "PATCH":
            self.replicas = (await self._said(request))["spec"]["replicas"]
            self.history.append(f"replicas {self.replicas}")
        return web.json_response({"kind": "Scale", "spec": {"replicas": self.replicas}})

    async def _pod(self, request: web.Request) -> web.Response:
        self._admitted(request)
        pod = request.match_info["pod"]
        if pod not in self.pods:
            raise web.HTTPNotFound
        self.pods[pod] |= (await self._said(request))["metadata"]["annotations"]
        self.history.append(f"cheap {pod}")
        return web.json_response({"kind": "Pod"})


def account(folder: Path, token: str = "let-me-in\n") -> Path:
    (folder / "token").write_text(token)
    return folder


def leaving(host: str) -> WorkerReport:
    return WorkerReport(f"{host}-1", 1, "http", 4, 4, draining=True, host=host)


async def test_replicas_are_asked_and_set_at_a_stand_in_for_the_api(tmp_path):
    async with Cluster().listening() as cluster:
        scale = KubernetesScale(cluster.address, "yard", "workers", account(tmp_path))
        assert await scale.count() == 2
        await scale.ask(5, [])
        await scale.ask(5, [])
        assert cluster.history == ["replicas 5"]
        await scale.close()


async def test_pods_that_leave_are_made_the_cheapest_first_at_a_stand_in_for_the_api(tmp_path):
    async with Cluster().listening() as cluster:
        scale = KubernetesScale(cluster.address, "yard", "workers", account(tmp_path))
        await scale.ask(2, [])
        await scale.ask(1, [leaving("worker-b"), leaving("worker-gone"), leaving("../../secrets/x")])
        assert cluster.history == ["replicas 2", "cheap worker-b", "replicas 1"]
        assert cluster.pods["worker-b"][COST].startswith("-")
        assert cluster.pods["worker-a"] == {}
        await scale.close()


async def test_a_refusal_of_the_stand_in_for_the_api_says_where_to_look(tmp_path):
    async with Cluster().listening() as cluster:
        scale = KubernetesScale(cluster.address, "yard", "workers", account(tmp_path, "stranger"))
        with pytest.raises(StorageError, match="service account") as refused:
            await scale.count()
        assert refused.value.final
        await scale.close()
        cluster.status = 503
        scale = KubernetesScale(cluster.address, "yard", "workers", account(tmp_path))
        with pytest.raises(StorageError) as refused:
            await scale.ask(1, [])
        assert not refused.value.final, "trouble that passes is met by asking again"
        await scale.close()
    scale = KubernetesScale(cluster.address, "yard", "workers", account(tmp_path))
    with pytest.raises(StorageError, match="cannot be reached"):
        await scale.count()
    await scale.close()


@pytest.mark.parametrize(
    "address", ["kubernetes://yard", "kubernetes://Yard/x", "kubernetes://a/b/c", "kubernetes:///x"]
)
def test_an_address_that_is_no_deployment_is_refused(address: str):
    with pytest.raises(Refused, match="kubernetes://namespace/deployment"):
        open_scale(address)


def test_outside_a_cluster_the_api_must_be_named(monkeypatch):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(Refused, match="endpoint"):
        open_scale("kubernetes://yard/workers")
