"""How the roles work: the worker and the valve."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from scrapeyard.model.address import scheme_of
from scrapeyard.settings.section import Count, Positive, Section


class WorkerSettings(Section):
    """How a worker works."""

    lane: Literal["http", "browser"] = "http"
    """What sort of items this worker takes; items for browsers go to workers that have one."""
    processes: Annotated[int, Field(ge=1, le=256)] = 1
    """Scraping processes of one worker."""
    concurrency: Annotated[int, Field(ge=1, le=1024)] = 16
    """Items that one process runs at once."""
    quarantine: Annotated[int, Field(ge=1, le=64)] = 2
    """Extra processes in which suspects of a crash run alone."""
    memory_mb: Count = 2048
    """Memory of one scraping process, beyond which it is killed."""
    memory_share: Annotated[float, Field(gt=0, le=1)] = 0.85
    """Share of the machine's (or container's) memory beyond which a worker takes nothing new."""
    grace: Positive = 25.0
    """Seconds that running items get to end after SIGTERM or Ctrl-C."""
    stall_limit: Positive = 30.0
    """Seconds that a process may block before it is killed."""
    lease: Positive = 20.0
    """Seconds without a sign of life after which a worker is given up."""


def _scaled(address: str) -> str:
    if address and scheme_of(address) not in ("ecs", "kubernetes"):
        raise PydanticCustomError("scale", "write ecs://region/cluster/service or kubernetes://namespace/deployment")
    return address


ScaleAddress = Annotated[str, AfterValidator(_scaled)]


class ScaleSettings(Section):
    """What starts and ends workers as there is work for them. The dispatcher that leads sees to it.

    `scrapeyard up --max-processes N` scales processes of this machine instead, by the same rules.
    """

    http: ScaleAddress = ""
    """Workers of the lane `http`: `ecs://region/cluster/service` or `kubernetes://namespace/deployment`; empty means
    that their number is not ours to change."""
    browser: ScaleAddress = ""
    """Workers of the lane `browser`, likewise."""
    least: Annotated[int, Field(ge=0)] = 0
    """The fewest workers of each lane, also while there is nothing to do."""
    most: Count = 10
    """The most workers of each lane."""
    start: Positive = 60.0
    """Seconds that a worker takes to start. For work that is over sooner, no more are started."""
    patience: Positive = 60.0
    """Seconds for which there must be too many before some are let go."""


class DispatcherSettings(Section):
    """How the valve works."""

    tick: Positive = 0.05
    """Seconds between two looks at the gates."""
    offer_ttl: Positive = 15.0
    """Seconds after which an offer that nobody took is void."""
    window: Positive = 2.0
    """Seconds of work that may lie in the queue."""


class RetentionSettings(Section):
    """What is removed because of its age, once a day. Outcomes, attempts, records and manifests always stay."""

    captures_days: Positive | None = None
    """Days after the end of a job for which its pages and files are kept, where its policy says nothing; none is for
    good."""
    audit_days: Positive | None = None
    """Days for which the audit and the log of alerts are kept; none is for good."""


class ClerkSettings(Section):
    """What is done by itself: schedules, alerts, tidying up. Of all controllers and dispatchers one does it."""

    lists: Path | None = None
    """The folder in which schedules find lists by their file names. Without one they are looked for in the blob store
    under `lists/`."""
    look: Positive = 5.0
    """Seconds between two looks at what is due."""
