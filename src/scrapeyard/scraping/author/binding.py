"""Which argument of an author's function gets what, decided once from its annotations when it is declared.

A mistake in a signature is told at that moment, in a sentence about the author's own words, and not for each of
400,000 items. What is left for every visit is a lookup per argument.
"""

import inspect
import types
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from scrapeyard.model.errors import Refused
from scrapeyard.model.record import Inputs, Record
from scrapeyard.model.secret import Secret
from scrapeyard.pages.files import File
from scrapeyard.pages.page import Page
from scrapeyard.scraping.author.visit import Visit
from scrapeyard.scraping.http.http import Http
from scrapeyard.scraping.secrets import is_reference

_MANY: frozenset[object] = frozenset({list, Sequence, Iterable, tuple})
_ROWS: frozenset[object] = frozenset({list, Sequence, Iterable, Iterator, tuple})


class Misdeclared(Refused):
    """A scraper's declaration does not add up; the sentence says what to change."""


class Gets(StrEnum):
    """What a visiting function's parameter is given."""

    INPUTS = "inputs"
    HTTP = "http"
    VISIT = "visit"


class VisitPlan(NamedTuple):
    """How to call a visiting function."""

    inputs: type[Inputs]
    slots: tuple[tuple[str, Gets], ...]


class OpenPlan(NamedTuple):
    """How to call the step that opens a session: which parameter gets the way to the site, and which a secret."""

    function: Callable[..., Awaitable[object]]
    http: str
    secrets: Mapping[str, str]


class CaptureSlot(NamedTuple):
    """One capture that an extractor asks for by the name of its parameter."""

    name: str
    wanted: type[Page] | type[File]
    optional: bool = False
    many: bool = False


class ReadPlan(NamedTuple):
    """How to call an extractor, and which models it may give."""

    function: Callable[..., object]
    inputs_name: str | None
    slots: tuple[CaptureSlot, ...]
    records: tuple[type[Record], ...]

    @property
    def needed(self) -> tuple[str, ...]:
        """Captures without which it cannot be called."""
        return tuple(slot.name for slot in self.slots if not slot.optional and not slot.many)


def plan_visit(name: str, function: Callable[..., object]) -> VisitPlan:
    """Bind a visiting function's parameters by their annotations."""
    if not inspect.iscoroutinefunction(function):
        raise Misdeclared(f"{name}: {_called(function)} is not async; write `async def`.")
    hints = _hints(name, function)
    inputs: type[Inputs] | None = None
    slots: list[tuple[str, Gets]] = []
    for parameter in _parameters(name, function):
        hint = _plain(hints.get(parameter))
        if _is(hint, Inputs):
            inputs = hint
            slots.append((parameter, Gets.INPUTS))
        elif hint is Http:
            slots.append((parameter, Gets.HTTP))
        elif hint is Visit:
            slots.append((parameter, Gets.VISIT))
        else:
            raise Misdeclared(
                f"{name}: parameter {parameter!r} is {_shown(hint)}; annotate it with your Inputs class, Http or Visit."
            )
    if inputs is None:
        raise Misdeclared(f"{name}: no parameter is annotated with an Inputs class, so there is nothing to visit for.")
    return VisitPlan(inputs, tuple(slots))


def plan_opening(name: str, function: Callable[..., Any], secrets: Mapping[str, str]) -> OpenPlan:
    """Bind the parameters of the step that opens a session; `secrets` are references by parameter."""
    if not inspect.iscoroutinefunction(function):
        raise Misdeclared(f"{name}: {_called(function)} is not async; write `async def`.")
    hints = _hints(name, function)
    http: str | None = None
    wanted: list[str] = []
    for parameter in _parameters(name, function):
        hint = _plain(hints.get(parameter))
        if hint is Http:
            http = parameter
        elif hint is Secret:
            wanted.append(parameter)
        else:
            raise Misdeclared(
                f"{name}: parameter {parameter!r} of {_called(function)} is {_shown(hint)}; a session is opened for "
                "many items, so it is given Http and Secrets only."
            )
    if http is None:
        raise Misdeclared(f"{name}: {_called(function)} has no parameter annotated as Http, so it can open nothing.")
    for parameter in wanted:
        if not is_reference(secrets.get(parameter, "")):
            raise Misdeclared(
                f'{name}: say which secret {parameter!r} is: open_session({parameter}="secret://NAME"), and never the '
                "word itself."
            )
    unknown = [parameter for parameter in secrets if parameter not in wanted]
    if unknown:
        raise Misdeclared(f"{name}: {_called(function)} has no parameter {unknown[0]!r} annotated as Secret.")
    return OpenPlan(function, http, dict(secrets))


def plan_reading(name: str, function: Callable[..., object], inputs: type[Inputs]) -> ReadPlan:
    """Bind an extractor's parameters: inputs by annotation, captures by name and annotation."""
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise Misdeclared(f"{name}: the extractor is async; it only reads what was kept, so write a plain `def`.")
    hints = _hints(name, function)
    inputs_name: str | None = None
    slots: list[CaptureSlot] = []
    for parameter in _parameters(name, function):
        hint = _plain(hints.get(parameter))
        if _is(hint, Inputs):
            if hint is not inputs:
                raise Misdeclared(f"{name}: the extractor takes {hint.__name__}, the scraper {inputs.__name__}.")
            inputs_name = parameter
        elif (slot := _capture(parameter, hint)) is not None:
            slots.append(slot)
        else:
            raise Misdeclared(
                f"{name}: the extractor's parameter {parameter!r} is {_shown(hint)}; "
                "annotate it with your Inputs class, or as Page, File, Page | None or list[Page]."
            )
    models = _record_models(hints.get("return"))
    if not models:
        raise Misdeclared(f"{name}: the extractor does not say which records it gives; annotate what it returns.")
    if len({model.__name__ for model in models}) < len(models):
        raise Misdeclared(f"{name}: two record models have one name; rename one.")
    return ReadPlan(function, inputs_name, tuple(slots), models)


def _capture(name: str, hint: Any) -> CaptureSlot | None:
    if hint is Page or hint is File:
        return CaptureSlot(name, hint)
    origin, inner = get_origin(hint), [arg for arg in get_args(hint) if arg is not Ellipsis]
    if origin in {Union, types.UnionType} and len(inner) == 2 and type(None) in inner:
        wanted = next(arg for arg in inner if arg is not type(None))
        return CaptureSlot(name, wanted, optional=True) if wanted in {Page, File} else None
    if origin in _MANY and len(inner) == 1 and inner[0] in {Page, File}:
        return CaptureSlot(name, inner[0], many=True)
    return None


def _record_models(hint: Any) -> tuple[type[Record], ...]:
    """Every record model in a return annotation such as `Iterator[Bill | Owner]`; empty if it is anything else."""
    hint = _plain(hint)
    if _is(hint, Record):
        return (hint,)
    origin, inner = get_origin(hint), [arg for arg in get_args(hint) if arg is not Ellipsis]
    if origin is Generator:
        inner = inner[:1]
    elif origin not in {Union, types.UnionType} and origin not in _ROWS:
        return ()
    found: dict[type[Record], None] = {}
    for arg in inner:
        if arg is type(None):
            continue
        models = _record_models(arg)
        if not models:
            return ()
        found.update(dict.fromkeys(models))
    return tuple(found)


def _hints(name: str, function: Callable[..., object]) -> dict[str, Any]:
    try:
        return get_type_hints(function)
    except NameError as error:
        raise Misdeclared(
            f"{name}: the annotation {error.name!r} of {_called(function)} is not known when the module is read; "
            "import it at the top, outside of TYPE_CHECKING."
        ) from error


def _parameters(name: str, function: Callable[..., object]) -> list[str]:
    found: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            raise Misdeclared(f"{name}: parameter {parameter.name!r} of {_called(function)} must have a plain name.")
        found.append(parameter.name)
    return found


def _plain(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _is(hint: Any, kind: type) -> bool:
    return isinstance(hint, type) and get_origin(hint) is None and issubclass(hint, kind)


def _shown(hint: Any) -> str:
    return "without an annotation" if hint is None else f"annotated as {getattr(hint, '__name__', hint)}"


def _called(function: Callable[..., object]) -> str:
    return getattr(function, "__name__", "the function")
