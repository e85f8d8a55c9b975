"""The names of everything that a job leaves behind, in one place.

A name is made of the job's id, the worker's name and hashes of content; never of an item's key or a file name of
a site, because those are a stranger's input. Where one of ours is not plain either, its hash stands for it.
"""

import hashlib
import re

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")

PAGES_SUFFIX = ".warc.gz"
RECORDS_SUFFIX = ".jsonl.gz"

_EXTENSIONS = {
    "application/pdf": "pdf",
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/tiff": "tif",
    "image/svg+xml": "svg",
    "application/zip": "zip",
    "text/csv": "csv",
    "text/html": "html",
}


def plain(name: str) -> str:
    """The name itself if it is plain, else a hash of it."""
    if _PLAIN.fullmatch(name):
        return name
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def job_prefix(job: str) -> str:
    """Where everything of a job lies."""
    return f"jobs/{plain(job)}/"


def pages_prefix(job: str, worker: str = "") -> str:
    """Segments of captures: of one worker, or of all."""
    return f"{job_prefix(job)}pages/{plain(worker) + '-' if worker else ''}"


def records_prefix(job: str, worker: str = "") -> str:
    """Segments of records: of one worker, or of all."""
    return f"{job_prefix(job)}records/{plain(worker) + '-' if worker else ''}"


def file_key(job: str, sha256: str, content_type: str) -> str:
    """One kept file; the same content twice is one blob."""
    extension = _EXTENSIONS.get(media_type(content_type), "bin")
    return f"{job_prefix(job)}files/{sha256[:2]}/{sha256}.{extension}"


def files_prefix(job: str) -> str:
    """All kept files of a job."""
    return f"{job_prefix(job)}files/"


def pruned_key(job: str) -> str:
    """What is known of the removal of a job's captures."""
    return f"{job_prefix(job)}pruned.json"


def is_file_key(key: str) -> bool:
    """Whether a blob is a kept file rather than a segment."""
    return "/files/" in key


def manifest_key(job: str) -> str:
    """The job's manifest."""
    return f"{manifest_prefix(job)}manifest.json"


def manifest_prefix(job: str) -> str:
    """The manifest and its parts."""
    return f"{job_prefix(job)}manifest/"


def part_key(job: str, epoch: int, number: int, sha256: str) -> str:
    """One part of a manifest, named for its content too: writing a manifest anew never touches the parts of the old."""
    return f"{manifest_prefix(job)}epoch-{epoch}/part-{number:05d}-{sha256[:16]}.jsonl.gz"


def card_key(job: str) -> str:
    """The card of the job's scraper."""
    return f"{job_prefix(job)}card.json"


def media_type(content_type: str) -> str:
    """A content type without its parameters."""
    return content_type.partition(";")[0].strip().lower()


def list_key(name: str) -> str:
    """A list that was handed in, by the hash of its content."""
    return f"lists/kept/{name}"


def filed_list_key(path: str) -> str:
    """A list that somebody put there, to be read anew each time."""
    return f"lists/{path}"
