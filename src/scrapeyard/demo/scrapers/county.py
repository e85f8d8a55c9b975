"""Where the county stands, and the words all its portals share. Its port differs from run to run."""

import os

from scrapeyard import Inputs

NOT_FOUND = "no records found"


class Parcel(Inputs):
    """One parcel number, such as 007-0012-019."""

    parcel_id: str


def at(path: str) -> str:
    """The address of a path of the county that `COUNTY_URL` names, looked up at each visit."""
    return os.environ.get("COUNTY_URL", "http://127.0.0.1:8100").rstrip("/") + path
