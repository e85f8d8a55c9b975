"""What is kept in DynamoDB: `dynamodb://region/table`."""

from scrapeyard.backends.dynamodb.ledger import open_ledger
from scrapeyard.ports.ledger import Ledger
from scrapeyard.wiring.opened import Opened


async def ledger(address: str, opened: Opened) -> Ledger:
    """The ledger."""
    return opened.kept(await open_ledger(address))
