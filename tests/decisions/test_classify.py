"""The classifier on labelled endings: an error, a status, headers and a page go in, a kind and its rule come out."""

import errno
import socket
import ssl

import pytest

from scrapeyard.decisions.classify import HEAD, diagnose, observe
from scrapeyard.model.errors import Blocked, SessionExpired, StorageError, VisitError
from scrapeyard.model.failures import VERDICTS, Kind
from scrapeyard.pages.errors import BadValue, Missing, WrongItem

MISSING = Missing("#owner", "https://county.example/p/1")
WALL = b"<html><head><title>Just a moment...</title></head><body>checking your browser</body></html>"
RECORD = b"<html><head><title>Parcel 1</title></head><body>" + b"<p>owner and value</p>" * 3000 + b"</body></html>"


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "facts", "kind", "rule"),
    [
        (MISSING, {"status": 200, "body": WALL}, Kind.BLOCKED, "title_challenge"),
        (MISSING, {"status": 200, "headers": {"CF-Mitigated": "challenge"}}, Kind.BLOCKED, "cloudflare_challenge"),
        (MISSING, {"status": 202, "headers": {"x-amzn-waf-action": "challenge"}}, Kind.BLOCKED, "aws_waf_challenge"),
        (MISSING, {"status": 200, "body": b"<p>Incapsula incident ID: 9"}, Kind.BLOCKED, "imperva_says"),
        (MISSING, {"status": 200, "body": b"<title>Site maintenance</title>"}, Kind.MAINTENANCE, "title_maintenance"),
        (MISSING, {"status": 200, "body": RECORD}, Kind.PARSE_EMPTY, "declared_by_its_reader"),
        (BadValue("n/a", "an amount"), {"status": 200, "body": RECORD}, Kind.SCHEMA_INVALID, "declared_by_its_reader"),
        (WrongItem("#pid", "u", "1", "2"), {"status": 200}, Kind.WRONG_ITEM, "declared_by_its_reader"),
        (VisitError("", status=503), {"headers": {"retry-after": "5"}}, Kind.RATE_LIMITED, "throttled"),
        (VisitError("429", kind=Kind.HTTP_STATUS, status=429), {}, Kind.RATE_LIMITED, "throttled"),
        (VisitError("500", kind=Kind.SITE_5XX, status=500), {}, Kind.SITE_5XX, "declared_by_its_reader"),
        (VisitError("403", kind=Kind.FORBIDDEN, status=403), {"body": WALL}, Kind.BLOCKED, "title_challenge"),
        (SessionExpired("login page"), {"status": 200}, Kind.SESSION_EXPIRED, "declared"),
        (Blocked("my own rule"), {"status": 200, "body": RECORD}, Kind.BLOCKED, "declared"),
        (caused(ValueError("x"), SessionExpired("login page")), {}, Kind.SESSION_EXPIRED, "declared"),
        (StorageError("disk"), {}, Kind.STORAGE_ERROR, "declared"),
        (MemoryError(), {}, Kind.RESOURCE_EXHAUSTED, "memory"),
        (OSError(errno.ENOSPC, "full"), {}, Kind.RESOURCE_EXHAUSTED, "disk_or_files"),
        (socket.gaierror(-2, "unknown"), {}, Kind.DNS, "name_not_resolved"),
        (ssl.SSLError("bad certificate"), {}, Kind.TLS_ERROR, "tls"),
        (TimeoutError(), {}, Kind.TIMEOUT_READ, "timed_out"),
        (ConnectionResetError(), {}, Kind.CONN_RESET, "connection"),
        (KeyError("owner"), {"status": 200, "body": RECORD}, Kind.SCRAPER_BUG, "any_other_error"),
        (ExceptionGroup("two", [TimeoutError(), KeyError("x")]), {}, Kind.TIMEOUT_READ, "timed_out"),
    ],
)  # fmt: skip
def test_an_ending_has_the_kind_that_a_person_would_give_it(error, facts, kind, rule):
    found = diagnose(observe(error, **facts))
    assert found is not None
    assert (found.kind, found.rule) == (kind, rule)


def test_a_good_page_that_nobody_complained_of_is_no_failure():
    assert diagnose(observe(None, status=200, body=RECORD)) is None


def test_a_wall_is_a_failure_even_if_nobody_complained():
    found = diagnose(observe(None, status=200, body=WALL))
    assert found is not None
    assert found.kind is Kind.BLOCKED


def test_a_long_page_that_only_names_a_captcha_is_not_a_wall():
    page = (
        b"<title>Contact</title>" + b"<p>text</p>" * 5000 + b'<div id="px-captcha">verify you are human captcha</div>'
    )
    assert diagnose(observe(None, status=200, body=page)) is None


def test_only_the_start_of_an_endless_body_is_looked_at():
    assert len(observe(None, body=b"x" * (HEAD * 3)).body) == HEAD


def test_every_kind_has_a_verdict_with_a_sentence():
    assert set(VERDICTS) == set(Kind)
    assert all(verdict.meaning.endswith(".") for verdict in VERDICTS.values())
