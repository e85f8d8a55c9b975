"""A budget is a gate: it counts what is under way, says what was spent, and how to raise it."""

import msgspec
import pytest

from scrapeyard.decisions.budget import Spending, affordable, held_back, spent_gate
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.policy import Policy, SitePolicy
from scrapeyard.model.scraper import ScraperRef

JOB = Job(JobId("j"), "tax bills", ScraperRef("s", "1", "d"), SitePolicy("s"), Policy(), 0.0, 0)


def job(**policy: float) -> Job:
    return msgspec.structs.replace(JOB, policy=Policy(**policy))  # type: ignore[arg-type]  # a test's shorthand


def test_without_a_budget_nothing_is_too_dear():
    assert spent_gate(JOB, Spending(1e12, 1e15)) is None
    assert affordable(Policy(), Spending(1e12, 1e15, 1e6, 1e9), 10_000) > 1_000_000


@pytest.mark.parametrize(
    ("policy", "spending", "said"),
    [
        (
            {"stop_at_usd": 5}, Spending(micros=5_004_000),
            (
                "The budget is used up: 5.00 of 5.00 dollars are spent; "
                "`scrapeyard policy 'tax bills' --stop-at-usd 10` would double it."
            ),
        ),
        (
            {"stop_at_gb": 0.5, "stop_at_usd": 5}, Spending(micros=3_000, wire_bytes=510_000_000),
            (
                "The budget is used up: 0.51 of 0.50 GB have passed; "
                "`scrapeyard policy 'tax bills' --stop-at-gb 1` would double it."
            ),
        ),
    ],
)  # fmt: skip
def test_the_gate_says_what_was_spent_and_how_to_raise_it(policy, spending, said):
    gate = spent_gate(job(**policy), spending)
    assert gate is not None
    assert (gate.gate, gate.reason) == ("budget", said)


def test_what_is_under_way_is_counted_at_what_it_is_expected_to_cost():
    policy = Policy(stop_at_usd=1.0)
    assert affordable(policy, Spending(micros=900_000, each_micros=10_000), held=0) == 10
    assert affordable(policy, Spending(micros=900_000, each_micros=10_000), held=7) == 3
    assert affordable(policy, Spending(micros=900_000, each_micros=10_000), held=30) == 0
    assert affordable(policy, Spending(micros=1_000_000, each_micros=0), held=0) == 0


def test_the_smaller_rest_of_money_and_bytes_counts():
    policy = Policy(stop_at_usd=1.0, stop_at_gb=1.0)
    assert affordable(policy, Spending(0, 999_000_000, 1, 100_000), held=0) == 10
    assert held_back(job(stop_at_usd=1.5, stop_at_gb=2)).reason == (
        "What is under way may use up what is left of the budget of 1.50 dollars and 2 GB."
    )
