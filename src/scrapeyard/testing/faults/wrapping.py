"""Put faults around a port: what stands between the question and the port is a fault here."""

from scrapeyard.backends.wrapped.around import Around as Fault
from scrapeyard.backends.wrapped.around import Call, Going, wrapped

__all__ = ["Call", "Fault", "Going", "wrapped"]
