"""Lives through histories: `python -m scrapeyard.testing.simulator --seed 17`, or `--seeds 0:200`."""

import argparse
import logging
import os
import sys
import time
from collections import Counter

import structlog

from scrapeyard.testing.simulator.history import Failed, Story, live


def main(words: list[str]) -> int:
    """The command; gives its exit code."""
    parser = argparse.ArgumentParser(prog="python -m scrapeyard.testing.simulator", description=__doc__)
    parser.add_argument("--seed", type=int, help="live through this one and tell every step")
    parser.add_argument("--seeds", default="0:200", help="live through all of FIRST:END")
    asked = parser.parse_args(words)
    level = logging.WARNING if asked.seed is not None else logging.CRITICAL
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(level))
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    if asked.seed is not None:
        return _one(asked.seed)
    first, _, end = asked.seeds.partition(":")
    return _many(range(int(first), int(end)))


def _one(seed: int) -> int:
    try:
        print(_told(live(seed, aloud=print)))  # noqa: T201 - a command speaks
    except Failed as failed:
        print(failed)  # noqa: T201
        return 1
    return 0


def _many(seeds: range) -> int:
    begun = time.monotonic()
    deeds: Counter[str] = Counter()
    items = visits = bad = 0
    for seed in seeds:
        try:
            story = live(seed)
        except Failed as failed:
            bad += 1
            print(failed, flush=True)  # noqa: T201
            continue
        deeds.update(story.deeds)
        items += story.items
        visits += story.visits
        print(f"{story.seed} {story.digest[:16]}")  # noqa: T201
    took = time.monotonic() - begun
    print(  # noqa: T201
        f"{len(seeds)} histories, {bad} violations, {items} items, {visits} visits, {took:.1f} s; "
        + ", ".join(f"{name} {count}" for name, count in deeds.most_common())
    )
    return 1 if bad else 0


def _told(story: Story) -> str:
    return (
        f"seed {story.seed}: no violation in {story.seconds:.0f} virtual seconds; {story.items} items, "
        f"{story.visits} visits, {story.stale} late results; digest {story.digest[:16]}"
    )


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of a set of names is otherwise another one each time
        os.execve(sys.executable, [sys.executable, "-m", __spec__.name.removesuffix(".__main__"), *sys.argv[1:]],  # noqa: S606 - ourselves
                  os.environ | {"PYTHONHASHSEED": "0"})  # fmt: skip
    sys.exit(main(sys.argv[1:]))
