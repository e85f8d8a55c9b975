"""The verbs that Scrapeyard needs from outside, as small Protocols that speak intentions, never SQL."""
