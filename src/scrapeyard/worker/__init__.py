"""Take, do, settle: a parent that only supervises, and children that scrape."""
