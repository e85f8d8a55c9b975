"""Where things are kept: addresses choose the backends."""

from collections.abc import Iterable

from scrapeyard.model.address import shown
from scrapeyard.settings.section import Section


class StorageSettings(Section):
    """Where things are kept. Addresses choose the backend; empty means embedded, below `data`."""

    ledger: str = ""
    """Address of the ledger: `sqlite:///path/ledger.db`, `postgresql://user@host/database`, `dynamodb://region/table`
    or `memory:`."""
    live: str = ""
    """Address of the queue and the fleet channel: as for the ledger, `redis://host:6379/0`, or `sqs://region/prefix`
    beside DynamoDB; empty means where the ledger is. Losing it loses no item."""
    blobs: str = ""
    """Address of the blob store: `file:///path`, `s3://bucket/prefix`, `gs://…`, `az://…` or `memory:`."""

    def __repr_args__(self) -> Iterable[tuple[str | None, object]]:
        """An address may have a password in it, which no log may have."""
        return [(name, shown(address)) for name, address in self]
