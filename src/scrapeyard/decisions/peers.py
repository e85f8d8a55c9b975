"""Is one of many worse than all the others? Then it is the one to blame, and not what they all work on.

A worker whose address is banned, a proxy that has died: its share of failures stands out from that of its peers at
the same work. It is looked at again and again, so the ranges must lie apart at four standard errors, and never more
than half of them are taken out.
"""

from collections.abc import Mapping

import msgspec

from scrapeyard.decisions.progress import wilson

_Z = 4.0
_LEAST = 15
"""Outcomes of one's own, and of all peers together, below which nothing is said."""
_WORSE = 0.25
"""How much larger a share of failures must be to matter."""


class Score(msgspec.Struct, frozen=True):
    """How one of them did lately."""

    failed: int
    size: int


def outliers(scores: Mapping[str, Score]) -> list[str]:
    """The names of those that do worse than the rest together, the worst first, and never more than half of them."""
    failed = sum(score.failed for score in scores.values())
    size = sum(score.size for score in scores.values())
    worst = sorted(scores, key=lambda name: (-_share(scores[name]), name))
    out: list[str] = []
    for name in worst:
        own = scores[name]
        if 2 * (len(out) + 1) > len(scores):
            break
        failed, size = failed - own.failed, size - own.size
        if not _stands_out(own, Score(failed, size)):
            break
        out.append(name)
    return out


def _share(score: Score) -> float:
    return score.failed / score.size if score.size else 0.0


def _stands_out(own: Score, rest: Score) -> bool:
    if own.size < _LEAST or rest.size < _LEAST or _share(own) < _share(rest) + _WORSE:
        return False
    return wilson(own.failed, own.size, _Z).low > wilson(rest.failed, rest.size, _Z).high
