"""Blobs in an object store: Amazon S3 and whatever speaks like it; Google's and Azure's by the same library."""
