"""One operation of the API as it is declared: what it is called, whom it lets in, and what goes in and out."""

from typing import Any

import msgspec

from scrapeyard.model.access import Scope


class Operation(msgspec.Struct, frozen=True):
    """One operation: `GET /v1/jobs/{job}`, the scope that it wants, and what goes in and out.

    `takes` is the JSON body, `media` the content types of a body that is none; `asks` is the query, `headers` are
    those that mean something. `gives` is the answer; one that is no JSON of ours `sends` that content type instead.
    `makes` says where in the answer the name of a thing stands that other operations have in their path. `once`: it
    knows idempotency keys. `also` are statuses that operations like this do not have as a rule.
    """

    verb: str
    scope: Scope | None
    gives: Any = None
    takes: Any = None
    asks: Any = None
    status: int = 200
    media: tuple[str, ...] = ()
    sends: str = ""
    headers: tuple[dict[str, Any], ...] = ()
    makes: dict[str, str] = {}
    once: bool = False
    also: tuple[int, ...] = ()

    @property
    def parts(self) -> tuple[str, ...]:
        """The names in its path."""
        path = self.verb.partition(" ")[2]
        return tuple(part[1:-1] for part in path.split("/") if part.startswith("{"))


def header(name: str, description: str, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    """A header that means something to an operation."""
    return {
        "name": name,
        "in": "header",
        "required": False,
        "description": description,
        "schema": schema or {"type": "string"},
    }
