"""Shipped for testing: behaviour suites of the ports, random histories, a virtual clock, and cases of scrapers."""
