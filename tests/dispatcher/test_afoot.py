"""How many items are under way, between two looks at the ledger."""

from scrapeyard.dispatcher.afoot import Afoot


def fresh(held: int = 0) -> Afoot:
    afoot = Afoot()
    afoot.recounted(held, (), 0.0)
    return afoot


def test_offers_count_at_once_and_outcomes_end_them_before_they_are_committed() -> None:
    afoot = fresh()
    afoot.offered(range(8), 0.0)
    assert afoot.count == 8
    for seq in range(5):
        afoot.ended(seq)
    assert afoot.count == 3
    afoot.recounted(8, (), 1.0)  # nothing of it is in the ledger yet
    assert afoot.count == 3


def test_the_ledger_knows_when_items_left_without_a_word() -> None:
    afoot = fresh()
    afoot.offered(range(8), 0.0)
    afoot.recounted(2, (), 1.0)
    assert afoot.count == 2
    afoot.offered([8, 9], 1.1)
    assert afoot.count == 4


def test_an_item_offered_again_counts_once() -> None:
    afoot = fresh()
    afoot.offered([1], 0.0)
    afoot.recounted(0, (), 1.0)
    afoot.offered([1], 1.5)
    assert afoot.count == 1
    afoot.ended(1)
    assert afoot.count == 0


def test_what_the_last_leader_offered_counts_until_it_has_ended() -> None:
    afoot = fresh(held=5)
    assert afoot.count == 5
    afoot.ended(77)
    afoot.ended(78)
    assert afoot.count == 3
    afoot.offered([1, 2], 0.5)
    assert afoot.count == 5
    afoot.recounted(2, (), 1.0)
    assert afoot.count == 2


def test_an_outcome_that_was_never_told_is_a_ghost_and_forgotten() -> None:
    afoot = fresh()
    afoot.offered(range(3), 0.0)
    for second in range(1, 20):
        afoot.offered([100 + second], float(second))
        afoot.recounted(1, (), second + 0.5)
        afoot.ended(100 + second)
    afoot.offered([500], 20.0)
    afoot.recounted(4, (), 20.5)
    assert afoot.count == 1, "the three that were never heard of again count no longer"


def test_an_item_that_its_worker_is_seen_running_is_no_ghost() -> None:
    afoot = fresh()
    afoot.offered(range(3), 0.0)
    for second in range(1, 20):
        afoot.recounted(2, {0, 1}, float(second))
    afoot.offered([9], 20.0)
    afoot.recounted(5, {0, 1}, 20.5)
    assert afoot.count == 3
