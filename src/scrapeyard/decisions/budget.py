"""May the job still spend? A budget is a gate like all others, over money and over bytes.

What is under way will be paid for as well, so it is counted at what a try is expected to cost; nothing starts that
would begin beyond the budget. So it is passed by what the last tries cost more than expected, and no further.
"""

import shlex
from math import ceil

import msgspec

from scrapeyard.model.gate import ClosedGate, GateName
from scrapeyard.model.job import Job
from scrapeyard.model.policy import Policy

_MICROS = 1e6
_GB = 1e9
_ENDLESS = 1 << 30


class Spending(msgspec.Struct, frozen=True):
    """What a job has spent, and what one more try is expected to take: millionths of a dollar, and bytes."""

    micros: float = 0.0
    wire_bytes: float = 0.0
    each_micros: float = 0.0
    each_bytes: float = 0.0


def spent_gate(job: Job, spending: Spending) -> ClosedGate | None:
    """The gate that is closed when the budget is used up."""
    raised = f"`scrapeyard policy {shlex.quote(job.name)} --stop-at"
    policy = job.policy
    if policy.stop_at_usd is not None and spending.micros >= policy.stop_at_usd * _MICROS:
        dollars = spending.micros / _MICROS
        reason = f"The budget is used up: {dollars:,.2f} of {policy.stop_at_usd:,.2f} dollars are spent"
        return ClosedGate(GateName.BUDGET, f"{reason}; {raised}-usd {2 * policy.stop_at_usd:g}` would double it.")
    if policy.stop_at_gb is not None and spending.wire_bytes >= policy.stop_at_gb * _GB:
        reason = f"The budget is used up: {spending.wire_bytes / _GB:,.2f} of {policy.stop_at_gb:,.2f} GB have passed"
        return ClosedGate(GateName.BUDGET, f"{reason}; {raised}-gb {2 * policy.stop_at_gb:g}` would double it.")
    return None


def affordable(policy: Policy, spending: Spending, held: int) -> int:
    """How many items may start now, beside the `held` ones that are under way."""
    return max(
        0,
        min(
            _tries(policy.stop_at_usd, _MICROS, spending.micros, spending.each_micros),
            _tries(policy.stop_at_gb, _GB, spending.wire_bytes, spending.each_bytes),
        )
        - held,
    )


def held_back(job: Job) -> ClosedGate:
    """Why nothing starts although there is something left: it may be used up by what is under way."""
    limits = [
        *([f"{job.policy.stop_at_usd:,.2f} dollars"] if job.policy.stop_at_usd is not None else []),
        *([f"{job.policy.stop_at_gb:g} GB"] if job.policy.stop_at_gb is not None else []),
    ]
    reason = f"What is under way may use up what is left of the budget of {' and '.join(limits)}."
    return ClosedGate(GateName.BUDGET, reason)


def _tries(limit: float | None, unit: float, spent: float, each: float) -> int:
    """How many tries the rest pays for; the last of them may go beyond it."""
    if limit is None:
        return _ENDLESS
    left = limit * unit - spent
    if left <= 0:
        return 0
    return _ENDLESS if each <= 0 or left / each > _ENDLESS else ceil(left / each)
