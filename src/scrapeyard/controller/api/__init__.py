"""The REST door: every use case of the service over HTTP, for any language."""
