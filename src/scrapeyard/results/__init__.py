"""Keeping: segments, keys, manifest; and reading them back."""
