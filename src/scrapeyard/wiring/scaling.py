"""What scales a fleet, by its address: `ecs://region/cluster/service`, `kubernetes://namespace/deployment`, or the
processes of this machine.
"""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from scrapeyard.backends.ecs.scale import open_scale as open_ecs
from scrapeyard.backends.kubernetes.scale import open_scale as open_kubernetes
from scrapeyard.backends.processes.scale import ProcessScale
from scrapeyard.decisions.scaling import Habits
from scrapeyard.dispatcher.scaler import Lane
from scrapeyard.model.address import scheme_of
from scrapeyard.ports.scale import Scale
from scrapeyard.settings import Settings

_KINDS: dict[str, Callable[[str], Scale]] = {"ecs": open_ecs, "kubernetes": open_kubernetes}

_UNFIT = ("SCRAPEYARD_METRICS__LISTEN", "SCRAPEYARD_METRICS__EMF")
"""What the workers of this machine must not have from us: there are several of them, but one address."""


_START, _PATIENCE = 2.0, 10.0
"""Seconds of which this machine needs no more, whatever a cloud would."""


class Processes(NamedTuple):
    """As many worker processes here as there is work for: from `least` to `most`, each started by `words`."""

    least: int
    most: int
    words: Sequence[str] = ()


def lanes(settings: Settings) -> list[Lane]:
    """The lanes that are to be scaled elsewhere."""
    told = {"http": settings.scale.http, "browser": settings.scale.browser}
    habits = Habits(
        slots=settings.worker.processes * settings.worker.concurrency,
        least=settings.scale.least,
        most=max(settings.scale.least, settings.scale.most),
        start=settings.scale.start,
        patience=settings.scale.patience,
    )
    return [Lane(name, _KINDS[scheme_of(address)](address), habits) for name, address in told.items() if address]


def lane_here(settings: Settings, processes: Processes, folder: Path) -> Lane:
    """The processes of this machine, which start in a moment."""
    command = (sys.executable, "-m", "scrapeyard.cli.main", "worker", "--processes", "1", *processes.words)
    env = {name: text for name, text in os.environ.items() if name not in _UNFIT}
    folder.mkdir(parents=True, exist_ok=True)
    habits = Habits(
        slots=settings.worker.concurrency, least=processes.least, most=max(processes.least, processes.most),
        start=min(_START, settings.scale.start), patience=min(_PATIENCE, settings.scale.patience),
    )  # fmt: skip
    return Lane("http", ProcessScale(command, env, folder / "workers.log"), habits)
