"""Writes docs/reference/metrics.md from the table of figures."""

from scrapeyard.model.metric import BUCKETS, METRICS, NAMESPACE

_INTRO = f"""# Metrics

`scrapeyard dispatcher`, `worker` and `up` show their figures to Prometheus at `/metrics` of the address that
`--metrics HOST:PORT` (or `metrics.listen`) names, and answer `/healthz` there; whoever reaches that address may read
it. The controller shows its own at `/metrics` of the API, to keys with the scope `read`. With `metrics.emf = true`
every role also writes them to standard output once a minute in CloudWatch's embedded metric format, under the
namespace `{NAMESPACE}`; counters appear there as what they have grown by.

No label names a job, an item or a worker, so the number of series does not depend on how much is done. Those of the
dispatcher come from the one that leads; those that stand by say 0, so a sum over all is right.

A fleet scales on `scrapeyard_backlog_per_worker`: keep it near the slots of one worker (`worker.processes` ×
`worker.concurrency`). It counts what could be under way at once, so it asks for no more workers than the sites' pace
can feed.

Histograms have the buckets {", ".join(f"{bound:g}" for bound in BUCKETS)} (seconds).
"""


def metrics() -> str:
    """Every figure: what Prometheus and CloudWatch call it, and what it means."""
    lines = [
        _INTRO,
        "| Prometheus | labels | CloudWatch | dimensions | unit | shape | told by | meaning |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in METRICS:
        labels = ", ".join(f"`{label}`" for label in one.labels) or "–"
        dimensions = ", ".join(f"`{dimension}`" for dimension in one.dimensions) or "–"
        lines.append(
            f"| `{one.name}` | {labels} | `{one.cloud}` | {dimensions} | {one.unit} | {one.shape} | "
            f"{', '.join(one.roles)} | {one.meaning} |"
        )
    return "\n".join(lines)
