"""From an address to queues: `sqs://eu-west-1/scrapeyard?endpoint=http://host:port`.

Credentials never stand in an address; they come from the environment or from the role of the container or machine.
"""

import re
from urllib.parse import parse_qsl, urlsplit

from scrapeyard.backends.aws.client import Service
from scrapeyard.backends.sqs.lines import Lines
from scrapeyard.backends.sqs.queue import SqsQueue
from scrapeyard.model.errors import Refused

_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d")
_PREFIX = re.compile(r"[A-Za-z0-9_-]{1,60}")
_WAIT = range(21)
_OPTIONS = frozenset({"endpoint", "wait", "host", "port"})
"""`host` and `port` are of the live channel, which has no address of its own."""


def open_queue(address: str) -> SqsQueue:
    """The queues at this address; nothing is sent yet."""
    parts = urlsplit(address)
    options = dict(parse_qsl(parts.query))
    prefix, wait = parts.path.strip("/"), options.get("wait", "1")
    good = wait.isdigit() and int(wait) in _WAIT and options.keys() <= _OPTIONS
    if not _REGION.fullmatch(parts.netloc) or not _PREFIX.fullmatch(prefix) or not good:
        raise Refused(
            f"sqs://{parts.netloc.rpartition('@')[2]}{parts.path} is no address of queues: write sqs://region/prefix, "
            "such as sqs://eu-west-1/scrapeyard; credentials are taken from the environment (AWS_ACCESS_KEY_ID …) or "
            "from the role."
        )
    endpoint = options.get("endpoint", f"https://sqs.{parts.netloc}.amazonaws.com")
    return SqsQueue(Lines(Service(endpoint, "AmazonSQS", (parts.netloc, "sqs")), prefix), wait=int(wait))
