"""From an address to a bucket: `s3://bucket/prefix?endpoint=http://host:port&region=eu-west-1`.

Credentials never stand in an address, which is logged and shown; they come from the environment (`AWS_ACCESS_KEY_ID`
and its kin) or from the role of the container or machine. `gs://` and `az://` are opened by the same library.
"""

import re
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from obstore.exceptions import BaseError
from obstore.store import AzureStore, GCSStore, S3Store

from scrapeyard.backends.names import check_prefix
from scrapeyard.backends.s3.blobs import S3Blobs, Store
from scrapeyard.model.errors import BadInput, Refused

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig, S3Config

_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,254}")
_OPTIONS = frozenset({"endpoint", "region"})
_RETRIES: "RetryConfig" = {"max_retries": 8, "retry_timeout": timedelta(seconds=60)}
"""Throttling (503 Slow Down) and broken connections are met with back-off for so long; after that the caller judges."""
_TIMEOUT = timedelta(seconds=120)


def open_s3(address: str) -> S3Blobs:
    """The store at this address; nothing is sent yet."""
    parts = urlsplit(address)
    options = dict(parse_qsl(parts.query))
    prefix = parts.path.strip("/")
    bucket = parts.netloc
    if not _BUCKET.fullmatch(bucket) or parts.fragment or not options.keys() <= _OPTIONS:
        raise Refused(
            f"{parts.scheme}://{bucket.rpartition('@')[2]}{parts.path} is no address of a bucket: write "
            "s3://bucket/prefix?endpoint=https://host&region=name, without user and password; credentials are taken "
            "from the environment (AWS_ACCESS_KEY_ID …) or from the role."
        )
    try:
        check_prefix(f"{prefix}/" if prefix else "")
        store = _store(parts.scheme, bucket, prefix, options)
    except (BaseError, BadInput, ValueError) as error:
        raise Refused(f"{parts.scheme}://{bucket}{parts.path} cannot be opened: {error}") from error
    return S3Blobs(store, f"{parts.scheme}://{bucket}/{prefix}")


def _store(scheme: str, bucket: str, prefix: str, options: dict[str, str]) -> Store:
    below = prefix or None
    endpoint = options.get("endpoint")
    client: ClientConfig = {"timeout": _TIMEOUT, "allow_http": bool(endpoint and endpoint.startswith("http:"))}
    if scheme == "gs":
        return GCSStore(bucket, prefix=below, client_options=client, retry_config=_RETRIES)
    if scheme == "az":
        return AzureStore(bucket, prefix=below, client_options=client, retry_config=_RETRIES)
    given: S3Config = {"copy_if_not_exists": "multipart"}
    if endpoint:
        given["endpoint"] = endpoint
    if "region" in options:
        given["region"] = options["region"]
    return S3Store(bucket, prefix=below, config=given, client_options=client, retry_config=_RETRIES)
