"""People name a job by its id, by the start of its id, or by the name they gave it; all of these find the same job.

An exact id wins over a name, and a name over the start of an id, so that a name never hides behind a coincidence. New
ids are random rather than counted, so that a few characters tell two jobs apart and two machines never give the same.
"""

import secrets
from collections.abc import AsyncIterator, Iterable
from difflib import get_close_matches
from hashlib import sha256

from scrapeyard.model.errors import BadInput, NotFound
from scrapeyard.model.job import Job, JobId
from scrapeyard.ports.jobs import JobBook

LONGEST_NAME = 200

_SIGNS = "23456789abcdefghjkmnpqrstvwxyz"  # no 0/o, 1/i/l: ids are read aloud and typed
_ID_LENGTH = 12
_SHORTEST_START = 2
_PAGE = 500
_MOST = 20_000


def new_id(wish: str = "") -> JobId:
    """An id that no other job has; the same wish, a long hexadecimal number, gets the same one."""
    if wish:
        number = int(wish, 16)
        return JobId("".join(_SIGNS[number // len(_SIGNS) ** place % len(_SIGNS)] for place in range(_ID_LENGTH)))
    return JobId("".join(secrets.choice(_SIGNS) for _ in range(_ID_LENGTH)))


def checked_name(name: str, whose: str = "a job's") -> str:
    """The name itself, or `BadInput` with a sentence that says what to change."""
    if not name.strip() or name != name.strip() or not name.isprintable():
        raise BadInput(
            f"{name[:40]!r} cannot be {whose} name: give one with visible characters and no space around it."
        )
    if len(name) > LONGEST_NAME:
        raise BadInput(f"{name[:40]!r} has {len(name):,} characters; give {whose} name at most {LONGEST_NAME}.")
    return name


def told_id(*parts: object) -> JobId:
    """The id that always comes of the same parts, so that whoever begins the same thing twice begins it once."""
    number = int.from_bytes(sha256("\n".join(map(str, parts)).encode()).digest())
    signs: list[str] = []
    for _ in range(_ID_LENGTH):
        number, place = divmod(number, len(_SIGNS))
        signs.append(_SIGNS[place])
    return JobId("".join(signs))


async def find_job(jobs: JobBook, said: str) -> Job:
    """The job that is meant. `NotFound` offers near names; `BadInput` lists the jobs that could be meant."""
    job = await jobs.get(JobId(said)) or await jobs.named(said)
    if job is not None:
        return job
    known = [job async for job in _newest(jobs)]
    started = [job for job in known if job.id.startswith(said.lower())] if len(said) >= _SHORTEST_START else []
    if len(started) == 1:
        return started[0]
    if started:
        raise BadInput(f"{said!r} is the start of several jobs: {_listed(started)}; write more of the id.")
    raise NotFound(_unknown(said, known))


async def _newest(jobs: JobBook) -> AsyncIterator[Job]:
    """The jobs, newest first, as many as anybody could mean."""
    before: float | None = None
    seen = 0
    while seen < _MOST:
        page = await jobs.find(limit=_PAGE, before=before)
        for job in page:
            yield job
        if len(page) < _PAGE:
            return
        seen, before = seen + len(page), page[-1].created


def _unknown(said: str, known: list[Job]) -> str:
    shown = said if len(said) <= 60 else f"{said[:59]}…"
    if not known:
        return f"There is no job {shown!r}: none has been submitted here yet."
    names = list(dict.fromkeys(job.name for job in known))
    near = get_close_matches(said[:LONGEST_NAME], names, n=3, cutoff=0.6)
    if near:
        return f"There is no job {shown!r}; did you mean {' or '.join(map(repr, near))}?"
    return f"There is no job {shown!r}; the latest are {_listed(known)}."


def _listed(jobs: Iterable[Job]) -> str:
    found = list(jobs)
    named = ", ".join(f"{job.id} ({job.name})" for job in found[:5])
    return f"{named} and {len(found) - 5:,} more" if len(found) > 5 else named
