"""What AWS complains of, said so that a person knows what to do. Foreign errors stop here, cause kept."""

from typing import Any, cast

import msgspec

from scrapeyard.model.errors import StorageError

_PASSING = frozenset({
    "ProvisionedThroughputExceededException", "ThrottlingException", "Throttling", "RequestLimitExceeded",
    "RequestThrottled", "TransactionConflictException", "TransactionInProgressException", "InternalServerError",
    "InternalFailure", "InternalError", "ServiceUnavailable", "LimitExceededException", "KmsThrottled",
    "ReplicatedWriteConflictException", "RequestTimeout",
})  # fmt: skip
"""Answers that mean: later. Most are throttling, which AWS expects to be met with a pause."""

_STRANGER = frozenset({
    "UnrecognizedClientException", "InvalidSignatureException", "InvalidClientTokenId", "SignatureDoesNotMatch",
    "MissingAuthenticationTokenException", "ExpiredTokenException", "IncompleteSignature", "InvalidAccessKeyId",
})  # fmt: skip
_LONGEST = 300


class Refusal(Exception):
    """An answer that is no success. `answer` is all of it; `code` is AWS's word for the reason."""

    def __init__(self, status: int, code: str, message: str, answer: dict[str, Any]) -> None:
        super().__init__(f"{code}: {message}"[:_LONGEST])
        self.status = status
        self.code = code
        self.answer = answer

    @classmethod
    def read(cls, status: int, body: bytes) -> "Refusal":
        """From an answer, which may come from something in between that is not AWS at all."""
        try:
            decoded: object = msgspec.json.decode(body)
        except msgspec.DecodeError:
            decoded = {}
        answer = cast("dict[str, Any]", decoded) if isinstance(decoded, dict) else {}
        code = str(answer.get("__type", "")).rpartition("#")[2].rpartition(".")[2] or f"HTTP {status}"
        return cls(status, code, str(answer.get("message") or answer.get("Message") or ""), answer)


def is_passing(refusal: Refusal) -> bool:
    """Whether the same request may be granted a moment later."""
    if refusal.code == "TransactionCanceledException":
        return all(one.get("Code") in (None, "None", *_TRANSIENT) for one in reasons(refusal))
    return refusal.code in _PASSING or refusal.status >= 500 or refusal.status == 429


_TRANSIENT = ("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")


def reasons(refusal: Refusal) -> list[dict[str, Any]]:
    """Why a transaction was given up, part by part."""
    return refusal.answer.get("CancellationReasons") or []


def in_our_words(error: Exception, where: str) -> StorageError:
    """The same as an error of our storage."""
    if isinstance(error, Refusal):
        if error.code in _STRANGER:
            return StorageError(f"{where} does not know us ({error}): check credentials and clock.", final=True)
        if error.code in ("AccessDeniedException", "AccessDenied"):
            return StorageError(f"{where} forbids this ({error}): check what the role may do.", final=True)
        if is_passing(error):
            return StorageError(f"{where} asks us to slow down, or has trouble of its own ({error}).")
        return StorageError(f"{where} refuses ({error}).", final=error.status < 500)
    return StorageError(f"{where} cannot be reached ({error!r}): check network and endpoint."[: 2 * _LONGEST])
