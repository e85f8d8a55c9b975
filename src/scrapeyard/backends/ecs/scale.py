"""A service of ECS as large as it is wanted: `ecs://region/cluster/service`.

ECS itself chooses which tasks it stops when a service is made smaller. Tasks protect themselves while they run items
(see `protection`), so it can choose only those that were told to go and are done.
"""

import re
from collections.abc import Sequence
from urllib.parse import parse_qsl, urlsplit

from scrapeyard.backends.aws.client import Json, Service
from scrapeyard.backends.aws.trouble import Refusal, in_our_words
from scrapeyard.model.errors import Refused, StorageError
from scrapeyard.model.fleet import WorkerReport

_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,255}")
_FAMILY = "AmazonEC2ContainerServiceV20141113"


class EcsScale:
    """Fulfils `scrapeyard.ports.scale.Scale`."""

    def __init__(self, service: Service, cluster: str, name: str) -> None:
        self._service = service
        self._names = {"cluster": cluster, "service": name}
        self._said: int | None = None

    async def count(self) -> int:
        """The desired count."""
        said: Json = {"cluster": self._names["cluster"], "services": [self._names["service"]]}
        answer = await self._call("DescribeServices", said)
        found: list[Json] = answer.get("services") or []
        if not found or found[0].get("status") == "INACTIVE":
            raise StorageError(
                f"There is no service {self._names['service']!r} in the cluster {self._names['cluster']!r}: "
                "look at the setting scale.",
                final=True,
            )
        return int(found[0]["desiredCount"])

    async def ask(self, count: int, leaving: Sequence[WorkerReport]) -> None:
        """Set the desired count. Those that are leaving go by themselves, or are stopped once nothing of them runs."""
        del leaving
        if count != self._said:
            await self._call("UpdateService", {**self._names, "desiredCount": count})
            self._said = count

    async def close(self, *, now: bool = False) -> None:
        """The service goes on without us."""
        del now
        await self._service.close()

    async def _call(self, action: str, said: Json) -> Json:
        try:
            return await self._service.call(action, said)
        except Refusal as refusal:
            raise in_our_words(refusal, self._service.endpoint) from refusal


def open_scale(address: str) -> EcsScale:
    """The service at this address; nothing is sent yet."""
    parts = urlsplit(address)
    region, names = parts.netloc, parts.path.strip("/").split("/")
    options = dict(parse_qsl(parts.query))
    if not _REGION.fullmatch(region) or len(names) != 2 or not all(map(_NAME.fullmatch, names)):
        raise Refused(
            f"{address.partition('?')[0]!r} is no service of ECS: write ecs://region/cluster/service, such as "
            "ecs://eu-west-1/scrapeyard/workers-http."
        )
    endpoint = options.get("endpoint", f"https://ecs.{region}.amazonaws.com")
    return EcsScale(Service(endpoint, _FAMILY, (region, "ecs"), kind="application/x-amz-json-1.1"), *names)
