"""Deciding: pure functions from facts, the present time and, where luck is needed, a number that is handed in."""
