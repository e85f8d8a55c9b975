"""How the product is reached, and what it says of itself."""

from typing import Annotated, Literal

from pydantic import Field

from scrapeyard.settings.section import Count, Positive, Section


class ApiSettings(Section):
    """How the controller is reached."""

    host: str = "127.0.0.1"
    """The address to listen at. Without a key only this machine is served, so another address wants a key first."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 8080
    """The port to listen at; 0 takes a free one and prints it."""
    wrong_keys: Count = 10
    """Wrong keys a minute that one address may try; after that it waits, whatever key it sends."""
    public: str = ""
    """The address at which people find the dashboard, for links in alerts, such as `https://yard.example`; else where
    the controller that sends them listens."""


class LogSettings(Section):
    """What is logged."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least serious level that is written."""
    format: Literal["text", "json"] = "text"
    """Lines for people or for machines."""


class MetricsSettings(Section):
    """Figures for monitoring and scaling; `docs/reference/metrics.md` lists them. The controller shows its own at
    `/metrics`, to keys with the scope `read`."""

    listen: str = ""
    """`HOST:PORT` at which a dispatcher, a worker or `up` shows its figures to Prometheus at `/metrics`, to everybody
    who reaches it; empty means nowhere."""
    emf: bool = False
    """Whether figures are also written to standard output in CloudWatch's embedded metric format."""
    emf_every: Positive = 60.0
    """Seconds between two writings of them."""
