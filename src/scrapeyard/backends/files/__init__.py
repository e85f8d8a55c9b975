"""Blobs as plain files below one folder of a local disk, readable with any tool."""
