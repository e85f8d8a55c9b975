"""A deployment of Kubernetes as large as it is wanted: `kubernetes://namespace/deployment`.

Kubernetes chooses which pods it ends when a deployment is made smaller, the cheapest to delete first; so those that
were told to go are made the cheapest before that. A pod that is ended all the same drains: give pods of workers a
`terminationGracePeriodSeconds` that is longer than an item may take.

From within a cluster the service account's token is used; it must be allowed to get and patch `deployments/scale`, and
to list and patch `pods`.
"""

import os
import re
import ssl
from asyncio import to_thread
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import aiohttp
import msgspec

from scrapeyard.model.errors import Refused, StorageError
from scrapeyard.model.fleet import WorkerReport

_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_COST = "controller.kubernetes.io/pod-deletion-cost"
_CHEAP = "-1000"
_PATCH = "application/merge-patch+json"
Json = dict[str, Any]

_TIMEOUT = aiohttp.ClientTimeout(total=10)


class KubernetesScale:
    """Fulfils `scrapeyard.ports.scale.Scale`. `account` is the folder with the token and whom to trust."""

    def __init__(self, api: str, namespace: str, deployment: str, account: Path = _ACCOUNT) -> None:
        self._api = api.rstrip("/")
        self._pods = f"/api/v1/namespaces/{namespace}/pods"
        self._scale = f"/apis/apps/v1/namespaces/{namespace}/deployments/{deployment}/scale"
        self._account = account
        self._session: aiohttp.ClientSession | None = None
        self._cheap: set[str] = set()
        self._said: int | None = None

    async def count(self) -> int:
        """The replicas that were asked for."""
        scale = await self._call("GET", self._scale)
        spec: Json = scale.get("spec") or {}
        return int(spec.get("replicas", 0))

    async def ask(self, count: int, leaving: Sequence[WorkerReport]) -> None:
        """Make those that leave the cheapest, then set the number."""
        hosts = {report.host for report in leaving if _NAME.fullmatch(report.host)}
        self._cheap &= hosts
        for host in sorted(hosts - self._cheap):
            said = {"metadata": {"annotations": {_COST: _CHEAP}}}
            if await self._call("PATCH", f"{self._pods}/{host}", said, missing=True):
                self._cheap.add(host)
        if count != self._said:
            await self._call("PATCH", self._scale, {"spec": {"replicas": count}})
            self._said = count

    async def close(self, *, now: bool = False) -> None:
        """The deployment goes on without us."""
        del now
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _call(self, method: str, path: str, said: Json | None = None, *, missing: bool = False) -> Json:
        """One question. What is `missing` there may be no error: a pod may have gone already."""
        body = None if said is None else msgspec.json.encode(said)
        headers = {"Accept": "application/json", **({"Content-Type": _PATCH} if body else {}), **await self._token()}
        try:
            session = self._session = self._session or await self._opened()
            async with session.request(method, self._api + path, data=body, headers=headers) as answer:
                text = await answer.read()
                status = answer.status
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise StorageError(f"Kubernetes cannot be reached at {self._api} ({error!r}).") from error
        if status == 404 and missing:
            return {}
        if status >= 400:
            raise StorageError(
                f"Kubernetes refuses {method} {path} ({status}): look at the setting scale and at what the service "
                "account may do.",
                final=status in (401, 403, 404),
            )
        try:
            return msgspec.json.decode(text, type=Json)
        except msgspec.DecodeError as error:
            raise StorageError(f"Kubernetes answers at {self._api} with something that is not JSON.") from error

    async def _token(self) -> dict[str, str]:
        """Read each time, because it is exchanged every hour."""
        token = self._account / "token"
        if not await to_thread(token.is_file):
            return {}
        return {"Authorization": f"Bearer {(await to_thread(token.read_text)).strip()}"}

    async def _opened(self) -> aiohttp.ClientSession:
        authority = self._account / "ca.crt"
        trust: ssl.SSLContext | bool = True
        if await to_thread(authority.is_file):
            trust = await to_thread(ssl.create_default_context, cafile=str(authority))
        return aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trust), timeout=_TIMEOUT)


def open_scale(address: str) -> KubernetesScale:
    """The deployment at this address; nothing is sent yet."""
    parts = urlsplit(address)
    names = (parts.netloc, parts.path.strip("/"))
    if not all(map(_NAME.fullmatch, names)):
        raise Refused(
            f"{address.partition('?')[0]!r} is no deployment of Kubernetes: write kubernetes://namespace/deployment."
        )
    host, port = os.environ.get("KUBERNETES_SERVICE_HOST", ""), os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    inside = f"https://{f'[{host}]' if ':' in host else host}:{port}" if host else ""
    endpoint = dict(parse_qsl(parts.query)).get("endpoint", inside)
    if not endpoint:
        raise Refused("Not within a cluster: name the API with ?endpoint=https://… in the address of scale.")
    return KubernetesScale(endpoint, *names)
