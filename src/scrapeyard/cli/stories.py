"""An item's story: each try with its way, what came of it, what it took; then what comes next."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from scrapeyard.cli import wording
from scrapeyard.cli.points import Point
from scrapeyard.cli.wording import counted, plain
from scrapeyard.model.ask import ItemStory
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.failures import FAULT_MEANING, VERDICTS, Kind
from scrapeyard.model.job import Job
from scrapeyard.model.states import VISIT_MEANING, VisitState

_COLOURS = {"succeeded": "green", "absent": "cyan", "waiting": "yellow", "running": "yellow"}
_INDENT = 2


def told(job: Job, story: ItemStory, now: float) -> Iterator[RenderableType]:
    """The whole story, line by line."""
    item = story.item
    kind = f": {item.kind}, {_fault(item.kind)}" if item.kind else ""
    style = _COLOURS.get(item.state, "red")
    yield Text.assemble((plain(item.key), "bold"), "  ", (f"{item.state}{kind}", style))
    if item.kind:
        yield Text(VERDICTS[Kind(item.kind)].meaning, "dim")
    elif item.state not in {VisitState.SUCCEEDED, VisitState.WAITING}:
        yield Text(VISIT_MEANING[item.state], "dim")
    if item.reason and all(item.reason != each.detail for each in story.attempts):
        yield Text(plain(item.reason, 1_000), "yellow")
    yield Text(f"inputs {plain(item.inputs.decode('utf-8', 'replace'), 1_000)}", "dim")
    if item.records:
        models = ", ".join(counted(count, model) for model, count in item.records.counts.items())
        yield Text(f"read: {plain(models)}")
    before: Attempt | None = None
    for same in _alike(story.attempts):
        yield Text("")
        yield from _tries(same, before, now)
        before = same[-1]
    yield from _next(job, story, now)


def _alike(attempts: Sequence[Attempt]) -> list[list[Attempt]]:
    """Tries in their order; those that came to nothing at once, for the same reason, stand together."""
    found: list[list[Attempt]] = []
    for each in attempts:
        last = found[-1][-1] if found else None
        if last is not None and not each.requests and _mark(last) == _mark(each):
            found[-1].append(each)
        else:
            found.append([each])
    return found


def _mark(attempt: Attempt) -> tuple[object, ...]:
    return attempt.number, attempt.epoch, attempt.tier, attempt.kind, attempt.rule, attempt.requests


def _tries(same: Sequence[Attempt], before: Attempt | None, now: float) -> Iterator[RenderableType]:
    attempt = same[-1]
    if before is not None and before.epoch != attempt.epoch:
        yield Text("Put back to run again, with fresh attempts.", "bold")
    after = "" if before is None else f", {wording.duration(max(0.0, same[0].started - _end(before)))} after the last"
    way = f"by {plain(attempt.tier)}" + (f" through {plain(attempt.proxy)}" if attempt.proxy else "")
    way += f", in session {plain(attempt.session, 40)}" if attempt.session else ""
    probe = ", as a probe" if attempt.probe else ""
    when = f" at {wording.clock(same[0].started, now)}"
    if len(same) > 1:
        when = f", {len(same)} times{when} to {wording.clock(attempt.started, now)}"
    yield Text.assemble((f"Try {attempt.number}", "bold"), f"{when}{after}, {way}{probe}")
    rule = f" (rule {plain(attempt.rule)})" if attempt.rule else ""
    what = f"{attempt.outcome}: {attempt.kind}, {_fault(attempt.kind)}{rule}" if attempt.kind else attempt.outcome
    status = f", status {attempt.status}" if attempt.status else ""
    yield _line(Text(f"{what}{status}", _COLOURS.get(attempt.outcome, "red")))
    if attempt.detail:
        yield _line(Text(plain(attempt.detail, 1_000)))
    took = [
        wording.duration(attempt.ms / 1000),
        counted(attempt.requests, "request"),
        wording.size(attempt.wire_bytes),
        *([wording.small_money(attempt.cost_micros / 1e6)] if attempt.cost_micros else []),
        f"worker {plain(attempt.worker, 60)}",
    ]
    yield _line(Text(", ".join(took), "dim"))
    if attempt.steps:
        steps = [
            f"{plain(step.name)} {wording.duration(step.ms / 1000)}{' ✗' if step.failed else ''}"
            for step in attempt.steps
        ]
        yield _line(Text(f"steps: {', '.join(steps)}", "dim"))


def _next(job: Job, story: ItemStory, now: float) -> Iterator[RenderableType]:
    """What comes next, of an item that is on its way."""
    item = story.item
    if item.state is not VisitState.WAITING or not story.attempts:
        return
    ladder = job.ladder
    way = f" by {ladder[item.rung].name}" if len(ladder) > 1 and item.rung < len(ladder) else ""
    wait = item.not_before - now
    when = f"in {wording.duration(wait)} (at {wording.clock(item.not_before, now)})" if wait > 0 else "at any moment"
    yield Text("")
    yield Text(f"Its next try{way} may start {when}, as soon as the job's gates are open.", "yellow")


def _end(attempt: Attempt) -> float:
    return attempt.started + attempt.ms / 1000


def _fault(kind: str) -> str:
    return FAULT_MEANING[VERDICTS[Kind(kind)].fault]


def _line(text: Text) -> Point:
    return Point("", text, _INDENT - 1)
