"""What a scraper author writes with: the decorator, the visit, and the binding of both to the rest of the system."""
