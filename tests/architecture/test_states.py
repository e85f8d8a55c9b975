"""The tables of states, kinds and verdicts are whole, and the page that draws them draws the same."""

import re
from itertools import pairwise
from pathlib import Path

from scrapeyard.model.failures import VERDICTS, Kind
from scrapeyard.model.gate import GATE_MEANING, GateName
from scrapeyard.model.order import Permutation
from scrapeyard.model.policy import Order
from scrapeyard.model.states import (
    FINAL_VISITS,
    JOB_MEANING,
    JOB_MOVES,
    READING_MEANING,
    VISIT_MEANING,
    VISIT_MOVES,
    JobState,
    ReadingState,
    VisitState,
)

PAGE = (Path(__file__).parents[2] / "ARCHITECTURE.md").read_text()


def drawn(after: str) -> set[tuple[str, str]]:
    picture = PAGE[PAGE.index(after) :].split("```")[1]
    return set(re.findall(r"^\s+(\w+) --> (\w+)", picture, re.MULTILINE))


def test_the_picture_of_visits_is_the_table_of_moves() -> None:
    assert drawn("VISIT_MOVES") == {(str(a), str(b)) for a, to in VISIT_MOVES.items() for b in to}


def test_the_picture_of_jobs_is_the_table_of_moves() -> None:
    assert drawn("`JOB_MOVES`") == {(str(a), str(b)) for a, to in JOB_MOVES.items() for b in to}


def test_every_state_has_its_sentence_on_the_page() -> None:
    for meanings in (VISIT_MEANING, JOB_MEANING):
        for state, meaning in meanings.items():
            assert f"| `{state}` | {meaning} |" in PAGE


def test_every_closed_set_is_described_whole() -> None:
    assert set(VISIT_MEANING) == set(VISIT_MOVES) == set(VisitState)
    assert set(JOB_MEANING) == set(JOB_MOVES) == set(JobState)
    assert set(READING_MEANING) == set(ReadingState)
    assert set(VERDICTS) == set(Kind)
    assert set(GATE_MEANING) == set(GateName)


def test_a_final_visit_goes_back_only_to_waiting() -> None:
    assert all(VISIT_MOVES[state] == {VisitState.WAITING} for state in FINAL_VISITS)


def test_the_order_of_starts_is_a_permutation_whatever_the_size() -> None:
    for total in (1, 2, 3, 7, 64, 1000, 4097):
        assert sorted(Permutation(total, 99).window(0, total)) == list(range(total))


def test_windows_of_the_order_join_without_a_gap() -> None:
    whole = Permutation(1000, 5).window(0, 1000)
    parts = [seq for start in range(0, 1000, 37) for seq in Permutation(1000, 5).window(start, 37)]
    assert parts == whole


def test_neighbours_in_the_list_do_not_start_together() -> None:
    starts = Permutation(100_000, 12).window(0, 10_000)
    near = sum(abs(a - b) <= 10 for a, b in pairwise(starts))
    # by chance 0.02 % of neighbours lie within 10 of each other: 2 of 10,000
    assert near < 20


def test_the_first_starts_are_a_fair_sample_of_the_list() -> None:
    starts = Permutation(100_000, 3).window(0, 10_000)
    tenths = [0] * 10
    for seq in starts:
        tenths[seq // 10_000] += 1
    assert all(850 < count < 1150 for count in tenths)


def test_list_order_is_list_order() -> None:
    assert Permutation(10, 1, Order.LIST).window(3, 100) == [3, 4, 5, 6, 7, 8, 9]
