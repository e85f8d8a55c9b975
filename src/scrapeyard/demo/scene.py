"""A scene: a job of a certain kind, what happens to it on the way, and what there is to see afterwards.

Nothing in it is staged but the world outside. A script turns that world while the job runs, says in words what it
does, and looks at the job as anybody else would: by asking the service.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

import msgspec

from scrapeyard.demo.outside import Ground, Outside
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.job import Job
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import FINAL_VISITS, JobState
from scrapeyard.wiring import Yard

_LOOK_EVERY = 0.1
_ENDED = frozenset({JobState.COMPLETED, JobState.CANCELLED})
QUICK = Policy(backoff_cap=3.0, deadline=60.0)
"""A demo waits seconds where a real job would wait minutes."""


class Ending(msgspec.Struct, frozen=True):
    """What a scene came to: in sentences, in figures by name, and in commands that show more of it.

    `{job}` in a command stands for the job's name.
    """

    words: tuple[str, ...] = ()
    figures: Mapping[str, float] = {}
    look: tuple[str, ...] = ()


class Play:
    """A scene while it is played."""

    def __init__(self, yard: Yard, job: Job, outside: Outside, ground: Ground, say: Callable[[str], None]) -> None:
        self.yard = yard
        self.job = job
        self.outside = outside
        self.seed = ground.seed
        self.say = say

    @property
    def total(self) -> int:
        """How many items there are."""
        return self.job.total or 0

    async def status(self) -> JobStatus:
        """How the job stands."""
        return await self.yard.service.jobs.status(self.job.id)

    async def until(self, true: Callable[[JobStatus], bool]) -> JobStatus:
        """How the job stands as soon as this is true of it, or when it has ended."""
        while True:
            status = await self.status()
            if true(status) or status.job.state in _ENDED:
                return status
            await asyncio.sleep(_LOOK_EVERY)

    async def done(self, items: float) -> JobStatus:
        """How the job stands as soon as so many items are final."""
        return await self.until(lambda status: status.tally.count(*FINAL_VISITS) >= items)

    async def end(self) -> JobStatus:
        """How the job stands at its end."""
        return await self.until(lambda _: False)


async def usual(_: Outside) -> Mapping[str, Any]:
    """No setting changed."""
    return {}


class Scene(msgspec.Struct, frozen=True):
    """One scene. The county begins as `dial` says, its providers as `moods` say; `ghosts` is the share of the list
    that does not exist. `settings` gives what is changed in them for this scene, once the world outside is there."""

    name: str
    title: str
    scraper: str
    ground: Ground
    script: Callable[[Play], Coroutine[Any, Any, Ending]]
    policy: Policy = QUICK
    dial: Mapping[str, Any] = {}
    moods: Mapping[str, Any] = {}
    ghosts: float = 0.03
    settings: Callable[[Outside], Awaitable[Mapping[str, Any]]] = usual
    opening: tuple[str, ...] = ()

    @property
    def job(self) -> str:
        """What its job is called."""
        return f"demo-{self.name}"
