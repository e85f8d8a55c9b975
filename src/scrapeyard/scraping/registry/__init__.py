"""Where scrapers are found: by reading their source, without running it, until one of them is wanted."""
