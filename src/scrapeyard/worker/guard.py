"""Stops a worker from taking more than its machine can carry.

Near the limits of memory and open files the worker goes on with what it has and takes nothing new, and says so.
"""

import resource
from collections.abc import Callable

import psutil

from scrapeyard.worker.cgroup import Memory, memory


class Guard:
    """Judges memory and open files."""

    def __init__(self, memory_share: float, files_share: float, memory: Callable[[], Memory] = memory) -> None:
        self._memory_share = memory_share
        self._files_share = files_share
        self._memory = memory
        self._process = psutil.Process()

    def refusal(self) -> str | None:
        """Why this worker should take nothing now, or None."""
        used, limit = self._memory()
        if used > limit * self._memory_share:
            return f"memory is at {used * 100 // limit} % of {limit >> 20} MiB"
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY and self._process.num_fds() > soft * self._files_share:
            return f"{self._process.num_fds()} of {soft} files are open"
        return None


def resident(pid: int) -> int:
    """Bytes that a process has in memory; 0 when it is gone."""
    try:
        return psutil.Process(pid).memory_info().rss
    except psutil.NoSuchProcess:
        return 0
