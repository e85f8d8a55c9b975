"""What a breaker's phase means for a job at this moment, as a gate: why, how far, and until when."""

from collections.abc import Sequence

from scrapeyard.decisions.breaker import AT_ONCE, COHORT, RAMP, RAMP_OUTCOMES, failures
from scrapeyard.decisions.gates import lasting
from scrapeyard.model.breaker import Breaker, Phase
from scrapeyard.model.gate import ClosedGate, GateName
from scrapeyard.model.policy import BreakerPolicy, OnTrip

_UNKNOWN = "too much failed"


def held_by(name: str, breaker: Breaker, why: str, rules: BreakerPolicy, now: float) -> ClosedGate | None:
    """The gate of one breaker; None while it lets everything through. `why` is what made it trip."""
    counted = sum(breaker.counts.values())
    match breaker.phase:
        case Phase.CLOSED:
            return None
        case Phase.CANARY:
            reason = (
                f"The first {rules.canary} items show whether {name} works, {AT_ONCE} at once; {counted} have answered."
            )
            return ClosedGate(GateName.CANARY, reason)
        case Phase.OPEN:
            return _open(name, breaker, why, rules, now)
        case Phase.PROBING:
            failed = f"{failures(breaker):g}"
            reason = (
                f"{rules.probes} probes try {name} again, {AT_ONCE} at once: {counted} have answered and {failed} of "
                f"them failed, at no item's expense; {rules.close_at} may. It was stopped because {why or _UNKNOWN}."
            )
            return ClosedGate(GateName.PROBING, reason)
        case Phase.SUSPECT:
            reason = (
                f"Neighbours in the list fail together: of {COHORT} items from all over the rest, which show if it is "
                f"{name}, {counted} have answered."
            )
            return ClosedGate(GateName.SUSPECT, reason)
        case Phase.RAMP:
            again = "is to be spared" if rules.on_trip is OnTrip.SLOW else "works again"
            share = f"{100 * RAMP[breaker.step]:g} % of the usual room"
            reason = f"{_capital(name)} {again}: {share} until {RAMP_OUTCOMES} more items have answered."
            return ClosedGate(GateName.RAMP, reason)


def asked_first(name: str, sentinel: str, why: str) -> ClosedGate:
    """The gate of a probing that only something known to exist can begin."""
    reason = (
        f"The sentinel {sentinel}, which is known to exist, is asked for at {name} before any item is tried again. "
        f"It was stopped because {why or _UNKNOWN}."
    )
    return ClosedGate(GateName.PROBING, reason)


def barred_by(gates: Sequence[ClosedGate]) -> ClosedGate | None:
    """One gate for a job of which every way is closed: the one that opens first, and how many there are."""
    if not gates:
        return None
    first = min(gates, key=lambda gate: gate.until or 0.0)
    if len(gates) == 1:
        return first
    return ClosedGate(first.gate, f"None of its {len(gates)} ways is open. {first.reason}", first.until)


def _open(name: str, breaker: Breaker, why: str, rules: BreakerPolicy, now: float) -> ClosedGate:
    wait = lasting(max(0.0, (breaker.until or now) - now))
    tried = "" if not breaker.probings else f"; probing it failed {_times(breaker.probings)}"
    reason = f"{_capital(name)} is closed because {why or _UNKNOWN}{tried}. {rules.probes} probes try it in {wait}."
    return ClosedGate(GateName.BREAKER, reason, breaker.until)


def _times(count: int) -> str:
    return "once" if count == 1 else "twice" if count == 2 else f"{count} times"


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
