"""`policy`: what a job's owner has decided, and deciding otherwise while the job runs."""

from typing import Annotated, cast

import msgspec
import typer
from rich.text import Text
from typer import Option

from scrapeyard.cli import shapes, wording
from scrapeyard.cli.asking import JobArgument
from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Misused
from scrapeyard.cli.here import Here
from scrapeyard.cli.policies import PolicyOptions
from scrapeyard.cli.wording import plain
from scrapeyard.decisions.gates import hours
from scrapeyard.model.policy import BreakerPolicy, Policy, Window

PANEL = "Look at jobs and steer them"


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    command(
        app,
        PANEL,
        examples=[
            "scrapeyard policy parcels",
            "scrapeyard policy parcels --rate 2 --stop-at-usd 25",
            "scrapeyard policy parcels --tiers direct,residential --clear window",
            "scrapeyard policy parcels --trip 60 --max-failed 5000",
        ],
    )(policy)


async def policy(
    here: Here,
    job: JobArgument,
    options: PolicyOptions,
    clear: Annotated[
        list[str] | None, Option("--clear", metavar="NAME", help="Back to the default, such as rate; may be repeated.")
    ] = None,
) -> None:
    """Show what was decided for a job, or change it while the job runs.

    What is not said stays as it is. A change is obeyed within seconds, by everything that starts after it.
    """
    async with here.yard(asking=True) as yard:
        found = await yard.service.jobs.get(job)
        wanted = options.over(_cleared(found.policy, clear or []))
        changed = wanted != found.policy
        if changed:
            found = await yard.service.jobs.revise(found.id, wanted)
    if here.json:
        here.give(shapes.job_shape(found) | {"changed": changed})
        return
    if changed:
        here.say(f"The policy of {plain(found.name)!r} is changed; it holds for whatever starts from now on.")
    decided = [(name, getattr(found.policy, name)) for name in _FIELDS]
    decided += [(name, getattr(found.policy.breaker, name)) for name in BreakerPolicy.__struct_fields__]
    rows = [(name.replace("_", "-"), *_told(name, value)) for name, value in decided]
    if here.out.is_terminal:
        here.show(Text.assemble((plain(found.name), "bold"), f"  {found.state}"))
    here.table(["policy", "value", "meaning"], rows)


def _cleared(policy: Policy, names: list[str]) -> Policy:
    """The policy with these fields at their defaults."""
    default = Policy()
    for name in names:
        field = name.replace("-", "_")
        if field in BreakerPolicy.__struct_fields__:
            breaker = msgspec.structs.replace(policy.breaker, **{field: getattr(default.breaker, field)})
            policy = msgspec.structs.replace(policy, breaker=breaker)
        elif field in Policy.__struct_fields__:
            policy = msgspec.structs.replace(policy, **{field: getattr(default, field)})
        else:
            known = ", ".join(each.replace("_", "-") for each in (*_FIELDS, *BreakerPolicy.__struct_fields__))
            raise Misused(f"A policy has no {plain(name, 40)!r} to clear; it has {known}.")
    return policy


def _told(name: str, value: object) -> tuple[str, str]:
    """A value as a person reads it, and what it means."""
    if value is None:
        return "–", _LEFT.get(name, "no limit")
    match value:
        case Window():
            said = hours(value)
        case bool():
            said = "yes" if value else "no"
        case tuple() if name == "open_times":
            waits = cast("tuple[float, ...]", value)
            said = ", ".join(wording.duration(wait) for wait in waits)
        case tuple():
            said = ", ".join(str(part) for part in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - a ladder
        case float() if name in _SECONDS:
            said = wording.duration(value)
        case float():
            said = f"{value:g}"
        case _:
            said = str(value)
    return said, _MEANING.get(name, "")


_FIELDS = tuple(name for name in Policy.__struct_fields__ if name != "breaker")
_SECONDS = frozenset({"deadline", "backoff_cap"})
_LEFT = {
    "rate": "as the site allows",
    "concurrency": "as the site allows",
    "window": "whenever the site may be visited",
    "attempts": "as each kind of failure asks for",
    "tiers": "the scraper's own ladder",
    "stop_at_usd": "no budget of money",
    "stop_at_gb": "no budget of bytes",
    "max_failed": "however many fail for good",
    "sentinels": "the scraper's own",
}
_MEANING = {
    "priority": "0 to 9; 9 goes first",
    "order": "in which items start",
    "rate": "requests, and items, a second at most",
    "concurrency": "items at once at most",
    "window": "when items may start",
    "attempts": "tries of one item at most",
    "deadline": "for one try",
    "backoff_cap": "the longest wait before another try",
    "tiers": "ways to the site, the cheapest first",
    "stop_at_usd": "dollars at most, over all tries",
    "stop_at_gb": "gigabytes at most, both ways, over all tries",
    "on_trip": "when the site fails it: pause and probe, slow down, or end (fail)",
    "trip": "the score at which it stops itself; 0 is never",
    "canary": "items that show first whether it works",
    "canary_stop": "failures among them that stop it",
    "readable": "the share of fetched first items that must be read",
    "probes": "items that try a site which had stopped working",
    "close_at": "probes that may fail",
    "open_times": "waits before each probing in a row",
    "absents": "whether the share of absent items is watched",
    "sentinels": "items known to exist, asked for now and then",
    "max_failed": "more failed items pause it for a person",
}
