"""The classifier on some 800 labelled endings, on pages that nobody labelled, and with rules that an author adds."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as some

from decisions.cases.case import MISSING, long, page, parcel
from decisions.cases.good import GOOD
from decisions.cases.judged import CASES, judged
from decisions.cases.ordinary import VAIN
from decisions.cases.words import MISSED
from scrapeyard.decisions.classify import RULES, SiteRule, diagnose, observe
from scrapeyard.model.errors import StorageError
from scrapeyard.model.failures import Kind

JUDGED = judged()


def test_an_ending_is_called_what_its_label_says_but_for_those_that_are_known_to_be_missed():
    wrong = {one.case.name: (one.kind, one.rule) for one in JUDGED if one.kind != one.case.kind}
    assert {name: found for name, found in wrong.items() if name not in MISSED} == {}
    assert set(wrong) == MISSED, "some are found now; take them off the list"


def test_the_corpus_is_large_and_names_nothing_twice():
    kinds = Counter(case.kind for case in CASES)
    assert len(CASES) - kinds[None] >= 300
    assert kinds[None] + len(VAIN) >= 80
    assert len({case.name for case in CASES}) == len(CASES)
    assert set(Kind) - set(kinds) == {Kind.WORKER_LOST, Kind.POISON}, "what no visit can end with"


def test_the_stated_rates_hold():
    right = sum(one.kind == one.case.kind for one in JUDGED)
    ordinary = [one for one in JUDGED if one.case.kind in (None, Kind.PARSE_EMPTY)]
    assert right >= 0.97 * len(JUDGED)
    assert not [one.case.name for one in ordinary if one.kind is Kind.BLOCKED]
    assert sum(one.kind is Kind.UNKNOWN for one in JUDGED) <= 0.01 * len(JUDGED)


def test_every_rule_has_a_name_of_its_own_and_an_ending_that_needs_it():
    assert len(set(RULES)) == len(RULES)
    assert set(RULES) == {one.rule for one in JUDGED if one.rule}


@pytest.mark.parametrize("case", [case for case in GOOD if case.body], ids=lambda case: case.name)
def test_a_good_page_that_lacks_a_field_is_not_called_a_wall_for_its_cookies_alone(case):
    """The weak signs in headers say nothing at 200; those in a page that says little may."""
    bare = observe(MISSING, status=200, headers=case.headers, body=parcel().encode())
    diagnosis = diagnose(bare)
    assert diagnosis is not None
    assert diagnosis.kind is Kind.PARSE_EMPTY


def test_a_wall_with_a_large_picture_inside_is_known_once_content_is_missed():
    wall = page("Notice", '<div id="px-captcha"></div><script>var art="' + "x" * 50_000 + '"</script>').encode()
    assert diagnose(observe(None, status=200, body=wall)) is None
    diagnosis = diagnose(observe(MISSING, status=200, body=wall))
    assert diagnosis is not None
    assert diagnosis.kind is Kind.BLOCKED


@pytest.mark.parametrize(
    "piece",
    [
        b"<",
        b"<script",
        b"<script></script>",
        b"<!--",
        b"<input ",
        b"<h1><",
        b"&nbsp;",
        b"captcha <input type=  ",
        b"\0",
    ],
)
def test_a_page_made_to_be_slow_is_judged_all_the_same(piece):
    assert diagnose(observe(MISSING, status=200, body=piece * 30_000)) is not None


@given(
    body=some.binary(max_size=400) | some.sampled_from([case.body for case in CASES]),
    status=some.none() | some.integers(0, 1000),
    headers=some.dictionaries(some.sampled_from(["Proxy-Status", "x-brd-error"]), some.text(max_size=40)),
    failed=some.booleans(),
    proxied=some.booleans(),
)  # fmt: skip
def test_whatever_a_stranger_sends_a_failure_has_a_kind(body, status, headers, failed, proxied):
    error = KeyError("x") if failed else None
    diagnosis = diagnose(observe(error, status=status, headers=headers, body=body, proxied=proxied))
    assert diagnosis is not None or not failed


OWN = SiteRule("county_shell", Kind.SESSION_EXPIRED, status=(200,), title="parcel viewer", text=('id="root"',))
SHELL = page("Parcel viewer", '<div id="root"></div>').encode()


def test_an_authors_rule_goes_before_ours():
    for error in (None, MISSING):
        diagnosis = diagnose(observe(error, status=200, body=SHELL), [OWN])
        assert diagnosis is not None
        assert (diagnosis.kind, diagnosis.rule) == (Kind.SESSION_EXPIRED, "county_shell")


def test_an_authors_rule_needs_all_its_conditions_and_has_at_least_one():
    assert diagnose(observe(None, status=201, body=SHELL), [OWN]) is None
    assert diagnose(observe(None, status=200, body=SHELL), [SiteRule("empty", Kind.BLOCKED)]) is None
    by_header = SiteRule("banner", Kind.BLOCKED, header=("X-Wall", "Shut"))
    diagnosis = diagnose(observe(None, headers={"x-wall": "shut down"}), [by_header])
    assert diagnosis is not None
    assert diagnosis.rule == "banner"


def test_an_authors_rule_does_not_hide_a_fault_of_ours():
    for error in (MemoryError(), StorageError("disk")):
        diagnosis = diagnose(observe(error, status=200, body=SHELL), [OWN])
        assert diagnosis is not None
        assert diagnosis.kind in (Kind.RESOURCE_EXHAUSTED, Kind.STORAGE_ERROR)


def test_the_end_of_a_long_page_is_not_read():
    assert diagnose(observe(None, status=200, body=(long() + '<div id="px-captcha"></div>').encode())) is None
