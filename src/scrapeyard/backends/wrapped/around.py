"""Put something around a port: the same words, the same answers, but every question passes it on its way.

Counting, timing and faults are such things; neither roles nor backends know of them. It works for every port alike,
because a port is a few things that are waited for: questions, streams of answers, and parts that are ports themselves
(the books of a ledger, the appenders of a store).
"""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar, cast

Port = TypeVar("Port")
Going = Callable[[], Awaitable[Any]]

PARTS = frozenset({"jobs", "items", "offers", "leases", "leaders", "memos", "events"})
"""The books of a ledger, which are ports."""

MAKERS = frozenset({"appender"})
"""What gives a port without being waited for."""


class Call(NamedTuple):
    """One question. `name` is such as `ledger.leases.begin`."""

    name: str
    values: tuple[Any, ...] = ()
    named: Mapping[str, Any] = MappingProxyType({})


class Around(Protocol):
    """Stands between the question and the port."""

    async def around(self, call: Call, go: Going) -> Any:
        """Ask, by `go`, or do not; give the answer, or do not."""
        ...


def wrapped(port: Port, name: str, *around: Around) -> Port:
    """The port with these around it, the outermost first. Closing it meets none of them."""
    return cast("Port", _Wrapped(port, name, around))


class _Wrapped:
    """Anything of the port that can be asked for; what is waited for passes what stands around it."""

    def __init__(self, port: object, name: str, around: tuple[Around, ...]) -> None:
        self._port = port
        self._name = name
        self._around = around

    def __getattr__(self, word: str) -> Any:
        found = getattr(self._port, word)
        name = f"{self._name}.{word}"
        if word == "close":
            return found
        if word in PARTS:
            return _Wrapped(found, name, self._around)
        if word in MAKERS:
            return _maker(found, name, self._around)
        if inspect.iscoroutinefunction(found):
            return _question(found, name, self._around)
        if inspect.isasyncgenfunction(found):
            return _stream(found, name, self._around)
        return found


def _maker(found: Callable[..., object], name: str, around: tuple[Around, ...]) -> Callable[..., _Wrapped]:
    def make(*values: Any, **named: Any) -> _Wrapped:
        return _Wrapped(found(*values, **named), name, around)

    return make


def _question(found: Callable[..., Awaitable[Any]], name: str, around: tuple[Around, ...]) -> Callable[..., Any]:
    async def ask(*values: Any, **named: Any) -> Any:
        return await _through(around, Call(name, values, named), lambda: found(*values, **named))

    return ask


def _stream(found: Callable[..., AsyncIterator[Any]], name: str, around: tuple[Around, ...]) -> Callable[..., Any]:
    async def stream(*values: Any, **named: Any) -> AsyncIterator[Any]:
        await _through(around, Call(name, values, named), _nothing)
        async for piece in found(*values, **named):
            yield piece

    return stream


def _through(around: tuple[Around, ...], call: Call, go: Going) -> Awaitable[Any]:
    """The question, once it has passed everything, the outermost first."""
    for one in reversed(around):
        go = _behind(one, call, go)
    return go()


def _behind(one: Around, call: Call, go: Going) -> Going:
    return lambda: one.around(call, go)


async def _nothing() -> None:
    """The beginning of a stream."""
