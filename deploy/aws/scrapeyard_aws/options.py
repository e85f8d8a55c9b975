"""What can be chosen about a deployment; everything has a default that is cheap and safe."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from constructs import Node

_NAME = "abcdefghijklmnopqrstuvwxyz0123456789-"


@dataclass(frozen=True)
class Deployment:
    """One deployment."""

    name: str = "scrapeyard"
    """Name of table, queues, cluster and stacks: small letters, digits and hyphens. Two may stand side by side."""
    egress: str = "public"
    """`public`: tasks have addresses of their own and let nobody in; `nat`: they hide behind NAT gateways, which cost
    more than everything else of a small deployment."""
    interface_endpoints: bool = False
    """Ways to SQS, logs and images that do not leave the network; paid by the hour."""
    image_tag: str = "latest"
    """Tag of the images in the two repositories; better a version than `latest`."""
    http_slots: int = 64
    """Items that a worker without a browser runs at once."""
    http_most: int = 20
    """Workers without a browser at most; 0 to this many are run as there is work."""
    browser_slots: int = 4
    """Items that a worker with a browser runs at once."""
    browser_most: int = 10
    """Workers with a browser at most."""
    on_demand_percent: int = 0
    """Share of workers that are not on Spot, and not taken away within two minutes now and then."""
    certificate_arn: str = ""
    """Certificate for the controller's door to the Internet; without it the door is not built."""
    alarm_email: str = ""
    """Who is written to when an alarm rings."""
    log_days: int = 30
    """Days that logs are kept, one of those that CloudWatch knows."""
    noncurrent_days: int = 30
    """Days for which a blob that was overwritten or deleted can be had back."""
    secret_names: str = ""
    """Names of secrets, with commas: for each NAME, the secret `<deployment>/NAME` of Secrets Manager is handed to the
    workers as `secret://NAME`."""

    def __post_init__(self) -> None:
        if not self.name or set(self.name) - set(_NAME):
            raise ValueError(f"name={self.name!r}: write small letters, digits and hyphens.")
        if self.egress not in ("public", "nat"):
            raise ValueError(f"egress={self.egress!r}: write public or nat.")
        if not 0 <= self.on_demand_percent <= 100:
            raise ValueError(f"on_demand_percent={self.on_demand_percent}: write a number from 0 to 100.")


def from_context(node: Node) -> Deployment:
    """The words of the context; one that is unknown there may belong to CDK."""
    given: dict[str, Any] = {}
    for field in dataclasses.fields(Deployment):
        value = node.try_get_context(field.name)
        if value is not None:
            given[field.name] = _typed(field.name, field.default, value)
    return Deployment(**given)


def _typed(name: str, default: object, value: object) -> object:
    text = str(value)
    if isinstance(default, bool):
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{name}={text!r}: write true or false.")
        return text.lower() == "true"
    if isinstance(default, int):
        if not text.isdecimal():
            raise ValueError(f"{name}={text!r}: write a number.")
        return int(text)
    return text
