"""An ordinary bad day: the site misbehaves a little, and a scraping process is killed in the middle of the work."""

import asyncio
import os
import signal

import psutil

from scrapeyard.demo.outside import Ground
from scrapeyard.demo.scene import Ending, Play, Scene
from scrapeyard.model.states import VisitState

_AT = 0.35
_CHILD = "scrapeyard.wiring.child"
_LOOK = ("items {job} --state failed", "item 001-0001-001 --job {job} --open", "retry {job} --dry-run")


async def _script(play: Play) -> Ending:
    await play.done(_AT * play.total)
    status = await play.status()
    pid = await asyncio.to_thread(_scraping_process)
    if pid is None:
        await play.end()
        return Ending(look=_LOOK)
    os.kill(pid, signal.SIGKILL)
    running = status.tally.count(VisitState.RUNNING)
    play.say(f"Process {pid} is killed, as by a machine that runs out of memory; {running} items are running.")
    await play.end()
    rerun = await _rerun(play)
    words = f"{rerun} items went down with process {pid} and ran again; none is lost, and none is there twice."
    return Ending((words,), {"killed_pid": pid, "rerun": rerun}, _LOOK)


async def undisturbed(play: Play) -> Ending:
    """The same day without the kill."""
    await play.end()
    return Ending(look=_LOOK)


async def _rerun(play: Play) -> int:
    """How many items were lost with a process, as the ledger remembers."""
    rerun, after = 0, -1
    while page := await play.yard.ledger.items.page(play.job.id, after=after):
        after = page[-1].seq
        rerun += sum(item.losses > 0 for item in page)
    return rerun


def _scraping_process() -> int | None:
    """One scraping process that this process started, the one with the most to lose."""
    found: list[tuple[float, int]] = []
    for child in psutil.Process().children(recursive=True):
        try:
            if _CHILD in child.cmdline():
                found.append((child.cpu_times().user, child.pid))
        except psutil.Error:
            continue  # it ended meanwhile
    return max(found)[1] if found else None


SCENE = Scene(
    name="ordinary",
    title="A site with an ordinary amount of trouble, and a scraping process killed on the way",
    scraper="county.alder",
    ground=Ground(faults="mild"),
    script=_script,
)
