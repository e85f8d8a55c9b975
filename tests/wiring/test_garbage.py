"""While a yard works, Python looks for garbage seldom; afterwards as before, and cycles are found all the same."""

import gc
import weakref

from scrapeyard.wiring.garbage import seldom_searched


class Knot:
    """Something that holds itself."""

    def __init__(self) -> None:
        self.me = self


def test_afterwards_all_is_as_it_was() -> None:
    usual, frozen = gc.get_threshold(), gc.get_freeze_count()
    with seldom_searched():
        assert gc.get_threshold() > usual
        assert gc.get_freeze_count() > frozen
    assert gc.get_threshold() == usual
    assert gc.get_freeze_count() == 0


def test_cycles_of_author_code_are_found_while_work_goes_on() -> None:
    with seldom_searched():
        lost = [weakref.ref(Knot()) for _ in range(1_000)]
        kept = [[] for _ in range(100_000)]  # what a few hundred pages leave behind until they are settled
        assert not any(ref() for ref in lost)
    assert kept
