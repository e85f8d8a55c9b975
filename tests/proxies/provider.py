"""A provider's interface on this machine: it answers as the provider documents, and keeps what it was asked."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from scraping.servers import Asked, Server, Writer, answer, serving

Answer = tuple[int, object]
Answers = Callable[[str, Mapping[str, str], Asked], Answer]


@asynccontextmanager
async def interface(answers: Answers, **headers: str) -> AsyncGenerator[Server]:
    """`answers` gets the path, the query and the whole request; text is answered as text, all else as JSON."""

    async def handle(asked: Asked, writer: Writer) -> None:
        parts = urlsplit(asked.target)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        status, body = answers(parts.path, query, asked)
        raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        writer.write(answer(raw, f"{status} Any", **headers))

    async with serving(handle) as server:
        yield server


def pages(given: list[dict[str, Any]], key: str, size: int, base: Callable[[], str]) -> Answers:
    """Webshare's list: pages that name the next one, for who has the key."""

    def answers(path: str, query: Mapping[str, str], asked: Asked) -> Answer:
        if asked.headers.get("authorization") != f"Token {key}":
            return 401, {"detail": "Invalid token."}
        page = int(query["page"])
        more = page * size < len(given)
        following = f"{base()}{path}?mode={query['mode']}&page={page + 1}&page_size={size}" if more else None
        return 200, {
            "count": len(given), "next": following, "previous": None, "results": given[(page - 1) * size : page * size],
        }  # fmt: skip

    return answers
