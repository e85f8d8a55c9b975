"""What becomes of an item after a try that did not end well.

One answer for workers and dispatcher alike: wait until T, or end. Who is to blame decides who pays: only a
fault of site, item or scraper spends an attempt. Faults of ours and of a proxy are counted as losses
instead, so that an outage costs nobody an attempt and still nothing is tried for ever.
"""

import msgspec

from scrapeyard.model.attempt import Attempt
from scrapeyard.model.failures import POISON_AT, VERDICTS, Fault, Kind
from scrapeyard.model.item import Lease, Offer, Settlement
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import VisitState

LOSSES = 10
"""Lost leases after which an item that was under suspicion is poison, even if no crash was seen from near."""
PATIENCE = 20
"""Tries in a row that end through no fault of the item before it is given up with that kind."""
RETRY_AFTER_CAP = 3600.0


class Turn(msgspec.Struct, frozen=True):
    """The item's new state with its new totals. For `waiting`, `not_before` is when it may start again."""

    state: VisitState
    attempts: int
    crashes: int
    losses: int
    kind: str | None = None
    not_before: float = 0.0
    rung: int = 0
    strikes: int = 0


class Moment(msgspec.Struct, frozen=True):
    """Now, and a number in [0, 1) for the jitter."""

    now: float
    luck: float


class Asked(msgspec.Struct, frozen=True):
    """What bears on a retry beside the kind: the wait that the site asked for, in seconds, and the ladder's length."""

    retry_after: float | None = None
    rungs: int = 1


_NOTHING_ASKED = Asked()


def after_failure(offer: Offer, kind: Kind, policy: Policy, moment: Moment, asked: Asked = _NOTHING_ASKED) -> Turn:
    """The visit failed with `kind`.

    A probe's failure costs the item nothing. A failure that asks for a better way moves the item above the rung that
    this try was on, if there is one, which costs no attempt either: the way was at fault, and the ladder has an end.
    """
    verdict = VERDICTS[kind]
    if not verdict.spends:
        return _free(offer, kind, policy, moment)
    pause = backoff(verdict.backoff, offer.attempt, policy.backoff_cap, moment.luck)
    when = moment.now + max(pause, min(asked.retry_after or 0.0, RETRY_AFTER_CAP))
    turn = Turn(VisitState.FAILED, offer.attempt, offer.crashes, offer.losses, kind, 0.0, offer.rung, offer.strikes)
    if offer.probe:
        return _again(msgspec.structs.replace(turn, attempts=offer.attempt - 1), when)
    if verdict.escalate:
        way = max(offer.rung, offer.way)
        strikes = (offer.strikes if way == offer.rung else 0) + 1
        if strikes >= verdict.escalate and way + 1 < asked.rungs:
            up = msgspec.structs.replace(turn, attempts=offer.attempt - 1, rung=way + 1, strikes=0)
            return _again(up, moment.now + moment.luck)
        turn = msgspec.structs.replace(turn, rung=way, strikes=strikes)
    return turn if offer.attempt >= allowed(kind, policy) else _again(turn, when)


def allowed(kind: Kind, policy: Policy) -> int:
    """How many tries an item gets in total when it fails this way; the policy never revives a hopeless kind."""
    usual = VERDICTS[kind].attempts
    return usual if usual == 1 or policy.attempts is None else max(1, policy.attempts)


def backoff(base: float, failures: int, cap: float, luck: float) -> float:
    """Exponential back-off with full jitter: anything from nothing to base × 2^(failures−1), at most `cap`."""
    return luck * min(cap, base * 2 ** min(max(failures, 1) - 1, 32))


def after_crash(offer: Offer, policy: Policy, moment: Moment, *, alone: bool) -> Turn:
    """The process that ran the item died. Only one that died with this item alone in it says something of it."""
    crashes = offer.crashes + 1 if alone else max(offer.crashes, 1)
    losses = offer.losses + 1
    lost = Turn(VisitState.WAITING, offer.attempt - 1, crashes, losses, Kind.WORKER_LOST)
    stands = msgspec.structs.replace(lost, rung=offer.rung, strikes=offer.strikes)
    suspicious = offer.crashes > 0 and losses > LOSSES
    if not offer.repeatable:
        return msgspec.structs.replace(stands, state=VisitState.UNCERTAIN)
    if crashes >= POISON_AT or suspicious:
        return msgspec.structs.replace(stands, state=VisitState.FAILED, kind=Kind.POISON)
    pause = backoff(VERDICTS[Kind.WORKER_LOST].backoff, losses, policy.backoff_cap, moment.luck)
    return _again(stands, moment.now + pause)


def after_loss(offer: Offer, policy: Policy, moment: Moment) -> Turn:
    """The whole worker was lost: nobody saw which of its items was to blame, if any."""
    return after_crash(offer, policy, moment, alone=False)


def after_release(offer: Offer, now: float) -> Turn:
    """The worker gave the item back unharmed: it may start again at once and nothing is counted."""
    return Turn(
        VisitState.WAITING, offer.attempt - 1, offer.crashes, offer.losses, offer.last_kind, now,
        offer.rung, offer.strikes,
    )  # fmt: skip


def settle(lease: Lease, turn: Turn, attempt: Attempt | None = None, reason: str | None = None) -> Settlement:
    """Put a turn down as the end of a lease."""
    return Settlement(
        job=lease.offer.job,
        seq=lease.offer.seq,
        epoch=lease.offer.epoch,
        fence=lease.fence,
        state=turn.state,
        attempts=turn.attempts,
        crashes=turn.crashes,
        losses=turn.losses,
        kind=turn.kind,
        not_before=turn.not_before,
        attempt=attempt,
        reason=reason,
        rung=turn.rung,
        strikes=turn.strikes,
    )


def _free(offer: Offer, kind: Kind, policy: Policy, moment: Moment) -> Turn:
    """A failure that is not the item's. Ours may have come after the deed, so what must not be repeated is judged."""
    verdict, losses = VERDICTS[kind], offer.losses + (not offer.probe)
    turn = Turn(VisitState.FAILED, offer.attempt - 1, offer.crashes, losses, kind, 0.0, offer.rung, offer.strikes)
    if verdict.fault is Fault.OURS and not offer.repeatable:
        return msgspec.structs.replace(turn, state=VisitState.UNCERTAIN)
    if losses >= PATIENCE:
        return turn
    return _again(turn, moment.now + backoff(verdict.backoff, losses, policy.backoff_cap, moment.luck))


def _again(turn: Turn, when: float) -> Turn:
    return msgspec.structs.replace(turn, state=VisitState.WAITING, not_before=when)
