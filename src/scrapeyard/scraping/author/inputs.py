"""One row of a list becomes an item: its inputs as JSON, and the key by which the person knows it.

The key is a stranger's text that turns up in commands, files and pages, so it is bounded and has no control characters.
It depends on the inputs alone: the same row gives the same key on every machine and in every run.
"""

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence

import orjson
from pydantic import ValidationError

from scrapeyard.model.errors import BadInput
from scrapeyard.model.record import Inputs

LONGEST_KEY = 512
LARGEST_INPUTS = 256 * 1024
_REFUSED = frozenset({"Cc", "Cs", "Zl", "Zp"})


class InputCheck:
    """Checks rows against one input model. Without key fields, a model's only field is the key, else a hash is."""

    __slots__ = ("_json", "_only", "_validate", "key_fields", "model")

    def __init__(self, model: type[Inputs], key_fields: Sequence[str] = ()) -> None:
        fields = list(model.model_fields)
        self.model = model
        self.key_fields = tuple(key_fields) or (tuple(fields) if len(fields) == 1 else ())
        unknown = [field for field in self.key_fields if field not in model.model_fields]
        if unknown:
            raise BadInput(f"{unknown[0]!r} is not an input of this scraper; its inputs are {', '.join(fields)}.")
        self._validate = model.__pydantic_validator__.validate_python
        self._json = model.__pydantic_serializer__.to_json
        self._only = self.key_fields[0] if len(self.key_fields) == 1 else None

    def check(self, row: Mapping[str, object]) -> tuple[str, bytes]:
        """The item's key and its inputs. `BadInput` says what is wrong with the row."""
        try:
            inputs = self._validate(row)
            body = self._json(inputs)
        except ValidationError as error:
            raise BadInput(_told(error)) from error
        except ValueError as error:  # text that is not Unicode
            raise BadInput(f"the row has characters that cannot be stored: {error}") from error
        if len(body) > LARGEST_INPUTS:
            raise BadInput(f"the row has {len(body):,} bytes; at most {LARGEST_INPUTS:,} are taken")
        key = self._key(inputs, body)
        if not key or len(key) > LONGEST_KEY or not key.isprintable():
            _refuse(key)
        return key, body

    def _key(self, inputs: Inputs, body: bytes) -> str:
        if self._only is not None:
            value = getattr(inputs, self._only)
            return value if type(value) is str else "" if value is None else str(value)
        if not self.key_fields:
            return hashlib.sha256(orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]
        values = (getattr(inputs, field) for field in self.key_fields)
        texts = ["" if value is None else str(value).replace("\\", "\\\\").replace("|", "\\|") for value in values]
        return "|".join(texts) if any(texts) else ""


def _refuse(key: str) -> None:
    if not key:
        raise BadInput("the key is empty")
    if len(key) > LONGEST_KEY:
        raise BadInput(f"the key has {len(key):,} characters; at most {LONGEST_KEY} are taken")
    for sign in key:
        if unicodedata.category(sign) in _REFUSED:
            raise BadInput(f"the key has the control character U+{ord(sign):04X}")


def _told(error: ValidationError) -> str:
    first, *rest = error.errors(include_url=False, include_context=False)
    where = ".".join(str(part) for part in first["loc"]) or error.title
    if first["type"] == "missing":
        said = f"{where} is missing"
    else:
        value = repr(first["input"])
        said = f"{where}: {first['msg']}, not {value if len(value) <= 80 else value[:79] + '…'}"
    return f"{said} (and {len(rest)} more)" if rest else said
