"""The REST client: speaks to a controller, and fulfils the same port as the service in this process."""
