"""Jobs as they might stand, to be looked at."""

from scrapeyard.model.ask import JobStatus
from scrapeyard.model.gate import ClosedGate
from scrapeyard.model.job import Job, JobId, Tally
from scrapeyard.model.policy import Policy, SitePolicy
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import JobState, VisitState

START = 1_800_000_000.0


def status(
    at: float = 0.0,
    *,
    total: int | None = 2_000,
    state: JobState = JobState.RUNNING,
    gates: tuple[ClosedGate, ...] = (),
    name: str = "parcels",
    failed: dict[str, int] | None = None,
    **states: int,
) -> JobStatus:
    """A job `at` seconds after its start, with so many items in these states."""
    failed = failed or {}
    counts = {VisitState(each): count for each, count in states.items()}
    if failed:
        counts[VisitState.FAILED] = sum(failed.values())
    tally = Tally(
        counts, failed, loaded=total or sum(counts.values()), attempts=sum(counts.values()), wire_bytes=4_300_000
    )
    ref = ScraperRef("us.demo", "1", "d" * 64)
    job = Job(JobId("abc"), name, ref, SitePolicy("site"), Policy(), START, 1, state=state, total=total)
    return JobStatus(job, tally, gates, running=16, workers=1, at=START + at)
