"""An example of everything that is sent, for those who would rather change something that works than read a schema."""

from typing import Any

BODIES: dict[str, dict[str, Any]] = {
    "POST /v1/jobs": {
        "scraper": "us.fl.leon.bill",
        "name": "Leon tax bills",
        "policy": {"rate": 2.0, "stop_at_usd": 25.0},
    },
    "POST /v1/jobs/{job}/clone": {"name": "Leon tax bills, again", "selection": {"states": ["failed"]}},
    "POST /v1/jobs/{job}/uploads": {"format": "csv", "columns": {"parcel_id": "Parcel No"}, "on_bad_row": "skip"},
    "PATCH /v1/jobs/{job}/policy": {"rate": 0.5},
    "POST /v1/jobs/{job}/pause": {"reason": "The county called."},
    "POST /v1/jobs/{job}/cancel": {"reason": "The list was the wrong one."},
    "POST /v1/jobs/{job}/redrive": {"selection": {"kinds": ["blocked"]}, "dry_run": True},
    "POST /v1/jobs/{job}/export": {"format": "csv", "outcomes": ["succeeded"]},
    "POST /v1/sites/{site}/hold": {"reason": "Maintenance until nine."},
    "POST /v1/keys": {"name": "nightly upload", "scopes": ["submit"], "lasts": 2_592_000},
}
"""A body for each operation that takes one."""

PARTS: dict[str, Any] = {
    "job": "k7m2xqz9t4pw",
    "key": "12-0044-001",
    "upload": "5f0c1d2e3a4b5c6d",
    "scraper": "us.fl.leon.bill",
    "site": "tax.example",
    "limit": 50,
    "name": "detail",
    "format": "csv",
    "text": "12-0044",
}
"""A value for parts of paths and queries, by their names."""
