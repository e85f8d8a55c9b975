"""What people ask of Scrapeyard, answered from the ledger, the fleet and the blobs; no door knows more than this."""

from scrapeyard.controller.service.service import LocalService

__all__ = ["LocalService"]
