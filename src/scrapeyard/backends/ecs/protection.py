"""A task that runs items tells ECS so, and is not chosen when its service is made smaller.

It is read off the worker's reports as they pass: something runs, or nothing does. Protection lapses by itself, so a
worker that is gone protects nobody; while something runs it is renewed. The agent of each task is asked, at an address
that ECS puts into the environment; the task's role must allow `ecs:UpdateTaskProtection`.
"""

from typing import Any

import aiohttp
import structlog

from scrapeyard.backends.wrapped.around import Call, Going
from scrapeyard.model.fleet import WorkerReport
from scrapeyard.ports.clock import Clock

log = structlog.get_logger(__name__)

VARIABLE = "ECS_AGENT_URI"
_MINUTES = 20
_RENEW = _MINUTES * 60 / 2
_AGAIN = 10.0
"""Seconds after which an agent that did not listen is told again."""
_TIMEOUT = aiohttp.ClientTimeout(total=5)


class TaskProtection:
    """Fulfils `scrapeyard.backends.wrapped.around.Around`, put around the fleet channel of a worker."""

    def __init__(self, agent: str, clock: Clock) -> None:
        self._place = f"{agent.rstrip('/')}/task-protection/v1/state"
        self._clock = clock
        self._protected = False
        self._renew = 0.0
        self._deaf_until = 0.0

    async def around(self, call: Call, go: Going) -> Any:
        """Report, and protect this task or do so no more."""
        if call.name == "fleet.report":
            report: WorkerReport = call.values[0]
            await self._protect(bool(report.running) or report.free < report.slots)
        return await go()

    async def _protect(self, wanted: bool) -> None:
        now = self._clock.monotonic()
        known = wanted == self._protected and (not wanted or now < self._renew)
        if known or now < self._deaf_until:
            return
        said: dict[str, object] = {"ProtectionEnabled": wanted}
        if wanted:
            said["ExpiresInMinutes"] = _MINUTES
        try:
            async with aiohttp.ClientSession(timeout=_TIMEOUT) as http, http.put(self._place, json=said) as answer:
                text = await answer.text()
                if answer.status != 200:
                    raise aiohttp.ClientError(f"{answer.status} {text[:200]}")
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            log.warning("this task cannot be protected from scale-in", error=repr(error))
            self._deaf_until = now + _AGAIN
            return
        self._protected, self._renew = wanted, now + _RENEW
