"""Writes docs/reference from the code itself, so that settings, kinds, states, gates and commands cannot drift from it.

`make docs` runs this; a test runs it again and fails when a page differs from what it would write.
"""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import Any, get_args

import typer.main
from api_reference import api
from metrics_reference import metrics
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from scrapeyard.cli.main import LateGroup, app
from scrapeyard.decisions.absents import ALARM, LEARN, LEAST_SHARE, learned, step
from scrapeyard.decisions.breaker import (
    AT_ONCE,
    COHORT,
    COHORT_STOP,
    GIVE_UP,
    JITTER,
    RAMP,
    RAMP_OUTCOMES,
)
from scrapeyard.decisions.classify import RULES
from scrapeyard.decisions.gates import lasting
from scrapeyard.decisions.marks import FAILURE
from scrapeyard.decisions.odds import at_least, delay, mean_run, trips
from scrapeyard.decisions.pooled import OURS, SITE
from scrapeyard.decisions.sentinels import AT_FIRST, EVERY, FOUND_ENOUGH, WITNESSES
from scrapeyard.model.breaker import CAUSE_MEANING, PHASE_MEANING
from scrapeyard.model.failures import VERDICTS, Kind
from scrapeyard.model.gate import GATE_MEANING
from scrapeyard.model.policy import BreakerPolicy
from scrapeyard.model.states import JOB_MEANING, READING_MEANING, VISIT_MEANING
from scrapeyard.settings import Settings

FOLDER = Path(__file__).parents[1] / "docs" / "reference"


def pages() -> dict[str, str]:
    """Every generated page by file name."""
    makers: dict[str, Callable[[], str]] = {
        "settings.md": settings,
        "failures.md": failures,
        "classifier.md": classifier,
        "states.md": states,
        "commands.md": commands,
        "breaker.md": breaker,
        "api.md": api,
        "metrics.md": metrics,
    }
    note = "<!-- Written by `make docs` from the code. Change the code, not this page. -->\n\n"
    return {name: note + make().rstrip() + "\n" for name, make in makers.items()}


def settings() -> str:
    """All settings, one table per section."""
    intro = (
        "# Settings\n\nThe first source that names a value wins: an option of the command line, an environment "
        "variable, the file `scrapeyard.toml` in the present folder (or the one that `SCRAPEYARD_CONFIG` names), the "
        "default.\n\n"
        '```toml\ndata = "/var/lib/scrapeyard"\n\n[worker]\nprocesses = 4\n\n[sites."assessor.example"]\n'
        'rate = 2.0\nstart = "20:00"\nend = "06:00"\ntimezone = "America/New_York"\n```\n'
    )
    top: list[tuple[str, str, FieldInfo]] = []
    sections: list[str] = []
    for name, field in Settings.model_fields.items():
        found = _sections(field.annotation)
        if not found:
            top.append((name, f"SCRAPEYARD_{name.upper()}", field))
            continue
        by_name = get_args(field.annotation) != ()
        title = f'{name}."NAME"' if by_name else name
        several = len(found) > 1
        if several:
            sections.append(f"## [{title}]\n\n{field.description} `kind` says which of these it is.")
        for inner in found:
            rows = [
                (key, "" if by_name else f"SCRAPEYARD_{name.upper()}__{key.upper()}", each)
                for key, each in inner.model_fields.items()
            ]
            about = inner.__doc__ if several else field.description or inner.__doc__
            heading = f"### [{title}] of kind {_kind(inner)}" if several else f"## [{title}]"
            sections.append(f"{heading}\n\n{about}\n\n{_table(rows)}")
    return "\n\n".join([intro, "## At the top\n\n" + _table(top), *sections])


def _sections(annotation: Any) -> list[type[BaseModel]]:
    """The sections that may stand there: one, or one of several kinds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for inner in get_args(annotation) for found in _sections(inner)]


def _kind(section: type[BaseModel]) -> str:
    return str(get_args(section.model_fields["kind"].annotation)[0])


def _table(rows: list[tuple[str, str, FieldInfo]]) -> str:
    lines = ["| name | default | meaning | environment |", "|---|---|---|---|"]
    for name, variable, field in rows:
        default = field.get_default(call_default_factory=True)
        shown = f"`{_plain(default)}`" if default not in ("", None) else "–"
        shown = "required" if field.is_required() else shown
        meaning = " ".join((field.description or "").split())
        lines.append(f"| `{name}` | {shown} | {meaning} | {f'`{variable}`' if variable else '–'} |")
    return "\n".join(lines)


def _plain(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple):
        return "[" + ", ".join(repr(part) for part in value) + "]"
    return str(value)


def failures() -> str:
    """The table of kinds."""
    last = ("dearer tier after", "breaker", "meaning")
    lines = [
        "# Kinds of failure\n",
        "What can go wrong with a visit, whose fault it is, and what happens next. How a kind is found: [the",
        "classifier](classifier.md).\n",
        "- *Tries* is how many an item gets in total when it fails this way; a fault of ours or of a proxy, and a",
        "  login that is refused, spend none of them. *Back-off* is the base in seconds of an exponential, capped one",
        "  with full jitter; the site's own Retry-After counts if it is longer.",
        "- *Fresh session* and *other proxy* say how the next try differs.",
        "- *Dearer tier after* is how many such failures of an item on one tier move it up its job's ladder.",
        "- *Breaker* is what part of a failure it is to a breaker; with *n in a row*, so many of them with nothing",
        "  good in between trip it at once.\n",
        _row("kind", "whose fault", "tries", "back-off", "spends a try", "fresh session", "other proxy", *last),
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for kind, verdict in sorted(VERDICTS.items()):
        answers = " | ".join(map(_yes, (verdict.spends, verdict.fresh_session, verdict.rotate)))
        figures = f"{verdict.fault} | {verdict.attempts} | {verdict.backoff:g}"
        counted = f"{verdict.weight:g}{f', {verdict.streak} in a row' if verdict.streak else ''}"
        breaker = counted if verdict.counts else "–"
        lines.append(
            f"| `{kind}` | {figures} | {answers} | {verdict.escalate or '–'} | {breaker} | {verdict.meaning} |"
        )
    return "\n".join(lines)


def classifier() -> str:
    """How the classifier does on the labelled endings, which the tests own."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    found = import_module("decisions.cases.judged").judged()
    right = sum(one.kind == one.case.kind for one in found)
    ordinary = [one for one in found if one.case.kind in (None, Kind.PARSE_EMPTY)]
    walls = sum(one.kind is Kind.BLOCKED for one in ordinary)
    unknown = sum(one.kind is Kind.UNKNOWN for one in found)
    lines = [
        "# The classifier\n",
        "Which kind of failure was that? One pure function decides, from the error, the status, the headers and the",
        "first 64 KiB of the last page. Its rules are asked in the order of the table below; the first that holds",
        "gives the kind, and its name is kept with the attempt. Rules of an author for one site (`rules=`) go",
        "before all of them but those for our own faults.\n",
        "The figures come from endings that were written by hand after the manner of those met in the wild, and",
        "labelled before the rules for them were made: seen quietly (nobody complained), read in vain (a required",
        "part is missing), or with the error that their status raises. They stand in `tests/decisions/cases`,",
        "and so does the list of those that are missed.\n",
        "| endings | kind right | ordinary pages | of them called blocked | called unknown |",
        "|---|---|---|---|---|",
        _row(len(found), _of(right, len(found)), len(ordinary), walls, _of(unknown, len(found))) + "\n",
        "## Confusion\n",
        "Each row is a label; the columns say what such endings were called. An ordinary page is called `–`.\n",
        "| label | endings | called so | called otherwise |",
        "|---|---|---|---|",
        *_confusion(Counter((one.case.kind, one.kind) for one in found)),
        "\n## Rules\n",
        "How many endings each rule decides, and one of them.\n",
        "| rule | kind | endings | for example |",
        "|---|---|---|---|",
    ]
    for rule in RULES:
        mine = [one for one in found if one.rule == rule]
        kinds = ", ".join(sorted({f"`{one.kind}`" for one in mine}))
        lines.append(f"| `{rule}` | {kinds} | {len(mine)} | {mine[0].case.name} |")
    return "\n".join(lines)


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _of(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.1%})"


def _confusion(counts: Counter[tuple[Kind | None, Kind | None]]) -> list[str]:
    rows: list[str] = []
    for label in sorted({label for label, _ in counts}, key=lambda kind: (kind is not None, str(kind))):
        called = {kind: count for (own, kind), count in counts.items() if own == label}
        so = called.pop(label, 0)
        others = ", ".join(f"{_name(kind)} × {count}" for kind, count in sorted(called.items(), key=str))
        rows.append(f"| {_name(label)} | {so + sum(called.values())} | {so} | {others or '–'} |")
    return rows


def _name(kind: Kind | None) -> str:
    return "–" if kind is None else f"`{kind}`"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def breaker() -> str:
    """What the breaker does, and how often it is wrong."""
    rules = BreakerPolicy()
    ramp = ", ".join(_percent(share) for share in RAMP)
    return f"""# The breaker

A job against a site that has stopped working should stop before it has burned its list and its money; a job against a
site that merely works badly should not. Each way of a job (each rung of its ladder of tiers) has a breaker. This page
is worked out from the code's own numbers.

## What it does

{_meanings(PHASE_MEANING)}
A counted failure adds {FAILURE} to a running score, one that counts half adds {FAILURE // 2} (a site that asks us to \
slow down; a failure that
only sends its item up a rung; a line that breaks through a proxy), \
a success takes 1 off; it never falls below 0, and at {rules.trip} it trips. Items \
start in random
order, so that this is a fair sample of the list, and only the first try of an item on each rung is heard. Absent
items, refused inputs and faults of ours or of proxies are left out. What takes more than three times as long as usual
is counted as a failure before it has ended, and taken back if it ends well; time in which the worker's own loop was
late is not counted. What failed on the way to a trip, or was under way then, gets its try back.

Open, it waits {_spoken(rules.open_times)} (± {_percent(JITTER)}; never less than the site's
Retry-After). Then {rules.probes} probes, {AT_ONCE} at once, try it: {rules.close_at} of them may fail, and a failed \
probe costs its item nothing. After
{GIVE_UP} failed probings the job is paused for a person. A recovery is a ramp of {ramp} of the usual room,
each for {RAMP_OUTCOMES} outcomes, with a trip at {rules.trip // 2}.

The canary is the first {rules.canary} items, {AT_ONCE} at once: {rules.canary_stop} counted failures stop it, and so \
does it when less than {_percent(rules.readable)} of
the fetched items can be read. In list order, where neighbours fail together, a score of {rules.trip // 2} makes it \
only suspicious: \
{COHORT}
items from all over the rest of the list are asked, and {COHORT_STOP} failures among them trip it. Its probes are such a
sample too.

## How seldom it errs, how soon it sees a break

*False* is the chance of at least one trip while that share of all first tries fails from beginning to end; *seen
after* counts outcomes from the break to the trip. The share that fails is taken to be spread evenly over the list.

{_run_lengths(rules)}
## Samples

{_samples(rules)}
## Three more detectors

{_streaks()}

**Absent items.** Their usual share is learned from the first {LEARN} answers (the upper end of Wilson's range, at \
least {_percent(LEAST_SHARE)}).
After that a sum of likelihood ratios compares it with the share of a break. A list of 1,000,000 items whose share is
no larger than was learned is stopped in vain with a chance of at most 0.1 %, by the inequality for martingales. When
all of a sudden everything is absent, it trips after:

{_absent_odds()}
**Sentinels.** Items that are known to exist, named by the scraper or with `--sentinels`, are asked for beside the
list: {AT_FIRST} of them in the canary, one every {lasting(EVERY)}, one when the share of absent items is half way to
its alarm. One that is denied twice, or fails four times, is believed when at most one of the next {WITNESSES} ordinary
answers found a record; when {FOUND_ENOUGH} did, the sentinel is out of date, is asked no more and is named in an event.
Where absent items or a sentinel tripped it, a sentinel has to be found before the first probe. Nothing of a sentinel is
in a tally, manifest or export.

## Breakers that jobs share

All jobs of a site share a breaker for each tier, fed by failures that are the site's fault, with the same score; so
small jobs tell together what none of them could tell alone. It trips only if more than one job fails: when the worst is
left out, the others must have failed 5 times and more than one time in three. Then all jobs of the site wait for
{_spoken(SITE.open_times)}, and {SITE.probes} probes of whichever jobs try it.

Another one hears only what is our own fault: storage that fails, memory or disk that is used up, workers and processes
that die. A commit counts as four at most, whatever it takes along. Where one worker has that trouble and the others
have not, it is told to end; else nothing starts for {_spoken(OURS.open_times)}, the gate `infra` says so, and no item
pays for it.

## Why it tripped

{_meanings(CAUSE_MEANING)}"""


def _meanings(meanings: Mapping[Any, str]) -> str:
    rows = "\n".join(f"| `{name}` | {sentence} |" for name, sentence in meanings.items())
    return f"| name | meaning |\n|---|---|\n{rows}\n"


def _run_lengths(rules: BreakerPolicy) -> str:
    lines = [
        "| share that fails | false in 10,000 items | false in 1,000,000 | seen after, on average | 99 % seen after |",
        "|---|---|---|---|---|",
    ]
    for percent in (5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 100):
        share = Fraction(percent, 100)
        mean = mean_run(rules.trip, share)
        if percent < 40:
            figures = (
                f"{_chance(trips(rules.trip, share, 10_000))} | {_chance(trips(rules.trip, share, 1_000_000))} | – | –"
            )
        else:
            figures = f"– | – | {float(mean):.0f} | {delay(rules.trip, percent / 100, 0.99)}"
        lines.append(f"| {percent} % | {figures} |")
    return "\n".join(lines) + "\n"


def _samples(rules: BreakerPolicy) -> str:
    stops = f"canary stops (≥ {rules.canary_stop} of {rules.canary})"
    close = f"probes close it (≤ {rules.close_at} of {rules.probes})"
    sample = f"sample confirms (≥ {COHORT_STOP} of {COHORT})"
    lines = [f"| share that fails | {stops} | {close} | {sample} |", "|---|---|---|---|"]
    for percent in (5, 10, 20, 30, 40, 50, 60, 80):
        share = percent / 100
        canary = at_least(rules.canary_stop, rules.canary, share)
        closes = 1 - at_least(rules.close_at + 1, rules.probes, share)
        confirms = at_least(COHORT_STOP, COHORT, share)
        lines.append(f"| {percent} % | {_chance(canary)} | {_chance(closes)} | {_chance(confirms)} |")
    return "\n".join(lines) + "\n"


def _streaks() -> str:
    named = sorted((kind, verdict.streak) for kind, verdict in VERDICTS.items() if verdict.streak)
    said = " and ".join(f"`{kind}` {count} times" for kind, count in named)
    return f"**Streaks.** {said}, with nothing good between, trip it at once, whatever the score is."


def _absent_odds() -> str:
    lines = [
        "| absent items among the first 100 | share taken as usual | absent items in a row until it trips |",
        "|---|---|---|",
    ]
    for missing in (0, 5, 20, 50, 80):
        known = learned(missing, LEARN)
        lines.append(f"| {missing} | {_percent(known)} | {ceil(ALARM / step(known, absent=True))} |")
    return "\n".join(lines) + "\n"


def _chance(value: float) -> str:
    if value < 1e-9:
        return "< 10⁻⁹"
    if value < 0.0001:
        return f"1 in {float(f'{1 / value:.2g}'):,.0f}"
    if value > 0.999:
        return "> 99.9 %"
    return f"{100 * value:.1f} %" if value > 0.99 else f"{100 * value:.2g} %"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _spoken(seconds: Sequence[float]) -> str:
    said = [f"{each:.0f} s" if each < 120 else f"{each / 60:.0f} min" for each in seconds]
    return f"{', '.join(said[:-1])}, then {said[-1]} each time"


def states() -> str:
    """States and gates, a sentence each."""
    parts = ["# States and gates\n\nThe pictures are in [ARCHITECTURE.md](../../ARCHITECTURE.md).\n"]
    for title, meaning in (
        ("Visit of an item", VISIT_MEANING),
        ("Reading of an item", READING_MEANING),
        ("Job", JOB_MEANING),
        ("Gates: why nothing may start now", GATE_MEANING),
    ):
        rows = "\n".join(f"| `{name}` | {sentence} |" for name, sentence in meaning.items())
        parts.append(f"## {title}\n\n| name | meaning |\n|---|---|\n{rows}\n")
    return "\n".join(parts)


def commands() -> str:
    """Every command with its options."""
    root = typer.main.get_command(app)
    parts = ["# Commands\n", _described("scrapeyard", root)]
    parts += [_described(f"scrapeyard {name}", command) for name, command in _leaves(root)]
    return "\n".join(parts)


def _leaves(command: Any, prefix: str = "") -> list[tuple[str, Any]]:
    inner: dict[str, Any] | None = getattr(command, "commands", None)
    if inner is None:
        return [(prefix.strip(), command)]
    whole = command.whole if isinstance(command, LateGroup) else inner.__getitem__
    shown = [name for name, command in sorted(inner.items()) if not command.hidden]
    return [leaf for name in shown for leaf in _leaves(whole(name), f"{prefix} {name}")]


_EVERYWHERE = frozenset({"--data", "--config", "--scrapers", "--server", "--json", "--debug"})
"""Options that every command takes; they are told once, at the top."""


def _described(name: str, command: Any) -> str:
    text = (command.help or "").replace("\b", "").strip()
    rows: list[str] = []
    for parameter in command.params:
        if name != "scrapeyard" and not _EVERYWHERE.isdisjoint(parameter.opts):
            continue
        if parameter.param_type_name == "option" and not parameter.hidden:
            names = ", ".join(f"`{word}`" for word in (*parameter.opts, *parameter.secondary_opts))
            rows.append(f"| {names} | {' '.join((parameter.help or '').split())} |")
        elif parameter.param_type_name == "argument":
            told = " ".join((getattr(parameter, "help", None) or "").split())
            rows.append(f"| `{(parameter.metavar or parameter.name).upper()}` | {told} |")
    table = "\n| option or argument | meaning |\n|---|---|\n" + "\n".join(rows) + "\n" if rows else ""
    return f"## {name}\n\n{text}\n{table}"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for file, text in pages().items():
        (FOLDER / file).write_text(text)
        print(f"written: docs/reference/{file}")
