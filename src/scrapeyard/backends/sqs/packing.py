"""Offers as messages: ten to each, because every call is paid for and a call carries ten messages.

A message is text. What cannot be read is a stranger's, or of another version, and is told apart from trouble.
"""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from scrapeyard.model.item import Offer

PER_MESSAGE = 10
_MOST_RAW = 400_000
"""Bytes of inputs in one message; a single offer may have more."""
_MOST_READ = 8 << 20
"""Bytes that a message may unfold to."""

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(list[Offer]).decode


class Unreadable(Exception):
    """A message that is none of ours."""


def parcels(offers: Sequence[Offer]) -> Iterator[list[Offer]]:
    """What goes into one message each: offers of one lane and one version of a scraper."""

    def sort_of(offer: Offer) -> tuple[str, str]:
        return offer.lane, offer.scraper.digest

    for _, alike in groupby(sorted(offers, key=sort_of), key=sort_of):
        parcel: list[Offer] = []
        size = 0
        for offer in alike:
            if parcel and (len(parcel) == PER_MESSAGE or size + len(offer.inputs) > _MOST_RAW):
                yield parcel
                parcel, size = [], 0
            parcel.append(offer)
            size += len(offer.inputs)
        yield parcel


def text_of(parcel: Sequence[Offer]) -> str:
    """A message's text."""
    return b64encode(zlib.compress(_pack(parcel), 1)).decode()


def offers_of(text: str) -> list[Offer]:
    """What is in a message."""
    try:
        unfolding = zlib.decompressobj()
        raw = unfolding.decompress(b64decode(text, validate=True), _MOST_READ)
        if not unfolding.eof:
            raise Unreadable(f"it is cut off, or unfolds to more than {_MOST_READ:,} bytes")
        return _unpack(raw)
    except (ValueError, zlib.error, msgspec.DecodeError) as error:
        raise Unreadable(str(error)) from error
