"""What a manifest says of a job as a whole, added up while its items pass by."""

from collections import Counter

import msgspec

from scrapeyard.model.capture import Place
from scrapeyard.model.item import Item
from scrapeyard.results.keys import is_file_key


class SegmentUse(msgspec.Struct, frozen=True):
    """One segment that the job's items refer to: how many places in it, and up to which byte."""

    key: str
    places: int
    end: int


class Totals:
    """Sums over items. It grows with the number of segments, not of items."""

    def __init__(self) -> None:
        self.items = 0
        self.last = -1
        self.outcomes: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.readings: Counter[str] = Counter()
        self.records: Counter[str] = Counter()
        self.captures = 0
        self.capture_bytes = 0
        self.files = 0
        self._uses: dict[str, list[int]] = {}

    def add(self, item: Item) -> None:
        """Count one item."""
        self.items += 1
        self.last = item.seq
        self.outcomes[item.state] += 1
        self.readings[item.reading] += 1
        if item.kind is not None:
            self.kinds[item.kind] += 1
        for capture in item.captures:
            self.captures += 1
            self.capture_bytes += capture.size
            if is_file_key(capture.place.blob):
                self.files += 1
            else:
                self._use(capture.place)
        if item.records is not None:
            for model, count in item.records.counts.items():
                self.records[model] += count
            self._use(item.records.place)

    def _use(self, place: Place) -> None:
        use = self._uses.get(place.blob)
        if use is None:
            use = self._uses[place.blob] = [0, 0]
        use[0] += 1
        end = place.offset + place.length
        use[1] = max(use[1], end)

    def segments(self) -> list[SegmentUse]:
        """The segments that are referred to, by key."""
        return [SegmentUse(key, places, end) for key, (places, end) in sorted(self._uses.items())]
