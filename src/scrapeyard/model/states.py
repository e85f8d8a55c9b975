"""Which states an item's visit, its reading and a job can be in, and which moves are allowed.

Every backend, every role and every page of the documentation must agree on these words; so they stand
here once, with a sentence each, and the picture in ARCHITECTURE.md is checked against them.
"""

from enum import StrEnum


class VisitState(StrEnum):
    """Where one item stands with its site."""

    WAITING = "waiting"
    OFFERED = "offered"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    ABSENT = "absent"
    FAILED = "failed"
    UNCERTAIN = "uncertain"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


class ReadingState(StrEnum):
    """What became of turning an item's captures into records."""

    NONE = "none"
    READ = "read"
    UNREADABLE = "unreadable"


class JobState(StrEnum):
    """Where a job stands as a whole."""

    LOADING = "loading"
    RUNNING = "running"
    PAUSED = "paused"
    FINALIZING = "finalizing"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


VISIT_MEANING: dict[VisitState, str] = {
    VisitState.WAITING: "May be offered to a worker, at once or after its not-before time.",
    VisitState.OFFERED: "Handed to the queue for a few seconds; no worker has taken it yet.",
    VisitState.RUNNING: "A worker holds its lease and is visiting the site.",
    VisitState.SUCCEEDED: "The site was visited and its captures are kept.",
    VisitState.ABSENT: "The site said that there is no such record, which is an answer.",
    VisitState.FAILED: "Given up, with the kind of failure; the failed items are the dead-letter list.",
    VisitState.UNCERTAIN: "Its worker was lost while doing something that must not be repeated; a person judges.",
    VisitState.CANCELLED: "Not run because its job was cancelled.",
    VisitState.SKIPPED: "Not run on purpose, with the reason.",
}

READING_MEANING: dict[ReadingState, str] = {
    ReadingState.NONE: "No reading has been made of this item's captures.",
    ReadingState.READ: "The extractor read records from the captures.",
    ReadingState.UNREADABLE: "The extractor failed on the captures, with the reason; the captures are kept.",
}

JOB_MEANING: dict[JobState, str] = {
    JobState.LOADING: "Items are still arriving; nothing starts before the list is sealed.",
    JobState.RUNNING: "Items start whenever every gate is open.",
    JobState.PAUSED: "No item starts until somebody resumes the job.",
    JobState.FINALIZING: "Nothing moves any more; the rows are being counted against the sealed total.",
    JobState.COMPLETED: "The count adds up and the manifest is written.",
    JobState.CANCELLED: "Stopped for good by a person; what was not run counts as cancelled.",
}

_S = VisitState
FINAL_VISITS = frozenset({_S.SUCCEEDED, _S.ABSENT, _S.FAILED, _S.UNCERTAIN, _S.CANCELLED, _S.SKIPPED})

VISIT_MOVES: dict[VisitState, frozenset[VisitState]] = {
    _S.WAITING: frozenset({_S.OFFERED, _S.SKIPPED, _S.CANCELLED}),
    _S.OFFERED: frozenset({_S.WAITING, _S.RUNNING, _S.CANCELLED}),
    _S.RUNNING: frozenset({_S.WAITING, _S.SUCCEEDED, _S.ABSENT, _S.FAILED, _S.UNCERTAIN, _S.CANCELLED, _S.SKIPPED}),
    **{final: frozenset({_S.WAITING}) for final in FINAL_VISITS},
}
"""Allowed moves of a visit. A final state goes back to waiting only by a redrive, in a new epoch."""

JOB_MOVES: dict[JobState, frozenset[JobState]] = {
    JobState.LOADING: frozenset({JobState.RUNNING, JobState.CANCELLED}),
    JobState.RUNNING: frozenset({JobState.PAUSED, JobState.FINALIZING, JobState.CANCELLED}),
    JobState.PAUSED: frozenset({JobState.RUNNING, JobState.CANCELLED}),
    JobState.FINALIZING: frozenset({JobState.COMPLETED, JobState.RUNNING}),
    JobState.COMPLETED: frozenset({JobState.RUNNING}),
    JobState.CANCELLED: frozenset(),
}
"""Allowed moves of a job. `finalizing → running` is the way back when the count does not add up or a redrive comes."""
