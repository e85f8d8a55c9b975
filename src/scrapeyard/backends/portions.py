"""A long list in parts that are written quickly, also where single items are large, so that others get their turn."""

from collections.abc import Iterator, Sequence

from scrapeyard.model.item import NewItem


def portions(items: Sequence[NewItem], most: int, most_bytes: int) -> Iterator[Sequence[NewItem]]:
    """Parts of at most so many items and, where one item alone is no larger, so many bytes of inputs."""
    start = size = 0
    for place, item in enumerate(items):
        if place > start and (place - start >= most or size + len(item.inputs) > most_bytes):
            yield items[start:place]
            start, size = place, 0
        size += len(item.inputs)
    if start < len(items):
        yield items[start:]
