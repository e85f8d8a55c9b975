"""When is an alarm raised, when does it end, and when do people hear of it?

An alarm is raised once and stands until it has been calm for a while, so that a figure which dances around its limit
does not ring at every step; and what happens together is told together.
"""

import hashlib
from collections.abc import Sequence
from fnmatch import fnmatchcase

import msgspec

from scrapeyard.decisions.window import checked as checked_window
from scrapeyard.decisions.window import opening
from scrapeyard.model.alert import Alarm, Concern, Message, Raised, Rule, RuleView
from scrapeyard.model.breaker import Phase
from scrapeyard.model.errors import BadInput
from scrapeyard.model.figures import counted, duration, money, number, share, size
from scrapeyard.model.gate import GateName, JobView
from scrapeyard.model.job import Job, Tally
from scrapeyard.model.states import JobState, VisitState

CALM = 60.0
"""Seconds for which an alarm must be calm before it can be raised again."""
EASED = 0.8
"""Share of the limit below which a figure counts as calm."""
LEAST = 20
"""Items that must have ended before a share of them says anything."""
LONGEST = 6 * 3600.0
MOST_PENDING = 100
MOST_RAISED = 1_000
REMEMBERED = 7 * 86_400.0
"""Seconds for which it is remembered that the end of a job was told."""

_PATIENCE = 8
_FIRST_WAIT, _LONGEST_WAIT = 30.0, 3600.0
_UNCERTAIN = 60.0
_MOMENTARY = frozenset({Concern.DONE, Concern.WORKER})


class Lately(msgspec.Struct, frozen=True):
    """What has come of a job's items within a rule's span: how many ended, failed, and brought nothing to read."""

    ended: int = 0
    failed: int = 0
    poor: int = 0


class JobFacts(msgspec.Struct, frozen=True):
    """What is known of a job at this moment. `still` is for how long nothing of it has ended; `lately` is None until it
    was watched for the rule's whole span; `usual` is the share of poor items before that, if it is known."""

    job: Job
    tally: Tally
    view: JobView | None = None
    still: float = 0.0
    lately: Lately | None = None
    usual: float | None = None
    by_hand: bool = False


class Finding(msgspec.Struct, frozen=True):
    """How a rule finds one subject: `bad` raises an alarm, `calm` ends it after a while."""

    alarm: Alarm
    bad: bool
    calm: bool


def checked(rule: Rule) -> Rule:
    """The rule itself, or `BadInput` with a sentence that says what to change."""
    if not rule.to or len(rule.to) > 20:
        raise BadInput("Say whom to tell: 1 to 20 channels, by their names in the settings.")
    if rule.over is not None and not rule.over > 0:
        raise BadInput(f"A limit of {rule.over:g} is not taken: give more than 0.")
    if not 1 <= rule.within <= LONGEST:
        raise BadInput(f"A span of {rule.within:g} s is not taken: give 1 s to {duration(LONGEST)}.")
    if not 0 <= rule.group <= 3600:
        raise BadInput(f"Alarms of {rule.group:g} s cannot go out as one: give 0 s to an hour.")
    if len(rule.job) > 200:
        raise BadInput("The name of the job is too long: give at most 200 characters.")
    if rule.quiet is not None:
        checked_window(rule.quiet)
    return rule


def meant(rule: Rule, job: Job) -> bool:
    """Whether the rule watches this job."""
    return not rule.job or rule.job == job.id or fnmatchcase(job.name, rule.job)


def poor(tally: Tally) -> int:
    """Items that brought nothing to read."""
    return tally.count(VisitState.ABSENT) + tally.unreadable


def ended(tally: Tally) -> int:
    """Items of which something came."""
    return tally.count(VisitState.SUCCEEDED, VisitState.ABSENT, VisitState.FAILED, VisitState.UNCERTAIN)


def found(rule: Rule, facts: JobFacts, now: float) -> Finding:
    """How the rule finds a job."""
    bad, calm, words = _JUDGES[rule.concern](rule, facts)
    job = facts.job
    subject = f"{job.id}/{job.epoch}" if rule.concern in _MOMENTARY else str(job.id)
    return Finding(Alarm(subject, now, f"{job.name}: {words}", job.id), bad, calm)


def heeded(view: RuleView, findings: Sequence[Finding], now: float) -> RuleView:
    """The rule after a look: alarms that are new are raised, those that have been calm for a while end."""
    momentary = view.rule.concern in _MOMENTARY
    raised = {subject: one for subject, one in view.raised.items() if not momentary or now - one.since <= REMEMBERED}
    pending = list(view.pending)
    by_subject = {finding.alarm.subject: finding for finding in findings}
    for subject, finding in by_subject.items():
        stands = raised.get(subject)
        if stands is None and finding.bad and (momentary or len(raised) < MOST_RAISED):
            raised[subject] = Raised(now)
            pending.append(finding.alarm)
        elif stands is not None and not momentary:
            raised[subject] = msgspec.structs.replace(
                stands, calm=None if not finding.calm else now if stands.calm is None else stands.calm
            )
    if view.rule.concern is Concern.WORKER:
        raised = {}  # each is an event of its own, and events are counted off
    elif momentary:
        raised = dict(sorted(raised.items(), key=lambda pair: pair[1].since)[-MOST_RAISED:])
    else:
        raised = {
            subject: one
            for subject, one in raised.items()
            if subject in by_subject and (one.calm is None or now - one.calm < CALM)
        }
    return msgspec.structs.replace(view, raised=raised, pending=tuple(pending[-MOST_PENDING:]))


def gathered(view: RuleView, now: float) -> RuleView:
    """The rule after what is pending was made into messages, if it is time for that."""
    rule = view.rule
    waits = not view.pending or now - view.pending[0].at < rule.group
    if waits or (rule.quiet is not None and opening([rule.quiet], now).open):
        return view
    made = [
        Message(_id(view, channel), rule.name, channel, view.pending, due=now) for channel in dict.fromkeys(rule.to)
    ]
    return msgspec.structs.replace(view, pending=(), messages=(*view.messages, *made)[-MOST_PENDING:])


def sendable(message: Message, now: float) -> bool:
    """Whether it is to be tried now: it is due, and nobody is known to be at it."""
    return message.due <= now and (message.begun is None or now - message.begun >= _UNCERTAIN)


def put_off(message: Message, now: float, *, final: bool) -> Message | None:
    """The message as it waits for another try, after one that failed; None if it is given up."""
    if final or message.tries >= _PATIENCE:
        return None
    wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (message.tries - 1))
    return msgspec.structs.replace(message, due=now + wait, begun=None)


def _id(view: RuleView, channel: str) -> str:
    told = [f"{alarm.subject} {alarm.at}" for alarm in view.pending]
    return hashlib.sha256("\n".join([view.rule.name, str(view.made), channel, *told]).encode()).hexdigest()[:24]


_Judged = tuple[bool, bool, str]
"""Whether it is bad, whether it is calm, and in words."""


def _breaker(_: Rule, facts: JobFacts) -> _Judged:
    ways = facts.view.ways if facts.view is not None else ()
    closed = [way for way in ways if way.phase in (Phase.OPEN, Phase.PROBING)]
    why = closed[0].why if closed else ""
    return bool(closed), not closed, f"a breaker is open at {facts.job.site.name}{': ' + why if why else ''}."


def _person(_: Rule, facts: JobFacts) -> _Judged:
    uncertain = facts.tally.count(VisitState.UNCERTAIN)
    if facts.job.state is JobState.PAUSED and not facts.by_hand:
        return (
            True,
            False,
            f"it is paused and waits for a person: {(facts.job.reason or 'nobody said why').rstrip('.')}.",
        )
    return uncertain > 0, not uncertain, f"{counted(uncertain, 'item')} may or may not have been done; judge them."


def _errors(rule: Rule, facts: JobFacts) -> _Judged:
    lately = facts.lately
    if lately is None or lately.ended < LEAST:
        return False, lately is not None, ""
    part = lately.failed / lately.ended
    told = f"{share(lately.failed, lately.ended)} of {counted(lately.ended, 'item')} failed"
    return part > rule.limit, part < rule.limit * EASED, f"{told} within {duration(rule.within)}."


def _stalled(rule: Rule, facts: JobFacts) -> _Judged:
    gates = facts.view.gates if facts.view is not None else ()
    expected = facts.job.state is not JobState.RUNNING or any(gate.gate is GateName.WINDOW for gate in gates)
    why = f" {gates[0].reason}" if gates else ""
    bad = not expected and facts.still >= rule.within
    return bad, not bad, f"nothing of it has ended for {duration(facts.still)}.{why}"


def _backlog(rule: Rule, facts: JobFacts) -> _Judged:
    waiting = facts.tally.count(VisitState.WAITING)
    return waiting > rule.limit, waiting < rule.limit * EASED, f"{counted(waiting, 'item')} wait."


def _budget(rule: Rule, facts: JobFacts) -> _Judged:
    policy, tally = facts.job.policy, facts.tally
    spent, told = 0.0, ""
    if policy.stop_at_usd is not None:
        spent = tally.cost_micros / 1e6 / policy.stop_at_usd
        told = f"{money(tally.cost_micros / 1e6)} of {money(policy.stop_at_usd)}"
    if policy.stop_at_gb is not None and tally.wire_bytes / 1e9 / policy.stop_at_gb > spent:
        spent = tally.wire_bytes / 1e9 / policy.stop_at_gb
        told = f"{size(tally.wire_bytes)} of {number(policy.stop_at_gb)} GB"
    return spent > rule.limit, spent < rule.limit * EASED, f"it has spent {told} of its budget."


def _done(_: Rule, facts: JobFacts) -> _Judged:
    tally, state = facts.tally, facts.job.state
    over = state in (JobState.COMPLETED, JobState.CANCELLED)
    good, all_ = tally.answered, facts.job.total or ended(tally)
    failed = tally.count(VisitState.FAILED, VisitState.UNCERTAIN)
    told = f"{number(good)} of {counted(all_, 'item')} answered, {number(failed)} failed"
    return over, not over, f"it is {state}: {told}."


def _quality(rule: Rule, facts: JobFacts) -> _Judged:
    lately, usual = facts.lately, facts.usual
    if lately is None or usual is None or lately.ended < LEAST:
        return False, lately is not None, ""
    more = lately.poor / lately.ended - usual
    told = f"{share(lately.poor, lately.ended)} of {counted(lately.ended, 'item')} were absent or unreadable"
    return more > rule.limit, more < rule.limit * EASED, f"{told}, and {share(usual, 1)} before."


def _none(_: Rule, __: JobFacts) -> _Judged:
    return False, True, ""


_JUDGES = {
    Concern.BREAKER: _breaker,
    Concern.PERSON: _person,
    Concern.ERRORS: _errors,
    Concern.STALLED: _stalled,
    Concern.BACKLOG: _backlog,
    Concern.WORKER: _none,
    Concern.BUDGET: _budget,
    Concern.DONE: _done,
    Concern.QUALITY: _quality,
}
