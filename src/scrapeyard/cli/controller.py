"""`controller` and `keys`: letting others in, over HTTP, and deciding who."""

from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from scrapeyard.cli import shapes
from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Misused
from scrapeyard.cli.following import Stopping
from scrapeyard.cli.here import Here
from scrapeyard.cli.policies import parse_duration
from scrapeyard.cli.pulse import pulse
from scrapeyard.cli.wording import stamp
from scrapeyard.model.access import ApiKey, Scope

if TYPE_CHECKING:
    from scrapeyard.controller.access.keys import Keys
    from scrapeyard.wiring import Yard

PANEL = "Run as a service"

HostOption = Annotated[str | None, Option("--host", metavar="ADDRESS", help="Where to listen; else `api.host`.")]
PortOption = Annotated[int | None, Option("--port", metavar="N", help="Which port; 0 takes a free one.")]
ScopeOption = Annotated[
    list[Scope] | None, Option("--scope", metavar="SCOPE", help="read, submit, operate or admin; may be repeated.")
]
LastsOption = Annotated[str | None, Option("--lasts", metavar="90d", help="When it expires; else never.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    command(app, PANEL, examples=["scrapeyard controller", "scrapeyard controller --host 0.0.0.0 --port 8080"])(
        controller
    )
    keys = typer.Typer(help="Make, list and revoke keys of the API.", no_args_is_help=True, rich_markup_mode="rich")
    app.add_typer(keys, name="keys", rich_help_panel=PANEL)
    examples = ["scrapeyard keys create nightly --scope submit", "scrapeyard keys create ops --scope admin --lasts 90d"]
    command(keys, PANEL, examples=examples)(create)
    command(keys, PANEL, name="list", examples=["scrapeyard keys list"])(list_keys)
    command(keys, PANEL, examples=["scrapeyard keys revoke 3f9c21aa"])(revoke)


async def controller(here: Here, host: HostOption = None, port: PortOption = None) -> None:
    """Serve the REST API over this folder or storage, until Ctrl-C. Logs to standard error.

    Any number of controllers may serve the same storage. They start nothing themselves: `scrapeyard up`, or a
    dispatcher and workers, do the work."""
    from scrapeyard.wiring.serving import Controller  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED

    over = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    settings = here.settings(api=over or None)
    async with here.yard(settings, quiet=False, measured=True) as yard:
        server = Controller(yard)
        await server.open()
        here.say(f"Serving {server.address}/v1; its description is at {server.address}/openapi.json. Ctrl-C stops.")
        with Stopping(server.stop).listening():
            async with pulse(settings.data, "controller"):
                await server.run()


async def create(
    here: Here,
    name: Annotated[str, Argument(metavar="NAME", help="Whose key it is.")],
    scope: ScopeOption = None,
    lasts: LastsOption = None,
) -> None:
    """Make a key and show it, once. From the first key on, every request needs one."""
    if not scope:
        raise Misused("Say what the key allows: --scope read, submit, operate or admin; may be repeated.")
    async with here.yard() as yard:
        key, text = await _keys(yard).create(name, scope, lasts=None if lasts is None else parse_duration(lasts))
    if here.json:
        here.give({**shapes.key_shape(key), "text": text})
        return
    here.show(text)
    here.say(f"Keep it now, it cannot be shown again. `scrapeyard keys revoke {key.id}` makes it good for nothing.")


async def list_keys(here: Here) -> None:
    """List all keys, the dead ones too."""
    async with here.yard(asking=True) as yard:
        found = await _keys(yard).all()
        now = yard.clock.now()
    if here.json:
        for key in found:
            here.give(shapes.key_shape(key))
        return
    rows = [(key.id, key.name, ", ".join(key.scopes), stamp(key.created), _stands(key, now)) for key in found]
    here.table(["id", "name", "scopes", "made", "stands"], rows)


async def revoke(here: Here, key: Annotated[str, Argument(metavar="KEY", help="Its id, of eight signs.")]) -> None:
    """Make a key good for nothing, at once."""
    async with here.yard(asking=True) as yard:
        gone = await _keys(yard).revoke(key)
    if here.json:
        here.give(shapes.key_shape(gone))
    else:
        here.say(f"The key {gone.id} ({gone.name}) was revoked.")


def _keys(yard: "Yard") -> "Keys":
    from scrapeyard.controller.access.keys import Keys  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED

    return Keys(yard.ledger.memos, yard.clock)


def _stands(key: ApiKey, now: float) -> str:
    used = f"last used {stamp(key.used)}" if key.used else "never used"
    return key.dead(now) or used
