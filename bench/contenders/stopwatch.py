"""What a contender says of itself: pages, seconds, CPU-seconds and memory of its whole process tree."""

import json
import threading
import time

import psutil


class Stopwatch:
    """Started when the work begins (imports are done, the list is loaded), stopped when it is done."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._cpu = self._spent()
        self._peak = 0
        self._running = True
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        self._begun = time.perf_counter()

    def stop(self, pages: int) -> None:
        """Print the line that the bench reads."""
        seconds = time.perf_counter() - self._begun
        cpu = self._spent() - self._cpu
        self._running = False
        print("BENCH " + json.dumps({"pages": pages, "seconds": seconds, "cpu": cpu, "rss": self._peak}), flush=True)

    def _family(self) -> list[psutil.Process]:
        return [self._process, *self._process.children(recursive=True)]

    def _spent(self) -> float:
        total = 0.0
        for member in self._family():
            try:
                times = member.cpu_times()
            except psutil.NoSuchProcess:
                continue
            total += times.user + times.system
        return total

    def _watch(self) -> None:
        family = self._family()  # looking for children means reading the list of all processes, so it is done once
        while self._running:
            rss = 0
            for member in family:
                try:
                    rss += member.memory_info().rss
                except psutil.NoSuchProcess:
                    continue
            self._peak = max(self._peak, rss)
            time.sleep(0.5)
