"""How fast, when and how stubbornly, as people write it: `2m`, `Mon-Fri 20:00-06:00 America/New_York`."""

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated

import msgspec
from typer import Option

from scrapeyard.cli.failing import Misused
from scrapeyard.model.policy import BreakerPolicy, OnTrip, Order, Policy, Window

_PANEL = "Policy: how fast, when, how stubbornly"
_BREAKER = "Breaker: when the job stops itself"
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_WINDOW = re.compile(r"(?:(?P<days>[A-Za-z,\-]+)\s+)?(?P<start>\d\d?:\d\d)-(?P<end>\d\d?:\d\d)(?:\s+(?P<zone>\S+))?")


@dataclass(frozen=True, slots=True)
class PolicyOptions:
    """What a job's owner decides; nothing said leaves it to the scraper and the site."""

    rate: Annotated[
        float | None, Option("--rate", metavar="N", rich_help_panel=_PANEL, help="Requests a second at most.")
    ] = None
    concurrency: Annotated[
        int | None, Option("--concurrency", metavar="N", rich_help_panel=_PANEL, help="Items at once at most.")
    ] = None
    priority: Annotated[
        int | None,
        Option("--priority", metavar="0..9", min=0, max=9, rich_help_panel=_PANEL, help="9 goes first; else 5."),
    ] = None
    order: Annotated[
        Order | None, Option("--order", rich_help_panel=_PANEL, help="In which order items start; else random.")
    ] = None
    attempts: Annotated[
        int | None, Option("--attempts", metavar="N", rich_help_panel=_PANEL, help="Tries of one item, at most.")
    ] = None
    deadline: Annotated[
        str | None, Option("--deadline", metavar="TIME", rich_help_panel=_PANEL, help="For one try, such as 90s or 5m.")
    ] = None
    window: Annotated[
        str | None,
        Option(
            "--window",
            metavar="WHEN",
            rich_help_panel=_PANEL,
            help='Hours in which items may start: "Mon-Fri 20:00-06:00 America/New_York".',
        ),
    ] = None
    tiers: Annotated[
        str | None,
        Option(
            "--tiers",
            metavar="LADDER",
            rich_help_panel=_PANEL,
            help='Ways to the site, the cheapest first: "direct,datacenter,residential:us-ca".',
        ),
    ] = None
    stop_at_usd: Annotated[
        float | None,
        Option("--stop-at-usd", metavar="N", rich_help_panel=_PANEL, help="Start nothing more after N dollars."),
    ] = None
    stop_at_gb: Annotated[
        float | None,
        Option("--stop-at-gb", metavar="N", rich_help_panel=_PANEL, help="Start nothing more after N gigabytes."),
    ] = None

    keep_captures_days: Annotated[
        float | None,
        Option("--keep-captures-days", metavar="N", rich_help_panel=_PANEL, help="Then pages and files may go."),
    ] = None

    on_trip: Annotated[
        OnTrip | None,
        Option(
            "--on-trip", rich_help_panel=_BREAKER, help="When the site fails it: wait and probe, slow down, or end."
        ),
    ] = None
    trip: Annotated[
        int | None,
        Option("--trip", metavar="N", rich_help_panel=_BREAKER, help="Score at which it stops; else 40, 0 is never."),
    ] = None
    canary: Annotated[
        int | None,
        Option("--canary", metavar="N", rich_help_panel=_BREAKER, help="First items to go carefully; else 30."),
    ] = None
    canary_stop: Annotated[
        int | None,
        Option("--canary-stop", metavar="N", rich_help_panel=_BREAKER, help="Failures that stop a canary; else 12."),
    ] = None
    probes: Annotated[
        int | None,
        Option("--probes", metavar="N", rich_help_panel=_BREAKER, help="Items that try a stopped site; else 20."),
    ] = None
    close_at: Annotated[
        int | None,
        Option("--close-at", metavar="N", rich_help_panel=_BREAKER, help="Probes that may fail; else 4."),
    ] = None
    open_times: Annotated[
        str | None,
        Option("--open-times", metavar="TIMES", rich_help_panel=_BREAKER, help='Waits before probing: "60s,2m,5m".'),
    ] = None
    absents: Annotated[
        bool | None,
        Option("--absents/--no-absents", rich_help_panel=_BREAKER, help="Watch the share of absent items; else yes."),
    ] = None
    sentinels: Annotated[
        str | None,
        Option(
            "--sentinels",
            metavar="ITEMS",
            rich_help_panel=_BREAKER,
            help='Known to exist, asked now and then: "001,002" or a JSON list; "none" for none.',
        ),
    ] = None
    max_failed: Annotated[
        int | None,
        Option("--max-failed", metavar="N", rich_help_panel=_BREAKER, help="Pause when more items have failed."),
    ] = None

    def said(self) -> dict[str, object]:
        """What was expressly said, as fields of a policy."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        said = {name: value for name, value in given.items() if value is not None}
        return {name: _PARSERS[name](value) if name in _PARSERS else value for name, value in said.items()}

    def policy(self) -> Policy:
        """The policy that these options ask for."""
        return self.over(Policy())

    def over(self, policy: Policy) -> Policy:
        """The policy with what was said in place of what it has."""
        said = self.said()
        own = {name: said.pop(name) for name in BreakerPolicy.__struct_fields__ if name in said}
        breaker = msgspec.structs.replace(policy.breaker, **own)
        return msgspec.structs.replace(policy, breaker=breaker, **said)


def parse_duration(text: str) -> float:
    """`90`, `90s`, `5m` or `1h`, in seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip().lower())
    if found is None or found[2] not in _UNITS:
        raise Misused(f"{text!r} is no length of time; write 90s, 5m or 1h.")
    return float(found[1]) * _UNITS[found[2]]


def parse_window(text: str) -> Window:
    """Days if not all, from-to, and the site's time zone if not UTC."""
    found = _WINDOW.fullmatch(text.strip())
    if found is None:
        raise Misused(f'{text!r} is no window; write "20:00-06:00" or "Mon-Fri 20:00-06:00 America/New_York".')
    days = tuple(range(7)) if found["days"] is None else _days(found["days"])
    start, end = (f"{clock:0>5}" for clock in (found["start"], found["end"]))
    return Window(found["zone"] or "UTC", days, start, end)


def parse_times(text: str) -> tuple[float, ...]:
    """Lengths of time with commas between them."""
    return tuple(parse_duration(part) for part in text.split(","))


def parse_ladder(text: str) -> tuple[str, ...]:
    """Tiers with commas between them."""
    return tuple(part.strip() for part in text.split(","))


def parse_sentinels(text: str) -> tuple[str, ...]:
    """Keys with commas between them, or a JSON list of keys and of objects of inputs."""
    said = text.strip()
    if said == "none":
        return ()
    if not said.startswith("["):
        return (said,) if said.startswith("{") else tuple(part.strip() for part in said.split(","))
    try:
        found = msgspec.json.decode(said, type=list[str | dict[str, object]])
    except msgspec.DecodeError as error:
        raise Misused(f'{said[:80]!r} is no list of sentinels; write "001,002" or ["001", {{"id": "002"}}].') from error
    return tuple(one if isinstance(one, str) else msgspec.json.encode(one).decode() for one in found)


def _days(text: str) -> tuple[int, ...]:
    found: set[int] = set()
    for part in text.lower().split(","):
        first, dash, last = part.partition("-")
        begin, end = _day(first), _day(last) if dash else _day(first)
        found.update(day % 7 for day in range(begin, end + 1 if end >= begin else end + 8))
    return tuple(sorted(found))


def _day(text: str) -> int:
    if text[:3] not in _DAYS:
        raise Misused(f"{text!r} is no day of the week; write Mon, Tue, Wed, Thu, Fri, Sat or Sun.")
    return _DAYS.index(text[:3])


_PARSERS: dict[str, Callable[[str], object]] = {
    "deadline": parse_duration,
    "window": parse_window,
    "tiers": parse_ladder,
    "open_times": parse_times,
    "sentinels": parse_sentinels,
}
"""How an option is read whose text is not yet its value."""
