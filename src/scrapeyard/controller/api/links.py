"""Addresses of single kept files that may be passed on: whoever has one may fetch that file, for some minutes.

What is signed is the file and the moment until which the address is good; the secret lies in the ledger, so that every
controller knows it. A kept page is a stranger's, so it is always saved and never shown.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from urllib.parse import urlencode

import msgspec
from fastapi import Response

from scrapeyard.controller.api.door import Call, Door
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.operation import Operation
from scrapeyard.controller.api.problems import Answered, problem
from scrapeyard.controller.api.results import CaptureQuery, saved
from scrapeyard.model.access import Scope
from scrapeyard.model.errors import StorageError
from scrapeyard.model.request import Link

LASTS = 300.0
"""Seconds for which an address is good."""
_SECRET = "link/secret"  # noqa: S105 - its name, not itself


class LinkQuery(msgspec.Struct, frozen=True):
    """A file, until when it may be fetched, and the proof that we said so."""

    job: str
    key: str
    until: float
    proof: str
    name: str | None = None


class LinkRoutes:
    """The operations, over one office."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._results = office.service.results

    def add_to(self, door: Door) -> None:
        """Add them all."""
        door.add(Operation("GET /v1/jobs/{job}/link", Scope.READ, asks=CaptureQuery, gives=Link), self.link_capture)
        fetch = Operation("GET /v1/linked", None, asks=LinkQuery, sends="application/octet-stream", also=(403, 404))
        door.add(fetch, self.fetch_linked)

    async def link_capture(self, call: Call) -> Link:
        """Give an address from which anybody may fetch one kept page or file, for five minutes."""
        asked = call.asked(CaptureQuery)
        job = await self._office.service.jobs.get(call.part("job"))
        kept = await self._results.capture(job.id, asked.key, asked.name)
        until = round(self._office.clock.now() + LASTS, 3)
        query = {"job": job.id, "key": asked.key, "name": kept.name, "until": until}
        proof = await self._proof(query)
        base = str(call.request.base_url).rstrip("/")
        return Link(f"{base}/v1/linked?{urlencode({**query, 'proof': proof})}", until)

    async def fetch_linked(self, call: Call) -> Response:
        """Fetch what an address of `link` stands for. It wants no key."""
        asked = call.asked(LinkQuery)
        query = {"job": asked.job, "key": asked.key, "name": asked.name or "", "until": asked.until}
        good = hmac.compare_digest(asked.proof.encode(), (await self._proof(query)).encode())
        if not good or not self._office.clock.now() < asked.until:
            raise Answered(problem("not_allowed", "The address is not good, or not any more: ask for another one."))
        return saved(await self._results.capture(asked.job, asked.key, asked.name))

    async def _proof(self, query: Mapping[str, object]) -> str:
        return hmac.new(await self._secret(), msgspec.json.encode(query), hashlib.sha256).hexdigest()

    async def _secret(self) -> bytes:
        """The secret of this deployment; whoever needs it first makes it."""
        memos = self._office.memos
        known = await memos.recall(_SECRET) or await memos.keep(_SECRET, secrets.token_bytes(32), seen=None)
        known = known or await memos.recall(_SECRET)
        if known is None:
            raise StorageError("The secret of links was lost as soon as it was made.")
        return known.body
