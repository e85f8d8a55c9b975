"""`alive`: the health check of a container, as quick as can be: no storage is opened for it."""

import time
from typing import Annotated

import typer
from typer import Argument

from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Code
from scrapeyard.cli.here import Here
from scrapeyard.cli.pulse import STALE, silence
from scrapeyard.cli.wording import duration
from scrapeyard.model.errors import Refused

PANEL = "Run as a service"

RoleArgument = Annotated[str, Argument(metavar="[ROLE]", help="controller, dispatcher, worker or up; else any.")]


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    command(app, PANEL, examples=["scrapeyard alive", "scrapeyard alive worker --data /srv/scrapeyard"])(alive)


async def alive(here: Here, role: RoleArgument = "") -> Code:
    """Say whether a role at work in this folder gives signs of life; the exit code is 1 if it does not.

    A role that waits for storage is alive. Containers use this as their health check."""
    who = role or "process"
    last = silence(here.settings().data, role, time.time())
    if last is None:
        raise Refused(f"No {who} is at work in this folder: start one, or name its folder with --data.")
    if last > STALE:
        raise Refused(f"The {who} gave its last sign of life {duration(last)} ago: restart it, and keep its log.")
    if here.json:
        here.give({"role": role, "silence": round(last, 3)})
    else:
        here.say(f"The {who} is alive.")
    return Code.FINE
