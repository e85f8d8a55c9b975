"""Turns an async function into a command, so that every command behaves alike at its edges.

A function names its surroundings (`Here`) and bundles of options (dataclasses) as parameters; each bundle is spread
into single options. Whatever happens inside ends as an exit code and, if need be, one sentence; never as a traceback.
"""

import asyncio
import dataclasses
import inspect
import os
import sys
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, TypeVar, get_type_hints

import typer
from rich.markup import escape

from scrapeyard.cli.failing import Code, report
from scrapeyard.cli.here import Common, Here

Body = TypeVar("Body", bound=Callable[..., Coroutine[Any, Any, Code | None]])

_CONTEXT = "context"


def command(
    app: typer.Typer, panel: str, *, examples: Sequence[str], name: str | None = None
) -> Callable[[Body], Body]:
    """Add an async function to an app. Its docstring is the help, followed by the examples."""

    def add(body: Body) -> Body:
        bundles = _bundles(body)

        def entry(**given: Any) -> None:
            raise typer.Exit(_run(body, bundles, given))

        entry.__doc__ = unwrapped(body.__doc__ or "")
        _sign(entry, _parameters(body, bundles))
        epilog = "\n".join(["[bold]Examples[/bold]", *(f"  {escape(example)}" for example in examples)])
        app.command(name or body.__name__, rich_help_panel=panel, epilog=epilog)(entry)
        return body

    return add


def before_commands(app: typer.Typer, about: str, version: Any) -> None:
    """Let the options of every command stand before its name too; `version` is an option that answers by itself."""

    def entry(**given: Any) -> None:
        context: typer.Context = given.pop(_CONTEXT)
        given.pop("version")
        context.obj = Common(**given)

    shown = inspect.Parameter("version", inspect.Parameter.KEYWORD_ONLY, annotation=version, default=False)
    _sign(entry, [_context(), shown, *_spread(Common)])
    app.callback(help=unwrapped(about))(entry)


def unwrapped(text: str) -> str:
    """Paragraphs as one line each, so that they are wrapped for the terminal rather than for the source."""
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))


def in_loop(main: Coroutine[Any, Any, Code | None]) -> Code:
    """Run to the end in a loop of its own."""
    with asyncio.Runner(loop_factory=_loop) as runner:
        return runner.run(main) or Code.FINE


def _run(body: Callable[..., Coroutine[Any, Any, Code | None]], bundles: dict[str, Any], given: dict[str, Any]) -> Code:
    context: typer.Context = given.pop(_CONTEXT)
    values: dict[str, Any] = {}
    for name, kind in bundles.items():
        values[name] = kind(**{field.name: given.pop(field.name) for field in dataclasses.fields(kind)})
    common: Common = values.pop("here")
    if isinstance(context.find_root().obj, Common):
        common = common.over(context.find_root().obj)
    try:
        code = in_loop(body(here=Here(common), **values, **given))
        sys.stdout.flush()
    except (typer.Exit, typer.Abort, typer.TyperException):
        raise
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the edge: everything becomes a sentence
        code = report(error, debug=common.debug, as_json=common.as_json)
        if code is Code.PIPE_CLOSED:
            _abandon_output()
    return code


def _bundles(body: Callable[..., Any]) -> dict[str, Any]:
    """The parameters that stand for several options, by name."""
    kinds = get_type_hints(body)
    return {
        name: Common if kinds[name] is Here else kinds[name]
        for name in inspect.signature(body).parameters
        if kinds[name] is Here or dataclasses.is_dataclass(kinds[name])
    }


def _parameters(body: Callable[..., Any], bundles: dict[str, Any]) -> list[inspect.Parameter]:
    """Arguments first, then the options in the order in which they are declared, those of every command last."""
    kinds = get_type_hints(body, include_extras=True)
    own: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(body).parameters.items():
        if name not in bundles:
            own.append(parameter.replace(annotation=kinds[name], kind=inspect.Parameter.KEYWORD_ONLY))
        elif bundles[name] is not Common:
            own.extend(_spread(bundles[name]))
    return [_context(), *own, *_spread(Common)]


def _sign(entry: Callable[..., None], parameters: list[inspect.Parameter]) -> None:
    """Give a function the parameters that typer is to see."""
    entry.__annotations__ = {each.name: each.annotation for each in parameters}
    setattr(entry, "__signature__", inspect.Signature(parameters))  # noqa: B010 - unknown to the type checker


def _context() -> inspect.Parameter:
    return inspect.Parameter(_CONTEXT, inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)


def _spread(bundle: Any) -> list[inspect.Parameter]:
    kinds = get_type_hints(bundle, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=kinds[field.name],
            default=inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default,
        )
        for field in dataclasses.fields(bundle)
    ]


def _loop() -> asyncio.AbstractEventLoop:
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    import uvloop  # noqa: PLC0415 - not there on Windows

    return uvloop.new_event_loop()


def _abandon_output() -> None:
    """Nobody reads any more: let the interpreter's last flush go nowhere instead of complaining."""
    with suppress(OSError, ValueError):  # a test's output is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
