"""Tells the fuzzer what a schema cannot: which scraper there is, so that half of the jobs that it asks for come about,
and that whole numbers are written without a point."""

import itertools

import schemathesis

SCRAPER = "test.parcel"
_turn = itertools.cycle((True, False))


@schemathesis.hook
def map_body(context, body):
    if isinstance(body, dict) and isinstance(body.get("scraper"), str) and next(_turn):
        body = {**body, "scraper": SCRAPER}
    return _whole(body)


def _whole(value):
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {name: _whole(each) for name, each in value.items()}
        case list():
            return [_whole(each) for each in value]
        case _:
            return value


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def map_query(context, query):
    """A stream of events is looked at for a moment."""
    if context.operation is not None and context.operation.path.endswith("/stream"):
        return {**(query or {}), "seconds": 0}
    return query
