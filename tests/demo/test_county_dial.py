"""The dial: which visit goes wrong is decided by seed, parcel, step and try, and by nothing else."""

import pytest

from scrapeyard.demo.county import Fault, Faults, FaultsRefused, profile
from scrapeyard.demo.county.dial import Dial, Verdict
from scrapeyard.demo.county.faults import from_flags

NUMBERS = [f"{place:010d}" for place in range(4_000)]
STEPS = ("search", "record")


def faults_met(dial, numbers):
    return {number: [dial.verdict(number).fault for _ in range(3)] for number in numbers}


def test_the_same_seed_meets_the_same_faults_in_any_order():
    faults = Faults(rates={Fault.ERROR_5XX: 0.1, Fault.RESET: 0.1}, sticky={Fault.BLOCKED: 0.05})
    assert faults_met(Dial(7, faults), NUMBERS) == faults_met(Dial(7, faults), NUMBERS[::-1])


def test_another_seed_meets_other_faults():
    faults = Faults(rates={Fault.RESET: 0.2})
    assert faults_met(Dial(7, faults), NUMBERS[:200]) != faults_met(Dial(8, faults), NUMBERS[:200])


def test_faults_come_about_as_often_as_they_should():
    dial = Dial(7, Faults(rates={Fault.ERROR_5XX: 0.1, Fault.SLOW: 0.05}))
    for number in NUMBERS:
        dial.verdict(number)
    assert 330 < dial.served["error_5xx"] < 470
    assert 150 < dial.served["slow"] < 250


def test_a_passing_fault_passes_on_a_later_try():
    dial = Dial(7, Faults(rates={Fault.RESET: 0.5}))
    number = next(one for one in NUMBERS if Dial(7, dial.faults).verdict(one).fault)
    assert None in [dial.verdict(number).fault for _ in range(20)]


def test_a_sticky_fault_never_passes():
    dial = Dial(7, Faults(sticky={Fault.BLOCKED: 0.1}))
    chosen = [number for number in NUMBERS[:1_000] if dial.verdict(number).fault]
    assert 60 < len(chosen) < 140
    assert {dial.verdict(number).fault for number in chosen for _ in range(10)} == {Fault.BLOCKED}


def test_a_flow_of_two_steps_is_struck_at_one_of_them():
    dial = Dial(7, Faults(rates={Fault.RESET: 1}))
    struck = [{step for step in STEPS if dial.verdict(number, step, STEPS).fault} for number in NUMBERS[:300]]
    assert {len(one) for one in struck} == {1}
    assert {"search"} in struck
    assert {"record"} in struck


def test_absent_parcels_are_absent_on_every_visit_and_at_every_step():
    dial = Dial(7, Faults(rates={Fault.ABSENT: 0.2}))
    absent = [number for number in NUMBERS[:1_000] if dial.verdict(number, "search", STEPS).absent]
    assert 150 < len(absent) < 250
    assert {dial.verdict(number, step, STEPS).absent for number in absent for step in STEPS} == {True}


def test_a_fault_with_a_beginning_waits_for_it():
    dial = Dial(7, Faults(rates={Fault.REDESIGN: 1, Fault.BLOCKED: 1}, after={Fault.REDESIGN: 10, Fault.BLOCKED: 20}))
    seen = [dial.verdict(number) for number in NUMBERS[:30]]
    assert [one.redesigned for one in seen] == [False] * 10 + [True] * 20
    assert [one.fault for one in seen] == [None] * 20 + [Fault.BLOCKED] * 10


def test_a_calm_dial_does_nothing():
    dial = Dial(7, profile("calm"))
    assert {dial.verdict(number) for number in NUMBERS[:100]} == {Verdict()}


def test_after_a_reset_the_same_faults_come_again():
    dial = Dial(7, Faults(rates={Fault.RESET: 0.3}))
    first = faults_met(dial, NUMBERS[:200])
    later = faults_met(dial, NUMBERS[:200])
    dial.reset()
    assert first != later
    assert faults_met(dial, NUMBERS[:200]) == first


def test_visits_of_ever_new_parcels_do_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr("scrapeyard.demo.county.dial.MOST_VISITS_KEPT", 50)
    dial = Dial(7, Faults(rates={Fault.RESET: 0.3}))
    for number in NUMBERS:
        dial.verdict(number)
    assert len(dial._visits) == 50


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"rates": {"blocked": 1.5}}, "rates.blocked: Input should be less than or equal to 1"),
        ({"rates": {"blocked": -0.1}}, "rates.blocked: Input should be greater than or equal to 0"),
        ({"rates": {"blocked": float("nan")}}, "rates.blocked: Input should be a finite number"),
        ({"rates": {"blokked": 0.1}}, "rates.blokked: Input should be 'slow'"),
        ({"rates": {"slow": 0.6, "reset": 0.6}}, "faults: the probabilities add up to more than 1"),
        ({"sticky": {"absent": 0.1}}, "faults: absent is always sticky, set it under rates"),
        ({"after": {"redesign": -1}}, "after.redesign: Input should be greater than or equal to 0"),
        ({"slow_seconds": 1e9}, "slow_seconds: Input should be less than or equal to 600"),
        ({"maintenance_status": 404}, "maintenance_status: Input should be 200 or 503"),
        ({"speed": 1}, "speed: Extra inputs are not permitted"),
        ({"profile": "wild"}, "profile: there is no 'wild', take calm or mild"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_in_a_sentence(change, says):
    with pytest.raises(FaultsRefused) as refused:
        Faults().changed(change)
    assert str(refused.value).startswith(says)


def test_a_change_leaves_what_it_does_not_name():
    faults = Faults(rates={Fault.SLOW: 0.1}, retry_after=5).changed({"sticky": {"blocked": 0.2}})
    assert faults == Faults(rates={Fault.SLOW: 0.1}, sticky={Fault.BLOCKED: 0.2}, retry_after=5)


def test_a_profile_is_where_a_change_starts_from():
    assert Faults(retry_after=5).changed({"profile": "mild"}) == profile("mild")


def test_flags_are_put_on_top_of_the_profile():
    faults = from_flags(profile("mild"), ["blocked=0.2"], ["reset=0.1"], ["blocked=500"])
    assert faults.rates == {**profile("mild").rates, Fault.BLOCKED: 0.2}
    assert faults.sticky == {**profile("mild").sticky, Fault.RESET: 0.1}
    assert faults.after == {Fault.BLOCKED: 500}


def test_a_flag_without_a_number_is_refused_with_an_example():
    with pytest.raises(
        FaultsRefused, match=r"--fault blocked: write it as name=number, for example --fault blocked=0\.02"
    ):
        from_flags(Faults(), ["blocked"], [], [])
