"""First drafts of a scraper: from a template, from a curl command line, or from a browser's recording."""
