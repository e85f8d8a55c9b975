"""Storage in SQLite files on a local disk: one process or several on one machine, nothing else to install."""
