"""How large or small what a caller sends may be, as the description says it.

The rules themselves stand where they are kept to, each with its sentence. Here stands only what a JSON Schema can say
of them, so that a caller's own tools can tell before they ask.
"""

import copy
from typing import Any

_RULES: dict[str, dict[str, dict[str, Any]]] = {
    "Policy": {
        "priority": {"minimum": 0, "maximum": 9},
        "rate": {"exclusiveMinimum": 0},
        "concurrency": {"minimum": 1},
        "attempts": {"minimum": 1, "maximum": 100},
        "deadline": {"exclusiveMinimum": 0, "maximum": 86_400},
        "backoff_cap": {"minimum": 0},
        "stop_at_usd": {"exclusiveMinimum": 0},
        "stop_at_gb": {"exclusiveMinimum": 0},
        "tiers": {"minItems": 1, "maxItems": 10},
    },
    "BreakerPolicy": {
        "trip": {"minimum": 0, "maximum": 10_000},
        "canary": {"minimum": 0, "maximum": 10_000},
        "canary_stop": {"minimum": 1},
        "readable": {"minimum": 0, "maximum": 1},
        "probes": {"minimum": 1, "maximum": 10_000},
        "close_at": {"minimum": 0},
        "open_times": {"minItems": 1, "maxItems": 20},
        "max_failed": {"minimum": 0},
    },
    "Window": {"start": {"pattern": "^[0-9][0-9]:[0-9][0-9]$"}, "end": {"pattern": "^[0-9][0-9]:[0-9][0-9]$"}},
    "JobRequest": {"name": {"maxLength": 200}},
    "CloneRequest": {"name": {"maxLength": 200}},
    "ExportRequest": {"rows_per_file": {"minimum": 1}},
    "KeyRequest": {
        "name": {"minLength": 1, "maxLength": 100},
        "scopes": {"minItems": 1},
        "lasts": {"exclusiveMinimum": 0},
    },
    "JobQuery": {"limit": {"minimum": 1}},
    "ItemQuery": {"limit": {"minimum": 1}},
    "EventQuery": {"limit": {"minimum": 1}},
}


def bounded(schemas: dict[str, Any]) -> dict[str, Any]:
    """The schemas with their bounds."""
    found = copy.deepcopy(schemas)
    for kind, fields in _RULES.items():
        properties: dict[str, Any] = found.get(kind, {}).get("properties", {})
        for name, rule in fields.items():
            if name in properties:
                for part in _parts(properties[name]):
                    part.update(rule)
    return found


def _parts(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schema, or what it may be other than null."""
    found: list[dict[str, Any]] = schema.get("anyOf", [schema])
    return [part for part in found if part.get("type") != "null"]
