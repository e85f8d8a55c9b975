"""Visiting sites over HTTP: what a scraper author is given, and the clients under it."""
