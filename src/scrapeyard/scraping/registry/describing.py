"""Ask the other process about modules, and go on without the one that brought it down."""

import subprocess
import sys
from collections.abc import Sequence

from scrapeyard.scraping.registry.describe import Told, answers, ask_for
from scrapeyard.scraping.registry.places import Module

SECONDS = 60.0


def describe(modules: Sequence[Module], *, seconds: float = SECONDS) -> list[Told]:
    """What each module told, in order. `seconds` is how long one process may take before its module is blamed."""
    waiting = list(modules)
    told: list[Told] = []
    while waiting:
        heard, end = _ask(waiting, seconds)
        done = [line for line in heard if line.digest is not None or line.problem is not None]
        told += done
        waiting = waiting[len(done) :]
        if waiting:
            told.append(Told(str(waiting[0].path), problem=end))
            waiting = waiting[1:]
    return told


def _ask(modules: Sequence[Module], seconds: float) -> tuple[list[Told], str]:
    """The lines that came, and what to say of the module at which they ended, if they ended early."""
    command = [sys.executable, "-m", "scrapeyard.scraping.registry.describe"]
    try:
        ran = subprocess.run(command, input=ask_for(modules), capture_output=True, timeout=seconds, check=False)  # noqa: S603 - our own module, by a fixed name
    except subprocess.TimeoutExpired as late:
        return answers(late.stdout or b""), f"importing it took longer than {seconds:g} s"
    said = ran.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    return answers(ran.stdout), f"importing it ended the process ({said or f'exit code {ran.returncode}'})"
