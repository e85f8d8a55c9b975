"""What every ledger refuses at its door, in the same words whatever storage is behind it."""

from collections.abc import Iterable, Sequence

from scrapeyard.model.errors import BadInput, Conflict, NotFound
from scrapeyard.model.event import Event
from scrapeyard.model.item import NewItem, Selection, Settlement
from scrapeyard.model.job import Job
from scrapeyard.model.memo import Memo
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import JOB_MOVES, VISIT_MOVES, JobState, VisitState

MAX_KEY = 1_024
"""Characters of an item's key."""

MAX_INPUTS = 262_144
"""Bytes of an item's inputs."""

MAX_MEMO_NAME = 500
MAX_MEMO = 200_000
"""Bytes of a memo, so that every store can hold it in one row."""

MAX_EVIDENCE = 200_000
"""Bytes of an event's evidence."""

REDRIVABLE = frozenset(
    {VisitState.FAILED, VisitState.ABSENT, VisitState.SUCCEEDED, VisitState.UNCERTAIN, VisitState.SKIPPED}
)
_REDRIVEN_UNASKED = frozenset({VisitState.FAILED, VisitState.UNCERTAIN})


def check_items(items: Sequence[NewItem]) -> None:
    """Refuse keys and inputs that are empty, too long, or not text that can be stored."""
    for item in items:
        if not 0 < len(item.key) <= MAX_KEY:
            raise BadInput(f"The key {item.key[:40]!r}… is empty or longer than {MAX_KEY} characters: choose another.")
        if len(item.inputs) > MAX_INPUTS:
            raise BadInput(f"The inputs of {item.key[:40]!r} are longer than {MAX_INPUTS} bytes: leave columns out.")
    try:
        "".join([item.key for item in items]).encode()
    except UnicodeEncodeError as error:
        raise BadInput("A key has half a character in it (a lone surrogate): save the list as UTF-8.") from error


def check_loading(job: Job) -> None:
    """Refuse new items for a list that is closed."""
    if job.total is not None:
        raise Conflict(f"Job {job.id} is sealed: submit further items as another job.")
    if job.state is not JobState.LOADING:
        raise Conflict(f"Job {job.id} is {job.state}: submit the items as another job.")


def check_settlements(settlements: Iterable[Settlement]) -> None:
    """Refuse what a running item cannot become."""
    allowed = VISIT_MOVES[VisitState.RUNNING]
    for settlement in settlements:
        if settlement.state not in allowed:
            raise Conflict(f"A running item cannot become {settlement.state}: settle it as one of {sorted(allowed)}.")


def check_memo(name: str, body: bytes) -> None:
    """Refuse a name or a body that not every store can hold."""
    if not 0 < len(name) <= MAX_MEMO_NAME or not name.isascii() or not name.isprintable():
        raise BadInput(f"{name[:40]!r} is no name for a memo: take 1 to {MAX_MEMO_NAME} printable ASCII characters.")
    if len(body) > MAX_MEMO:
        raise BadInput(f"The memo {name[:80]!r} has {len(body):,} bytes; {MAX_MEMO:,} is the most: keep it in a blob.")


def revised_memo(known: Memo | None, name: str, body: bytes, seen: Memo | None) -> Memo | None:
    """What the memo becomes; None if it is not as it was seen. `known` may be one that was forgotten."""
    check_memo(name, body)
    if (known if known is not None and known.body else None) != seen:
        return None
    return Memo(name, body, known.version + 1 if known is not None else 1)


def check_events(events: Sequence[Event]) -> None:
    """Refuse events that not every store can hold."""
    for event in events:
        if len(event.evidence) > MAX_EVIDENCE:
            raise BadInput(
                f"The evidence of {event.name} has {len(event.evidence):,} bytes; {MAX_EVIDENCE:,} is the most."
            )


def check_revision(job: Job, policy: Policy, *, begun: bool) -> None:
    """Refuse another order once items have been offered, because nobody could say which are left."""
    if begun and policy.order is not job.policy.order:
        raise Conflict(f"Job {job.id} has begun in {job.policy.order} order: cancel it and submit it anew.")


def starts(to: JobState, only_from: Iterable[JobState]) -> frozenset[JobState]:
    """The states out of `only_from` from which the table of moves allows to reach `to`."""
    return frozenset(state for state in only_from if to in JOB_MOVES[state])


def redriven(job: Job, selection: Selection) -> Selection:
    """The selection in full words. A cancelled job stays so."""
    if job.state is JobState.CANCELLED:
        raise Conflict(f"Job {job.id} was cancelled for good: submit its items as another job.")
    return Selection(
        states=selection.states & REDRIVABLE if selection.states else _REDRIVEN_UNASKED,
        kinds=selection.kinds,
        keys=selection.keys,
        text=selection.text,
        unreadable=selection.unreadable,
        since=selection.since,
        until=selection.until,
    )


def no_job(job: str) -> NotFound:
    """Nobody submitted this job here."""
    return NotFound(f"There is no job {job} here: `scrapeyard jobs` lists those that are.")
