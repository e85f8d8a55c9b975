"""Scrapers for the make-believe county, written as a good author would write them for a real one."""
