"""A scraper as the catalogue shows it: everything that can be known without running it, schemas included."""

import inspect

import orjson
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from scrapeyard.model.scraper import ScraperCard, ScraperRef
from scrapeyard.model.session import SessionTerms
from scrapeyard.scraping.author.declare import Scraper
from scrapeyard.scraping.author.inputs import InputCheck


class RowSchema(GenerateJsonSchema):
    """JSON Schema of what is written: an amount is text, and is marked so that an export gives it its type back."""

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        found: JsonSchemaValue = {"type": "string", "format": "decimal"}
        limits = {"max_digits": schema.get("max_digits"), "decimal_places": schema.get("decimal_places")}
        return {**found, **{name: limit for name, limit in limits.items() if limit is not None}}


def card_of(scraper: Scraper[...], digest: str, source: str) -> ScraperCard:
    """The card of a scraper found in `source`, whose digest is `digest`."""
    declared = scraper.declared
    scraper.complete()
    records = scraper.reading.records if scraper.reading is not None else ()
    return ScraperCard(
        ref=ScraperRef(declared.name, declared.version, digest),
        site=declared.site,
        lane=declared.lane,
        source=source,
        summary=(inspect.getdoc(scraper.function) or "").partition("\n")[0],
        input_schema=scraper.visiting.inputs.model_json_schema(schema_generator=RowSchema, mode="serialization"),
        record_schemas={
            model.__name__: model.model_json_schema(schema_generator=RowSchema, mode="serialization")
            for model in records
        },
        key_fields=InputCheck(scraper.visiting.inputs, declared.key).key_fields,
        expect=scraper.expected,
        sentinels=tuple(
            each if isinstance(each, str) else orjson.dumps(dict(each)).decode() for each in declared.sentinels
        ),
        repeatable=declared.repeatable,
        tiers=declared.tiers,
        fallback=declared.fallback,
        rules=declared.rules,
        robots=declared.robots,
        sessions=declared.sessions if scraper.opening is None else declared.sessions or SessionTerms(),
        opens=scraper.opening is not None,
        secrets=tuple(scraper.opening.secrets.values()) if scraper.opening is not None else (),
        has_extractor=scraper.reading is not None,
    )
