"""A signed request to an address of your own."""
