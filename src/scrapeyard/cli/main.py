"""The door: every command by name, and the options that stand before it. Nothing is opened, and no scraping library
imported, before a command really needs it; so help and completion answer at once.
"""

import sys
from importlib import import_module, metadata
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from scrapeyard.cli import (
    alerts,
    alive,
    audit,
    controller,
    demo,
    doctor,
    events,
    items,
    jobs,
    proxies,
    prune,
    results,
    retrying,
    revising,
    roles,
    run,
    schedules,
    sites,
    why,
)
from scrapeyard.cli.command import before_commands
from scrapeyard.cli.failing import CODE_MEANING, report

_LATE = {"scraper": ("scrapeyard.cli.scraper", "app", "Find, make, try and test scrapers.", "Write scrapers")}
"""Groups that bring scraping libraries along: module, app, one line of help, panel."""

_ABOUT = """Works through long lists with scrapers, and never loses track of an item.

A scraper and a list make a job. A job goes on after any interruption, says at any moment which items are done, which
are not and why, and keeps every page that it fetched.
"""
_SAYS = "Print the version."

_EPILOG = "\n".join(
    [
        "[bold]Examples[/bold]",
        "  scrapeyard demo",
        "  scrapeyard run scraper.py list.csv --limit 20",
        "  scrapeyard status --watch",
        "  scrapeyard export --format csv --to results",
        "",
        "[bold]Exit codes[/bold]",
        *(f"  {code.value:>3}  {meaning}" for code, meaning in CODE_MEANING.items()),
        "",
        "Settings come from options, then SCRAPEYARD_… in the environment, then scrapeyard.toml.",
    ]
)


class LateGroup(TyperGroup):
    """Loads a late group when it is used, not when it is listed."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """See click: the command for the first argument."""
        name, found, rest = super().resolve_command(ctx, args)
        return name, self.whole(name) if name in _LATE else found, rest

    def whole(self, name: str) -> Any:
        """A command by its name, loaded if it is a late group."""
        if name not in _LATE:
            return self.commands[name]
        module, app, *_ = _LATE[name]
        group = typer.main.get_group(getattr(import_module(module), app))
        group.name = name
        return group


app = typer.Typer(
    name="scrapeyard",
    cls=LateGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"scrapeyard {metadata.version('scrapeyard')}")
        raise typer.Exit


before_commands(app, _ABOUT, Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help=_SAYS)])

for group in (run, roles, jobs, why, events, retrying, revising, sites, items, results, controller):
    group.add_to(app)
for group in (schedules, alerts, audit, prune, alive):
    group.add_to(app)
for _name, (_, _, _help, _panel) in _LATE.items():
    app.add_typer(typer.Typer(help=_help, no_args_is_help=True), name=_name, rich_help_panel=_panel)
demo.add_to(app)
doctor.add_to(app)
proxies.add_to(app)


def main() -> None:
    """Run the command line; every way out is an exit code and, if need be, one sentence."""
    try:
        app()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last edge, also for commands of other groups
        sys.exit(int(report(error, debug="--debug" in sys.argv, as_json="--json" in sys.argv)))


if __name__ == "__main__":
    main()
