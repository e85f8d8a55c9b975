"""The machine under the figures: what it is, and how a process is kept on one core of it."""

import os
import platform
import shutil
from pathlib import Path

import psutil


def pinned(core: int, command: list[str]) -> list[str]:
    """The command on one core, where the system can do that."""
    cores = psutil.cpu_count() or 1
    return ["taskset", "-c", str(min(core, cores - 1)), *command] if shutil.which("taskset") else command


def busy() -> float:
    """How many processes wanted a core in the last minute, ours among them: what a reader of the figures has to know."""
    return os.getloadavg()[0]


def described() -> str:
    """One line about the machine."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
    memory = psutil.virtual_memory().total >> 30
    return f"{psutil.cpu_count()} × {model}, {memory} GiB, {platform.system()} {platform.release().partition('-')[0]}, CPython {platform.python_version()}"
