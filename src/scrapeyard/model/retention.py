"""What is removed because of its age, and what that frees."""

import msgspec

from scrapeyard.model.job import JobId


class PrunedJob(msgspec.Struct, frozen=True):
    """The captures of one job: how many blobs, and how many bytes they take."""

    job: JobId
    name: str
    finished: float
    blobs: int
    size: int


class Pruned(msgspec.Struct, frozen=True):
    """What was removed, or would be: captures of jobs, deeds of the audit, and entries of the alerts' log."""

    dry_run: bool
    jobs: tuple[PrunedJob, ...] = ()
    deeds: int = 0
    told: int = 0

    @property
    def size(self) -> int:
        """Bytes of all captures."""
        return sum(job.size for job in self.jobs)


class PruneRequest(msgspec.Struct, frozen=True):
    """Whether to remove, or only to say what that would free."""

    dry_run: bool = True


class Keeping(msgspec.Struct, frozen=True):
    """For how many days things are kept where a job's policy does not say it; None is for good."""

    captures_days: float | None = None
    audit_days: float | None = None
