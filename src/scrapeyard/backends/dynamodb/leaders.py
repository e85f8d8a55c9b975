"""Who may act alone, in DynamoDB: the version of a role's row, which needs no clock of the store."""

from scrapeyard.backends.dynamodb.keys import LEADERS
from scrapeyard.backends.dynamodb.table import Key, Table
from scrapeyard.backends.dynamodb.values import Row
from scrapeyard.ports.leaders import Leader


class DynamoLeaders:
    """Fulfils `scrapeyard.ports.leaders.LeaderBook`. A role that was given up keeps its version."""

    def __init__(self, table: Table) -> None:
        self._table = table

    async def leader(self, role: str) -> Leader | None:
        """Who holds the role."""
        row = await self._table.get(_key(role))
        return Leader(role, row["h"], row["ver"]) if row is not None and row["h"] else None

    async def claim(self, role: str, holder: str, *, seen: Leader | None) -> Leader | None:
        """Take or renew the role, if it still is as it was seen."""
        row = await self._table.get(_key(role))
        there = Leader(role, row["h"], row["ver"]) if row is not None and row["h"] else None
        if there != seen:
            return None
        version = row["ver"] + 1 if row is not None else 1
        part, sort = _key(role)
        new: Row = {"p": part, "s": sort, "h": holder, "ver": version}
        done = await self._table.swap(new, row["v"] if row is not None else None)
        return Leader(role, holder, version) if done else None

    async def resign(self, role: str, holder: str) -> None:
        """Give the role up."""
        while (row := await self._table.get(_key(role))) is not None and row["h"] == holder:
            part, sort = _key(role)
            if await self._table.swap({"p": part, "s": sort, "h": "", "ver": row["ver"] + 1}, row["v"]):
                return


def _key(role: str) -> Key:
    return LEADERS, role.encode()
