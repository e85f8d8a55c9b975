"""Where something is kept, as people write it: `scheme://user:password@host/place?option=value`."""

from urllib.parse import urlsplit


def scheme_of(address: str) -> str:
    """What kind of storage it is."""
    return address.partition(":")[0].lower()


def shown(address: str) -> str:
    """The address as it may be shown and logged: without its password, and without options, which may hold one too."""
    bare = address.partition("?")[0]
    try:
        place = urlsplit(bare).netloc
    except ValueError:
        return f"{scheme_of(address)}:…"
    who, at, host = place.rpartition("@")
    return bare.replace(place, f"{who.partition(':')[0]}{at}{host}", 1) if at else bare
