"""PostgreSQL: the ledger of a fleet on one's own servers, and queue and fleet too where there is nothing else."""
