"""AWS's signature, version 4: who asks, for what, and when, so that nobody on the way can change or repeat it later."""

import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from urllib.parse import urlsplit

from scrapeyard.backends.aws.credentials import Credentials


def signed(
    credentials: Credentials, place: tuple[str, str], url: str, body: bytes, headers: Mapping[str, str], at: float
) -> dict[str, str]:
    """The headers of a POST, with its signature. `place` is region and service; the URL has no query."""
    region, service = place
    moment = datetime.fromtimestamp(at, UTC).strftime("%Y%m%dT%H%M%SZ")
    parts = urlsplit(url)
    given = {**headers, "host": parts.netloc, "x-amz-date": moment}
    if credentials.token:
        given["x-amz-security-token"] = credentials.token
    canonical = sorted((name.lower(), value.strip()) for name, value in given.items())
    names = ";".join(name for name, _ in canonical)
    lines = "".join(f"{name}:{value}\n" for name, value in canonical)
    asked = f"POST\n{parts.path or '/'}\n\n{lines}\n{names}\n{sha256(body).hexdigest()}"
    scope = f"{moment[:8]}/{region}/{service}/aws4_request"
    told = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{sha256(asked.encode()).hexdigest()}"
    key = f"AWS4{credentials.secret}".encode()
    for word in scope.split("/"):
        key = hmac.digest(key, word.encode(), "sha256")
    signature = hmac.digest(key, told.encode(), "sha256").hex()
    del given["host"]  # whoever sends the request writes it
    given["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={credentials.key}/{scope}, SignedHeaders={names}, Signature={signature}"
    )
    return given
