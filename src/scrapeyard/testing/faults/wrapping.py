"""Put faults around a port: the same words, the same answers, but every question passes the faults on its way.

It works for every port alike, because a port is a few things that are waited for: questions, streams of answers, and
parts that are ports themselves (the books of a ledger, the appenders of a store).
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


class Fault(Protocol):
    """Stands between the question and the port."""

    async def around(self, call: Call, go: Going) -> Any:
        """Ask, by `go`, or do not; give the answer, or do not."""
        ...


def wrapped(port: Port, name: str, *faults: Fault) -> Port:
    """The port with these faults around it. Closing it meets no fault."""
    return cast("Port", _Wrapped(port, name, faults))


class _Wrapped:
    """Anything of the port that can be asked for; what is waited for goes through the faults."""

    def __init__(self, port: object, name: str, faults: tuple[Fault, ...]) -> None:
        self._port = port
        self._name = name
        self._faults = faults

    def __getattr__(self, word: str) -> Any:
        found = getattr(self._port, word)
        name = f"{self._name}.{word}"
        if word == "close":
            return found
        if word in PARTS:
            return _Wrapped(found, name, self._faults)
        if word in MAKERS:
            return _maker(found, name, self._faults)
        if inspect.iscoroutinefunction(found):
            return _question(found, name, self._faults)
        if inspect.isasyncgenfunction(found):
            return _stream(found, name, self._faults)
        return found


def _maker(found: Callable[..., object], name: str, faults: tuple[Fault, ...]) -> Callable[..., _Wrapped]:
    def make(*values: Any, **named: Any) -> _Wrapped:
        return _Wrapped(found(*values, **named), name, faults)

    return make


def _question(found: Callable[..., Awaitable[Any]], name: str, faults: tuple[Fault, ...]) -> Callable[..., Any]:
    async def ask(*values: Any, **named: Any) -> Any:
        return await _through(faults, Call(name, values, named), lambda: found(*values, **named))

    return ask


def _stream(found: Callable[..., AsyncIterator[Any]], name: str, faults: tuple[Fault, ...]) -> Callable[..., Any]:
    async def stream(*values: Any, **named: Any) -> AsyncIterator[Any]:
        await _through(faults, Call(name, values, named), _nothing)
        async for piece in found(*values, **named):
            yield piece

    return stream


def _through(faults: tuple[Fault, ...], call: Call, go: Going) -> Awaitable[Any]:
    """The question, once it has passed all faults, the outermost first."""
    for fault in reversed(faults):
        go = _behind(fault, call, go)
    return go()


def _behind(fault: Fault, call: Call, go: Going) -> Going:
    return lambda: fault.around(call, go)


async def _nothing() -> None:
    """The beginning of a stream."""
