"""What the rest of the system knows of a scraper without importing its code."""

import msgspec

from scrapeyard.model.policy import SitePolicy
from scrapeyard.model.rules import SiteRule
from scrapeyard.model.session import SessionTerms


class ScraperRef(msgspec.Struct, frozen=True, array_like=True):
    """One exact version of a scraper: the declared version for people, the digest of its source for machines."""

    name: str
    version: str
    digest: str


class ScraperCard(msgspec.Struct, frozen=True):
    """A scraper as the catalogue lists it. Schemas are JSON Schema; `expect` names the captures it must keep.

    `fallback` names the scraper that takes over above its ladder; `robots` says that the site's robots.txt is kept to;
    `rules` say what pages of this site mean that the common rules do not know. Without `sessions` every visit has a
    session of its own; one that `opens` has a step that is done once for each; `secrets` are the references of which
    that step needs the words.
    """

    ref: ScraperRef
    site: SitePolicy
    lane: str = "http"
    source: str = ""
    summary: str = ""
    input_schema: dict[str, object] = {}
    record_schemas: dict[str, dict[str, object]] = {}
    key_fields: tuple[str, ...] = ()
    expect: tuple[str, ...] = ()
    sentinels: tuple[str, ...] = ()
    repeatable: bool = True
    has_extractor: bool = False
    tiers: tuple[str, ...] = ()
    fallback: str = ""
    rules: tuple[SiteRule, ...] = ()
    robots: bool = True
    sessions: SessionTerms | None = None
    opens: bool = False
    secrets: tuple[str, ...] = ()


class BrokenScraper(msgspec.Struct, frozen=True):
    """A module that could not be read, with the reason; it hides none of the others."""

    source: str
    reason: str
