"""One module per contender. Each is run as a process of its own and prints one JSON line with what it did."""
