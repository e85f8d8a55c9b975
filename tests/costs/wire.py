"""What AWS would put on the bill, counted between the processes and the servers, where nobody can forget to count.

DynamoDB itself is asked what each request consumed; SQS takes 64 KB for a request; S3 takes writing and listing for
twelve times as much as reading.
"""

import json
from collections import Counter
from typing import Any

import aiohttp
from aiohttp import web
from yarl import URL

READS = {"GetItem", "BatchGetItem", "Query", "Scan"}
DOLLARS = {
    "write units": 0.625, "read units": 0.125, "SQS calls": 0.40, "S3 writes": 5.0, "S3 reads": 0.40,
}  # fmt: skip
"""For a million, us-east-1."""


class Tap:
    """A proxy before one server. What was counted is in `counts`; `calls` tells the actions apart."""

    def __init__(self, upstream: str, counts: Counter[str], calls: Counter[str]) -> None:
        self._upstream = upstream
        self.counts = counts
        self.calls = calls
        self.port = 0

    async def __aenter__(self) -> "Tap":
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0), auto_decompress=False, timeout=aiohttp.ClientTimeout(total=60)
        )
        app = web.Application(client_max_size=1 << 30)
        app.router.add_route("*", "/{path:.*}", self._pass)
        self._runner = web.AppRunner(app, access_log=None, auto_decompress=False)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()
        await self._session.close()

    async def _pass(self, request: web.Request) -> web.Response:
        body = self.asked(request, await request.read())
        headers = {name: value for name, value in request.headers.items() if name.lower() != "content-length"}
        url = URL(self._upstream + request.raw_path, encoded=True)
        async with self._session.request(request.method, url, data=body, headers=headers) as answer:
            said = await answer.read()
            self.answered(request, body, answer.status, said)
            kept = {name: value for name, value in answer.headers.items() if name.lower() != "transfer-encoding"}
            if request.method == "HEAD":
                return web.Response(status=answer.status, headers=kept)
            kept = {name: value for name, value in kept.items() if name.lower() != "content-length"}
            return web.Response(status=answer.status, headers=kept, body=said)

    def asked(self, request: web.Request, body: bytes) -> bytes:
        return body

    def answered(self, request: web.Request, body: bytes, status: int, said: bytes) -> None:
        raise NotImplementedError


class DynamoTap(Tap):
    """Units as DynamoDB works them out; a condition that does not hold is paid for like a writing."""

    def asked(self, request: web.Request, body: bytes) -> bytes:
        said = json.loads(body)
        if _action(request) not in ("DescribeTable", "CreateTable", "UpdateTimeToLive"):
            said["ReturnConsumedCapacity"] = "TOTAL"
        return json.dumps(said).encode()

    def answered(self, request: web.Request, body: bytes, status: int, said: bytes) -> None:
        action = _action(request)
        answer: dict[str, Any] = json.loads(said or b"{}")
        consumed = answer.get("ConsumedCapacity", [])
        units = sum(one["CapacityUnits"] for one in (consumed if isinstance(consumed, list) else [consumed]))
        if status == 400 and "ConditionalCheckFailed" in str(answer.get("__type")):
            units = 1
        self.calls[f"DynamoDB {action}"] += 1
        self.calls[f"DynamoDB {action} units"] += units
        self.counts["read units" if action in READS else "write units"] += units


class SqsTap(Tap):
    """Requests, in portions of 64 KB."""

    def answered(self, request: web.Request, body: bytes, status: int, said: bytes) -> None:
        self.calls[f"SQS {_action(request)}"] += 1
        self.counts["SQS calls"] += max(1, -(-max(len(body), len(said)) // 65_536))


class S3Tap(Tap):
    """Requests by what they cost."""

    def answered(self, request: web.Request, body: bytes, status: int, said: bytes) -> None:
        self.calls[f"S3 {request.method}"] += 1
        if request.method == "DELETE":
            return
        writes = request.method in ("PUT", "POST") or "list-type" in request.query
        self.counts["S3 writes" if writes else "S3 reads"] += 1


def _action(request: web.Request) -> str:
    return request.headers.get("x-amz-target", "").rpartition(".")[2]


def sheet(title: str, items: int, counts: Counter[str]) -> str:
    """The bill for a million items at that rate."""
    lines = [f"{title}: {items:,} items"]
    total = 0.0
    for name, price in DOLLARS.items():
        each = counts[name] / items
        dollars = each * price
        total += dollars
        lines.append(f"  {name:<12} {each:8.4f} an item   ${dollars:6.3f} a million items")
    lines.append(f"  {'together':<12} {'':8}           ${total:6.3f} a million items")
    return "\n".join(lines)
