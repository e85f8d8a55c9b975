"""`alerts`: telling people when something needs them."""

import time
from collections.abc import Awaitable, Callable
from typing import Annotated

import typer
from typer import Argument, Option

from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Code, Misused
from scrapeyard.cli.here import Here
from scrapeyard.cli.picking import parse_moment
from scrapeyard.cli.policies import parse_duration, parse_window
from scrapeyard.cli.shapes import rule_shape, told_shape
from scrapeyard.cli.wording import moment, plain
from scrapeyard.model.alert import CONCERN_MEANING, Concern, Rule, RuleView
from scrapeyard.ports.alerts import AlertDesk

PANEL = "Run as a service"

NameArgument = Annotated[str, Argument(metavar="NAME", help="The rule's name.", show_default=False)]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    alerts = typer.Typer(help="Be told when something needs you.", no_args_is_help=True, rich_markup_mode="rich")
    app.add_typer(alerts, name="alerts", rich_help_panel=PANEL)
    examples = [
        "scrapeyard alerts add trips --when breaker --to ops",
        'scrapeyard alerts add failing --when errors --over 0.3 --within 10m --job "nightly-*" --to ops --to pager',
        'scrapeyard alerts add done --when done --to ops --quiet "22:00-07:00 Europe/Berlin"',
    ]
    command(alerts, PANEL, examples=examples)(add)
    command(alerts, PANEL, name="list", examples=["scrapeyard alerts list"])(list_rules)
    command(alerts, PANEL, examples=["scrapeyard alerts pause failing"])(pause)
    command(alerts, PANEL, examples=["scrapeyard alerts resume failing"])(resume)
    command(alerts, PANEL, examples=["scrapeyard alerts delete failing"])(delete)
    command(alerts, PANEL, examples=["scrapeyard alerts test ops"])(test)
    command(alerts, PANEL, examples=["scrapeyard alerts log", "scrapeyard alerts log --since 7d --json"])(log)


async def add(
    here: Here,
    name: NameArgument,
    *,
    when: Annotated[Concern, Option("--when", help="What to watch; see the table of concerns.")],
    to: Annotated[list[str] | None, Option("--to", metavar="CHANNEL", help="Whom to tell; may be repeated.")] = None,
    job: Annotated[str, Option("--job", metavar="JOB", help="An id, a name, or a name with * in it; else all.")] = "",
    over: Annotated[float | None, Option("--over", metavar="N", help="Above what; a share of 1, or items.")] = None,
    within: Annotated[str, Option("--within", metavar="TIME", help="Within which span of time.")] = "10m",
    group: Annotated[str, Option("--group", metavar="TIME", help="Alarms of so long go out as one message.")] = "30s",
    quiet: Annotated[
        str | None, Option("--quiet", metavar="WHEN", help='Send nothing then: "22:00-07:00 Europe/Berlin".')
    ] = None,
) -> None:
    """Make a rule. Channels are set up in the settings, as [channels.NAME]; `alerts test` tries one.

    An alarm is told once, and again only after it was calm for a minute."""
    if not to:
        raise Misused("Say whom to tell: --to CHANNEL, a name from [channels.NAME] in the settings.")
    rule = Rule(
        name,
        when,
        tuple(to),
        job,
        over,
        parse_duration(within),
        parse_duration(group),
        None if quiet is None else parse_window(quiet),
    )
    async with here.yard() as yard:
        view = await yard.service.alerts.add(rule)
    if here.json:
        here.give(rule_shape(view))
    else:
        here.say(f"The rule {name} was made. {CONCERN_MEANING[when]}")


async def list_rules(here: Here) -> None:
    """List all rules and the alarms that stand."""
    async with here.yard(asking=True) as yard:
        found = await yard.service.alerts.find()
    if here.json:
        for view in found:
            here.give(rule_shape(view))
        return
    rows = [
        (view.rule.name, view.rule.concern, view.rule.job or "all jobs", ", ".join(view.rule.to), _stands(view))
        for view in found
    ]
    here.table(["name", "when", "of", "to", "stands"], rows)


async def pause(here: Here, name: NameArgument) -> None:
    """Raise nothing and send nothing until it is resumed."""
    await _steered(here, lambda desk: desk.pause(name), "is paused")


async def resume(here: Here, name: NameArgument) -> None:
    """Go on. What happened meanwhile is not told."""
    await _steered(here, lambda desk: desk.resume(name), "goes on")


async def delete(here: Here, name: NameArgument) -> None:
    """Forget a rule, with whatever it has not sent yet."""
    await _steered(here, lambda desk: desk.delete(name), "was deleted")


async def test(
    here: Here,
    name: Annotated[str, Argument(metavar="RULE|CHANNEL", help="A rule, or one channel.", show_default=False)],
) -> Code:
    """Send a test at once: through each channel of a rule, or through one channel."""
    async with here.yard() as yard:
        tested = await yard.service.alerts.test(name)
    for one in tested:
        if here.json:
            here.give({"channel": one.channel, "trouble": one.trouble or None})
        else:
            here.say(f"{one.channel}: {plain(one.trouble) if one.trouble else 'sent.'}")
    return Code.REFUSED if any(one.trouble for one in tested) else Code.FINE


async def log(
    here: Here,
    since: Annotated[str, Option("--since", metavar="WHEN", help="2h (ago), 14:30, 2026-05-31.")] = "7d",
    limit: Annotated[int, Option("--limit", metavar="N", min=1, help="The first N.")] = 100,
) -> None:
    """Tell what was sent, and what was given up and why."""
    async with here.yard(asking=True) as yard:
        found = await yard.service.alerts.told(since=parse_moment(since, time.time()), limit=limit)
        now = yard.clock.now()
    if here.json:
        for one in found:
            here.give(told_shape(one))
        return
    rows = [(moment(one.at, now), one.rule, one.channel, one.state, one.detail or one.words) for one in found]
    here.table(["at", "rule", "channel", "what became of it", "words"], rows)


async def _steered(here: Here, deed: Callable[[AlertDesk], Awaitable[RuleView]], done: str) -> None:
    async with here.yard(asking=True) as yard:
        view = await deed(yard.service.alerts)
    if here.json:
        here.give(rule_shape(view))
    else:
        here.say(f"The rule {view.rule.name} {done}.")


def _stands(view: RuleView) -> str:
    if view.paused:
        return "paused"
    return f"{len(view.raised):,} raised" if view.raised else "calm"
