"""Handing over: a job's records as tables that other tools open. See `scrapeyard.export.run` for what is in them."""
