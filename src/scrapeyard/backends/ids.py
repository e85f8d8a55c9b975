"""How jobs and items are named inside a database: by numbers, so that keys stay short and one job is one range.

A job has a number of its own; an item's id is that number and its `seq` side by side.
"""

_BITS = 32


def joined(job: int, place: int) -> int:
    """The id of a job's item at this place."""
    return (job << _BITS) + place


def job_of(identity: int) -> int:
    """The number of the job."""
    return identity >> _BITS


def place_of(identity: int) -> int:
    """The item's `seq`."""
    return identity & ((1 << _BITS) - 1)


def end_of(job: int) -> int:
    """The first id that is no longer the job's."""
    return (job + 1) << _BITS
