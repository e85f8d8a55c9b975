"""`scraper list` and `scraper show`: what there is, and what of it cannot be read, without running any of it."""

from collections.abc import Mapping
from typing import Any, cast

import typer

from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Code
from scrapeyard.cli.here import Here
from scrapeyard.cli.scraper.asked import PANEL, ScraperArgument
from scrapeyard.cli.shapes import Shape
from scrapeyard.cli.wording import counted, plain
from scrapeyard.model.policy import SitePolicy
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.testing.benches import Benches

_COLUMNS = ("SCRAPER", "VERSION", "SITE", "INPUTS", "RECORDS", "ABOUT")


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    command(app, PANEL, examples=["scrapeyard scraper list", "scrapeyard scraper list --json"], name="list")(listed)
    command(app, PANEL, examples=["scrapeyard scraper show us.ca.alameda.assessment"])(show)


async def listed(here: Here) -> Code:
    """List all scrapers, then the modules that cannot be read, each with the reason."""
    registry = Benches(here.settings()).registry
    cards, broken = registry.catalogue(), registry.broken()
    if here.json:
        for card in cards:
            here.give(_shape(card))
        for each in broken:
            here.give({"broken": each.source, "reason": each.reason})
        return Code.FINE
    here.table(_COLUMNS, [_row(card) for card in cards])
    if not cards and not broken:
        here.say("No scrapers yet; `scrapeyard scraper new us.ca.alameda.assessment` begins one.")
    if broken:
        here.say(f"{counted(len(broken), 'place')} cannot be read:")
        for each in broken:
            here.say(f"  {plain(each.source)}: {plain(each.reason)}")
    return Code.FINE


async def show(here: Here, scraper: ScraperArgument) -> Code:
    """Show one scraper: its site and limits, what goes in, what comes out, and its sentinels."""
    card = Benches(here.settings(), scraper).card(scraper)
    if here.json:
        here.give(_shape(card))
        return Code.FINE
    for line in _told(card):
        here.write(line)
    return Code.FINE


def _shape(card: ScraperCard) -> Shape:
    return {
        "name": card.ref.name,
        "version": card.ref.version,
        "digest": card.ref.digest,
        "source": card.source,
        "summary": card.summary,
        "lane": card.lane,
        "site": {"name": card.site.name, "rate": card.site.rate, "concurrency": card.site.concurrency},
        "key": list(card.key_fields),
        "expect": list(card.expect),
        "sentinels": list(card.sentinels),
        "repeatable": card.repeatable,
        "inputs": card.input_schema,
        "records": card.record_schemas,
    }


def _row(card: ScraperCard) -> tuple[str, ...]:
    inputs, records = ", ".join(fields(card.input_schema)), ", ".join(card.record_schemas)
    return (card.ref.name, card.ref.version, card.site.name, inputs, records, card.summary)


def _told(card: ScraperCard) -> list[str]:
    lines = [f"{card.ref.name}  version {card.ref.version}  digest {card.ref.digest[:12]}"]
    lines += [f"  {plain(card.summary)}"] if card.summary else []
    key = ", ".join(card.key_fields) or "a hash of all inputs"
    facts = [
        ("file", card.source),
        ("site", f"{card.site.name}: {_limits(card.site)}"),
        ("lane", card.lane),
        ("key", key),
        ("keeps", ", ".join(card.expect)),
        ("sentinels", ", ".join(card.sentinels) or "none; name parcels that are known to exist"),
        *([] if card.repeatable else [("repeatable", "no: a lost visit is for a person to judge")]),
    ]
    lines += [f"  {name:<10} {plain(said)}" for name, said in facts]
    lines += ["", "inputs", *_schema(card.input_schema)]
    for name, schema in card.record_schemas.items():
        lines += ["", f"record {name}", *_schema(schema)]
    return lines


def _limits(site: SitePolicy) -> str:
    rate = "any number of requests" if site.rate is None else f"{site.rate:g} requests a second"
    at_once = "any number of items" if site.concurrency is None else counted(site.concurrency, "item")
    window = "" if site.window is None else f", {site.window.start}-{site.window.end} {site.window.timezone}"
    return f"{rate}, {at_once} at once{window}"


def _schema(schema: Mapping[str, Any]) -> list[str]:
    required = schema.get("required", [])
    return [
        f"  {name:<20} {_kind(said)}{'' if name in required else ', optional'}" for name, said in fields(schema).items()
    ]


def fields(schema: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The fields of a model's schema."""
    return cast("dict[str, dict[str, Any]]", schema.get("properties", {}))


def _kind(said: Mapping[str, Any]) -> str:
    choices = cast("list[dict[str, Any]]", said.get("anyOf", []))
    if choices:
        return " or ".join(_kind(choice) for choice in choices)
    words = {"decimal": "amount", "date": "date", "null": "nothing", "string": "text"}
    kind = str(said.get("format") or said.get("type") or "anything")
    return words.get(kind, kind)
