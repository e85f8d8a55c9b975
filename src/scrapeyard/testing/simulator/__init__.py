"""The whole system in one process, on a clock that skips every wait, with faults at every await.

Dispatchers, workers and their scraping processes are the real ones; storage is the memory backend; what is between
them loses, doubles, delays and cuts, by a seed. The same seed makes the same history, to the last step:
`python -m scrapeyard.testing.simulator --seed 17` lives through it again and tells it.
"""
