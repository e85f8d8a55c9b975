"""How far away an address is: the public Internet, this machine, a private network, or what nobody may reach.

An address can be written in many ways (decimal, octal, hexadecimal, mapped into IPv6), and a resolver understands them
all. They are read once, here, into numbers; every judgement is made on numbers, never on how one was written.
"""

import re
import socket
from enum import IntEnum
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Number = IPv4Address | IPv6Address

_NUMERIC = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?")
_METADATA_NAMES = frozenset({"metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal"})
_METADATA = frozenset({IPv4Address("100.100.100.200"), IPv4Address("168.63.129.16"), IPv6Address("fd00:ec2::254")})
_LOOPBACK = tuple(map(ip_network, ("127.0.0.0/8", "::1/128")))
_PRIVATE = tuple(
    map(
        ip_network,
        (
            *("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "198.18.0.0/15", "fc00::/7"),
            *("192.0.0.0/24", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),
        ),
    )
)
_NEVER = tuple(
    map(
        ip_network,
        (
            *("0.0.0.0/8", "169.254.0.0/16", "192.88.99.0/24", "224.0.0.0/4", "240.0.0.0/4"),
            *("2001::/23", "2002::/16"),  # what carries IPv4 addresses inside
        ),
    )
)
_GLOBAL = ip_network("2000::/3")
"""All that has been given out of IPv6. These lists are ours: those of the standard library differ by its version."""


class Reach(IntEnum):
    """How far away an address is."""

    PUBLIC = 0
    LOOPBACK = 1
    PRIVATE = 2
    NEVER = 3


def is_number(host: str) -> bool:
    """Whether a host is an address already, in any notation."""
    return ":" in host or _NUMERIC.fullmatch(host) is not None


@lru_cache(maxsize=4096)
def number_of(host: str) -> Number | None:
    """The address that a host in lower case is; None for a name. ValueError if it looks like one and is none."""
    if ":" in host:
        return IPv6Address(host)
    if _NUMERIC.fullmatch(host) is None:
        return None
    try:
        return ip_address(socket.inet_aton(host.removesuffix(".")))
    except OSError as error:
        raise ValueError(host) from error


def plain(number: Number) -> Number:
    """The same address without a wrapping of IPv6 around one of IPv4."""
    mapped = number.ipv4_mapped if isinstance(number, IPv6Address) else None
    return number if mapped is None else mapped


@lru_cache(maxsize=4096)
def reach_of(number: Number) -> Reach:
    """How far away a number is."""
    number = plain(number)
    if number in _METADATA or (isinstance(number, IPv6Address) and number.scope_id is not None):
        return Reach.NEVER
    if _within(number, _LOOPBACK):
        return Reach.LOOPBACK
    if _within(number, _PRIVATE):
        return Reach.PRIVATE
    if _within(number, _NEVER) or (isinstance(number, IPv6Address) and number not in _GLOBAL):
        return Reach.NEVER
    return Reach.PUBLIC


def _within(number: Number, networks: tuple[IPv4Network | IPv6Network, ...]) -> bool:
    return any(number in network for network in networks)


@lru_cache(maxsize=4096)
def reach_of_name(name: str) -> Reach:
    """What a name in lower case tells by itself; what it resolves to is judged when it is looked up."""
    bare = name.rstrip(".")
    if bare in _METADATA_NAMES:
        return Reach.NEVER
    if bare == "localhost" or bare.endswith((".localhost", "localhost.localdomain")):
        return Reach.LOOPBACK
    return Reach.PRIVATE if "." not in bare or bare.endswith((".local", ".internal", ".home.arpa")) else Reach.PUBLIC
