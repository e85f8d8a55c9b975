"""One of many that does worse than all the others is named; what hits all of them alike names nobody."""

import random

from scrapeyard.decisions.peers import Score, outliers


def scores(**failed: int) -> dict[str, Score]:
    return {name: Score(count, 100) for name, count in failed.items()}


def test_a_worker_whose_address_is_banned_is_named() -> None:
    assert outliers(scores(a=5, b=95, c=7, d=3)) == ["b"]


def test_of_two_the_worse_one_is_named() -> None:
    assert outliers({"a": Score(1, 20), "b": Score(20, 20)}) == ["b"]


def test_a_site_that_fails_them_all_names_nobody() -> None:
    assert outliers(scores(a=95, b=97, c=99)) == []
    assert outliers(scores(a=60, b=75, c=55)) == []


def test_one_alone_has_nobody_to_be_compared_with() -> None:
    assert outliers({"a": Score(100, 100)}) == []
    assert outliers({}) == []


def test_never_more_than_half_are_named_the_worst_first() -> None:
    assert outliers(scores(a=100, b=99, c=98, d=0, e=0)) == ["a", "b"]
    assert outliers(scores(a=100, b=99, c=98, d=0)) == ["a", "b"]


def test_few_outcomes_say_nothing() -> None:
    assert outliers({"a": Score(14, 14), "b": Score(0, 100)}) == []
    assert outliers({"a": Score(20, 20), "b": Score(0, 14)}) == []


def test_a_little_worse_is_not_enough() -> None:
    assert outliers({"a": Score(2_400, 10_000), "b": Score(100, 10_000)}) == []


def test_equals_are_hardly_ever_told_apart_however_often_one_looks() -> None:
    rng, named = random.Random(3), 0
    for _ in range(3_000):
        named += bool(outliers({name: Score(sum(rng.random() < 0.2 for _ in range(60)), 60) for name in "abcd"}))
    assert named <= 1
