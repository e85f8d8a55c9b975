"""Things that take a port and are that port."""
