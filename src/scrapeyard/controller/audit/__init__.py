"""The record of who did what, kept beside every door of the service."""
