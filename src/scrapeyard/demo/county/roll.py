"""Which parcels a scraper may rely on while the county misbehaves: those that no lasting fault has been dealt to."""

from itertools import islice

from scrapeyard.demo.county.dial import Verdict, lasting
from scrapeyard.demo.county.numbers import number_at
from scrapeyard.demo.county.site import CountyOptions


def steady_numbers(options: CountyOptions, most: int) -> list[str]:
    """The first so many numbers that are there and that succeed in the end, whatever the dial does to single visits."""
    numbers = (number_at(index) for index in range(options.parcels))
    steady = (one for one in numbers if lasting(options.seed, options.faults, one.replace("-", "")) == Verdict())
    return list(islice(steady, most))
