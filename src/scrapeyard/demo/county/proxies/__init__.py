"""Two providers of proxies on the way to the county: a list of datacenter proxies, and a gateway to residential lines.

They are small, want a password, and behave as badly as they are told to: addresses die and come back, connections
break, and the gateway answers with the errors that providers have, in the headers that providers use.
"""
