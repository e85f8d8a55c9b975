"""`python -m bench [--rounds N] [--scale F] [--items N] [--run N] [--dry]`: all parts; writes docs/benchmarks.md unless dry."""

import argparse

from bench.postgres import fleet
from bench.race import race
from bench.report import overhead, publish, ratios
from bench.scale import scale


def main() -> None:
    """Run all parts and say how the promises stand."""
    parser = argparse.ArgumentParser(description="Us and the peers, side by side.")
    parser.add_argument("--rounds", type=int, default=5, help="how often each contender runs")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the pages of a full run")
    parser.add_argument("--items", type=int, default=1_000_000, help="items in the large job")
    parser.add_argument("--run", type=int, default=200_000, help="no-op items that are run")
    parser.add_argument("--dry", action="store_true", help="print only; leave docs/benchmarks.md as it is")
    words = parser.parse_args()
    print("the race:")
    scores = race(words.rounds, words.scale)
    print("a million items:")
    large = scale(words.items, words.run)
    print(f"  loaded {large.load_rate:,.0f} items/s, {large.load_rss:.0f} MiB; ran {large.run_rate:,.0f} items/s,")
    print(
        f"  at most {max(rss for _, rss in large.rss):.0f} MiB a process, {large.together:.0f} together, {large.per_100k:+.2f} MiB per 100,000 items;"
    )
    print(f"  status {large.status_small:.2f} ms at 1,000 items, {large.status_large:.2f} ms at {large.loaded:,}")
    servers = fleet(words.items // 2, min(words.run, 100_000))
    print(servers.lines())
    for name, ratio, target in ratios(scores):
        print(f"  {ratio:5.1f} × {name} (promised {target:.0f} ×)")
    print(f"  {overhead(scores):5.0f} µs of CPU a page beyond the bare loop (promised at most 150)")
    if not words.dry:
        publish(scores, large, servers, words.rounds)
        print("written: docs/benchmarks.md")


if __name__ == "__main__":
    main()
