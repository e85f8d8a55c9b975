"""The page of the REST API, made from the description that the server itself gives."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from scrapeyard.controller.access.keys import Keys
from scrapeyard.controller.api.app import create_app
from scrapeyard.controller.api.door import statuses
from scrapeyard.controller.api.office import Office
from scrapeyard.model.access import SCOPE_MEANING
from scrapeyard.settings import Settings, StorageSettings
from scrapeyard.wiring import open_yard


def api() -> str:
    """Every operation with what goes in, and every code of a problem."""
    described = asyncio.run(_described())
    parts = [f"# REST API\n\n{described['info']['description']}"]
    parts.append("`GET /openapi.json` gives the whole description, from which clients in other languages are made.\n")
    for path, verbs in sorted(described["paths"].items()):
        parts += [_operation(verb, path, each) for verb, each in verbs.items()]
    scopes = "\n".join(f"| `{scope}` | {meaning} |" for scope, meaning in SCOPE_MEANING.items())
    parts.append(f"## Scopes\n\n| scope | allows |\n|---|---|\n{scopes}\n")
    codes = "\n".join(f"| `{code}` | {status} | {title} |" for code, status, title in statuses())
    parts.append(f"## Problems\n\n| code | status | meaning |\n|---|---|---|\n{codes}\n")
    return "\n".join(parts)


def _operation(verb: str, path: str, each: dict[str, Any]) -> str:
    lines = [f"## {verb.upper()} {path}\n", f"{each['summary']}\n"]
    if each["description"]:
        lines.append(f"{each['description']}\n")
    headers = [parameter for parameter in each.get("parameters", ()) if parameter["in"] == "header"]
    if headers:
        told = "\n".join(f"- `{one['name']}`: {one['description']}" for one in headers)
        lines.append(f"Headers:\n\n{told}\n")
    asked = [parameter for parameter in each.get("parameters", ()) if parameter["in"] == "query"]
    if asked:
        names = ", ".join(f"`{parameter['name']}`" for parameter in asked)
        lines.append(f"Parameters: {names}.\n")
    body = each.get("requestBody")
    for media, content in body["content"].items() if body is not None else ():
        lines.append(f"Body: `{_name(content['schema']) or media}`.\n")
    lines.append(f"Answers: {', '.join(f'`{status}`' for status in sorted(each['responses']))}.\n")
    return "\n".join(lines)


def _name(schema: dict[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


async def _described() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        storage = StorageSettings(ledger="memory:", live="memory:", blobs="memory:")
        async with open_yard(Settings(data=Path(folder), scrapers=(), storage=storage)) as yard:
            keys = Keys(yard.ledger.memos, yard.clock)
            return create_app(Office(yard.service, yard.scrapers, keys, yard.ledger.memos, yard.clock), "1").openapi()
