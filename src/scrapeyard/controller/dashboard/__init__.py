"""The door for people: pages made on the server over the same service as the API, readable without any script."""
