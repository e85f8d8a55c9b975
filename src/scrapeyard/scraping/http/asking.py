"""What an author can say with any request, whichever verb it uses."""

from collections.abc import Collection, Mapping, Sequence
from typing import TypedDict
from urllib.parse import urlencode

Param = str | int | float | Sequence[str]
Fields = Mapping[str, Param] | Sequence[tuple[str, str]]


class Asking(TypedDict, total=False):
    """Options of a request; all of them have a default.

    `params` are added to the address; `allow` names statuses of 400 and more whose page is wanted all the same;
    `absent_on` names statuses by which the site says that there is no such record (`absent_on=(404,)`); `referer` is
    the address to say one comes from; `proxy` replaces the visit's own for this request (None: the direct way), and
    may be only what scrapers may reach; `timeout` is in seconds, redirects and body included.
    """

    headers: Mapping[str, str]
    params: Fields
    allow: Collection[int]
    absent_on: Collection[int]
    referer: str
    proxy: str | None
    timeout: float


def with_params(url: str, params: Fields) -> str:
    """The address with these fields added to its query; its fragment, which is never sent, goes."""
    bare = url.partition("#")[0]
    query = urlencode(pairs(params))
    if not query:
        return bare
    joint = "" if bare.endswith(("?", "&")) else "&" if "?" in bare else "?"
    return f"{bare}{joint}{query}"


def pairs(fields: Fields) -> list[tuple[str, str]]:
    """Fields one by one; a name with several values comes several times."""
    if not isinstance(fields, Mapping):
        return list(fields)
    found: list[tuple[str, str]] = []
    for name, value in fields.items():
        values = [value] if isinstance(value, str | int | float) else value
        found += [(name, str(one)) for one in values]
    return found
