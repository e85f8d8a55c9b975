"""Us and the peers, side by side, on the same work, in one run. `make bench` runs all of it."""
