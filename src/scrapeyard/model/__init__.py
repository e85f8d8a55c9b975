"""The nouns of Scrapeyard: frozen values, states, kinds and policies. No I/O and no clock."""
