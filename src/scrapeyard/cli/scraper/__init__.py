"""The commands of a scraper's author: from nothing to a tested scraper in minutes.

This group is loaded when it is used, since it brings scraping libraries along.
"""

import typer

from scrapeyard.cli.scraper import casing, catalogue, making, shelling, trying

__all__ = ["app"]

app = typer.Typer(help="Find, make, try and test scrapers.", no_args_is_help=True, rich_markup_mode="rich")

for group in (catalogue, making, trying, shelling, casing):
    group.add_to(app)
