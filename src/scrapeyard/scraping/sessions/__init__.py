"""Sessions at work: a pool in each scraping process, and the shelf on which processes leave them for each other."""
