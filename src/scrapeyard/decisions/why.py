"""Why is my job not moving, or so slowly, and what would change that? Facts in, an answer in words out.

The closed gates come first, for each of them says by itself why nothing starts. What they do not say is told beside
them: items that wait for another try, failures that eat the tries, and the limits that bound the pace.
"""

import shlex

from scrapeyard.decisions.bounds import bounds, tries_each
from scrapeyard.decisions.gates import lasting
from scrapeyard.decisions.progress import outcomes, remaining
from scrapeyard.decisions.remedies import remedies
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.failures import FAULT_MEANING, VERDICTS, Kind
from scrapeyard.model.gate import GateName
from scrapeyard.model.span import Span
from scrapeyard.model.states import FINAL_VISITS, JobState, VisitState
from scrapeyard.model.why import Bound, Going, Hindrance, Remedy, Why

BUSY = frozenset(
    {
        GateName.CAPACITY,
        GateName.SITE_RATE,
        GateName.SITE_SLOWED,
        GateName.SITE_CONCURRENCY,
        GateName.JOB_CONCURRENCY,
        GateName.FAIR_SHARE,
        GateName.RETRY_BUDGET,
        GateName.CANARY,
        GateName.PROBING,
        GateName.SUSPECT,
        GateName.RAMP,
    }
)
"""Gates that are closed because the job is going as fast as it may, which may be slowly."""

_ENDED = (JobState.COMPLETED, JobState.CANCELLED)
_MANY_TRIES = 1.3
_MANY_FAILURES = 0.1
_KINDS = 3
"""Kinds of failure that are told; the table of the status has them all."""


def why(status: JobStatus) -> Why:
    """The whole answer."""
    job, pace = status.job, status.pace
    ended = job.state in _ENDED
    limits = () if ended else bounds(status)
    hindrances = (*_gates(status), *_beside(status), *_failures(status))
    left = None if ended else _left(status)
    going = Going.ENDED if ended else Going.STILL if _still(status) else Going.MOVING
    return Why(
        job=job.id,
        name=job.name,
        state=job.state,
        going=going,
        answer=_answer(status, going, limits, left),
        hindrances=hindrances,
        bounds=limits,
        later=0 if ended else status.later,
        due=None if ended else status.due,
        per_second=None if ended or pace is None else pace.ended,
        seconds_left=left,
        at=status.at,
    )


def _still(status: JobStatus) -> bool:
    """Whether nothing of it moves: what runs may end, but nothing starts."""
    if any(gate.gate not in BUSY for gate in status.gates):
        return True
    moving = status.running or (status.pace is not None and (status.pace.held or status.pace.ended is not None))
    return bool(status.gates) and not moving


def _answer(status: JobStatus, going: Going, limits: tuple[Bound, ...], left: Span | None) -> str:
    match status.job.state:
        case JobState.COMPLETED:
            return f"It is done: {_count(status)} {_ago(status)}: {_outcomes(status)}."
        case JobState.CANCELLED:
            return _cancelled(status)
        case JobState.FINALIZING:
            trouble = status.job.reason
            if trouble:
                return f"All items have had their end, but the count does not add up: {trouble} It is counted again."
            return "All items have had their end; they are being counted, and then it is done."
        case JobState.LOADING | JobState.PAUSED | JobState.RUNNING:
            pass
    if going is Going.STILL:
        first = next((gate for gate in status.gates if gate.gate not in BUSY), status.gates[0])
        under_way = f" {_items(status.running)} under way may still end." if status.running else ""
        return f"It stands still. {first.reason}{under_way}"
    return _moving(status, limits, left)


def _moving(status: JobStatus, limits: tuple[Bound, ...], left: Span | None) -> str:
    tally = status.tally
    if not tally.count(VisitState.WAITING, VisitState.OFFERED) and status.running:
        longest = lasting(status.job.policy.deadline)
        return f"It is nearly done: the last {_items(status.running)} are under way, each for {longest} at most."
    going = None if status.pace is None else status.pace.ended
    if going is None:
        begun = "Items are under way, but none has had its end in the last minute."
        return begun if status.running else "Its first items are about to start."
    said = f"It is moving: {_rate(going.mid)}"
    if left is not None:
        said += f", {lasting(left.mid)} left"
    binding = next((bound for bound in limits if bound.binds), None)
    return f"{said}. What bounds it: {binding.words}" if binding else f"{said}, and no limit of ours holds it back."


def _cancelled(status: JobStatus) -> str:
    job, tally = status.job, status.tally
    reason = f": {job.reason.rstrip('.')}" if job.reason else ""
    said = f"It was cancelled {_ago(status)}{reason}. {_items(tally.count(VisitState.CANCELLED))} did not run."
    running = tally.count(VisitState.RUNNING)
    return f"{said} {_items(running)} under way are being stopped." if running else said


def _gates(status: JobStatus) -> list[Hindrance]:
    return [
        Hindrance(str(gate.gate), gate.reason, gate.until, remedies(gate.gate, status.job)) for gate in status.gates
    ]


def _beside(status: JobStatus) -> list[Hindrance]:
    """What no gate says."""
    if status.job.state in _ENDED or not status.later:
        return []
    due = status.due
    if any(gate.gate is GateName.RETRY_WAIT for gate in status.gates):
        return []
    when = "the first of them may start now" if due is None or due <= status.at else ""
    when = when or f"the first may start in {lasting((due or status.at) - status.at)}"
    wait = "waits" if status.later == 1 else "wait"
    words = f"{_items(status.later)} had a try before and {wait} for another; {when}."
    return [Hindrance("retries", words, due if due is not None and due > status.at else None)]


def _failures(status: JobStatus) -> list[Hindrance]:
    """Failures by kind and whose fault they are, where they are many or where the job has ended with them."""
    tally, name = status.tally, shlex.quote(status.job.name)
    ended, failed = tally.count(*FINAL_VISITS), sum(tally.failed.values())
    done = status.job.state in _ENDED
    found: list[Hindrance] = []
    if not done and tries_each(status) >= _MANY_TRIES:
        words = f"An item takes {tries_each(status):.1f} tries so far, because of failures that are tried again."
        found.append(Hindrance("tries", words, None, (Remedy("See what fails.", f"scrapeyard status {name}"),)))
    if failed and (done or failed >= _MANY_FAILURES * ended):
        ranked = sorted(tally.failed.items(), key=lambda pair: -pair[1])
        found += [_failure(kind, count, name, again=done) for kind, count in ranked[:_KINDS]]
    uncertain = tally.count(VisitState.UNCERTAIN)
    if uncertain:
        words = f"{_items(uncertain)} may or may not have been done at the site: a person has to judge."
        look = Remedy("Look at them.", f"scrapeyard items {name} --state uncertain")
        found.append(Hindrance("uncertain", words, None, (look,)))
    if tally.unreadable:
        words = f"{_items(tally.unreadable)} were fetched and kept, but the extractor could not read them."
        look = Remedy("Look at them; the pages need no second visit.", f"scrapeyard items {name} --unreadable")
        found.append(Hindrance("unreadable", words, None, (look,)))
    return found


def _failure(kind: str, count: int, name: str, *, again: bool) -> Hindrance:
    verdict = VERDICTS[Kind(kind)]
    words = f"{_items(count)} failed as {kind}, {FAULT_MEANING[verdict.fault]}: {verdict.meaning}"
    look = Remedy("Look at them.", f"scrapeyard items {name} --kind {kind}")
    retry = Remedy("What running them again would take.", f"scrapeyard retry {name} --kind {kind} --dry-run")
    return Hindrance(kind, words, None, (look, retry) if again else (look,))


def _left(status: JobStatus) -> Span | None:
    """Seconds until all is done, counted from when the closed gates open."""
    job, going = status.job, None if status.pace is None else status.pace.ended
    if job.total is None or job.state is JobState.PAUSED:
        return None
    left = remaining(job.total - status.tally.count(*FINAL_VISITS), going)
    wait = max((gate.until - status.at for gate in status.gates if gate.until is not None), default=0.0)
    if left is None:
        return None
    late = (status.due or 0.0) - status.at
    left = left.plus(wait) if wait > 0 else left
    return left.plus(late - left.mid) if late > left.mid else left


def _count(status: JobStatus) -> str:
    total = status.job.total or 0
    return "its one item had its end" if total == 1 else f"all {total:,} items had their end"


def _outcomes(status: JobStatus) -> str:
    counts = outcomes(status.tally)
    return ", ".join(f"{count:,} {name.replace('failed: ', 'failed as ')}" for name, count in counts.items()) or "none"


def _ago(status: JobStatus) -> str:
    finished = status.job.finished
    return f"{lasting(status.at - finished)} ago" if finished is not None else "a while ago"


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count:,} items"


def _rate(per_second: float) -> str:
    if per_second >= 1:
        return f"{per_second:.1f} items a second"
    return f"{per_second * 60:.1f} items a minute" if per_second * 60 >= 1 else f"{per_second * 3600:.1f} an hour"
