"""Other ways to a site: where proxies come from, one file per provider, and the pool that lends them."""
