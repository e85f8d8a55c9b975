# ruff: noqa: E501 - the lines of a page stand as they come
"""Everything else that goes wrong: throttling, maintenance, broken servers, logins, lost sessions, redesigns, proxies,
networks and our own faults."""

import errno
import socket
import ssl

from decisions.cases.case import MISSING, Case, long, page, parcel, quiet, refused, unread
from scrapeyard.model.errors import (
    Blocked,
    InvalidInput,
    LoginFailed,
    Maintenance,
    RateLimited,
    SessionExpired,
    StorageError,
    VisitError,
)
from scrapeyard.model.failures import Kind
from scrapeyard.pages.errors import BadValue, TooBig, WrongItem

R, M, S5 = Kind.RATE_LIMITED, Kind.MAINTENANCE, Kind.SITE_5XX

THROTTLED = [
    refused("429", R, 429),
    refused("429 with a time", R, 429, "slow down", retry_after="120"),
    refused("503 with a time", R, 503, "", retry_after="30"),
    refused("503 with a date", R, 503, "", retry_after="Wed, 21 Oct 2026 07:28:00 GMT"),
    quiet("too many requests at 200", R, "Too Many Requests"),
    unread("too many requests at 200 read in vain", R, "<html><body><h1>Too Many Requests</h1></body></html>"),
    quiet("too many requests in the title at 200", R, page("429 Too Many Requests", "<center><h1>429</h1></center>")),
    quiet("a program is told at 200", R, '{"error":"rate limit exceeded"}'),
    unread(
        "request limit in words",
        R,
        page("County", "<p>You have exceeded the maximum number of searches. Please slow down.</p>"),
    ),
    refused(
        "cloudflare 1015",
        R,
        429,
        page("Access denied | county.example", "<h1>Error 1015</h1><h2>You are being rate limited</h2>"),
    ),
    quiet("cloudflare 1015 at 200", R, page("Rate limited", "<h1>Error 1015</h1><h2>You are being rate limited</h2>")),
    refused(
        "403 that means too many",
        R,
        403,
        page("Forbidden", "<p>Too many requests from your network. Try again later.</p>"),
    ),
]

DOWN = [
    quiet(
        "maintenance at 200",
        M,
        page("Site Maintenance", "<h1>We'll be back soon!</h1><p>We are performing maintenance.</p>"),
    ),
    unread("maintenance at 200 read in vain", M, page("Down for maintenance", "<p>Back at 6 am.</p>")),
    refused("maintenance at 503", M, 503, page("Scheduled Maintenance", "<p>The system is being upgraded.</p>")),
    refused(
        "maintenance at 503 with a time",
        M,
        503,
        page("Under maintenance", "<p>Come back later.</p>"),
        retry_after="3600",
    ),
    unread(
        "nightly batch",
        M,
        page("Property Search", "<h2>The system is temporarily unavailable due to nightly maintenance.</h2>"),
    ),
    quiet(
        "undergoing maintenance under the usual title",
        M,
        page("County Portal", "<h1>This site is undergoing maintenance</h1>"),
    ),
    unread(
        "unavailable for the tax roll",
        M,
        page("Treasurer", "<p>The site is currently unavailable while the new tax roll is loaded.</p>"),
    ),
    unread("backup hours", M, page("Search", "<p>Our database is offline for scheduled backup from 1 am to 3 am.</p>")),
    quiet(
        "wordpress is being updated",
        M,
        page("Maintenance", "Briefly unavailable for scheduled maintenance. Check back in a minute."),
    ),
    refused("maintenance at 500", M, 500, page("Maintenance mode", "<h1>Maintenance mode</h1>")),
    Case("an author says so", M, error=Maintenance("notice")),
]

BROKEN = [
    refused("500", S5, 500),
    refused(
        "502", S5, 502, page("502 Bad Gateway", "<center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center>")
    ),
    refused("503 without a time", S5, 503, page("503 Service Unavailable", "<h1>Service Unavailable</h1>")),
    refused("504", S5, 504),
    refused(
        "cloudflare 522",
        S5,
        522,
        page("county.example | 522: Connection timed out", '<div id="cf-error-details">Error 522</div>'),
    ),
    refused("cloudflare 520", S5, 520, "error code: 520"),
    quiet("asp.net error at 200", S5, page("Runtime Error", "<h1>Server Error in '/' Application.</h1>")),
    unread("asp.net error at 200 read in vain", S5, page("Error", "<h1>Server Error in '/Search' Application.</h1>")),
    unread(
        "critical error at 200",
        S5,
        page("Critical Error", "<p>A critical error has occurred. Contact the help desk.</p>"),
    ),
    quiet("bad gateway at 200", S5, page("502 Bad Gateway", "<h1>502 Bad Gateway</h1>")),
    unread("database error at 200", S5, page("Search", "<p>ORA-12541: TNS:no listener</p>")),
    unread("sql error at 200", S5, "Warning: mysqli_connect(): Too many connections in /var/www/db.php on line 3"),
    unread("java stack at 200", S5, page("Error", "<pre>java.lang.NullPointerException\n at gov.county.Search</pre>")),
    quiet("tomcat error at 200", S5, page("HTTP Status 500 – Internal Server Error", "<h1>HTTP Status 500</h1>")),
]

LOGIN = page(
    "Log in | County Records",
    '<h1>Log in</h1><form method="post"><input name="user"><input type="password" name="password"><button>Log in</button></form>',
)
GUARDED = [
    refused("401", Kind.AUTH_REQUIRED, 401, "", www_authenticate="Basic realm=county"),
    refused("401 with a page", Kind.AUTH_REQUIRED, 401, LOGIN),
    unread("a login page in place of the record", Kind.AUTH_REQUIRED, LOGIN),
    unread("a sign-in page in place of the record", Kind.AUTH_REQUIRED, LOGIN.replace("Log in", "Sign In")),
    refused("a login page at 403", Kind.AUTH_REQUIRED, 403, LOGIN),
    refused("bare 403", Kind.FORBIDDEN, 403),
    refused(
        "403 of nginx", Kind.FORBIDDEN, 403, page("403 Forbidden", "<center><h1>403 Forbidden</h1></center><hr>nginx")
    ),
    refused(
        "403 behind cloudflare",
        Kind.FORBIDDEN,
        403,
        page("403 Forbidden", "<h1>Forbidden</h1>"),
        server="cloudflare",
        cf_ray="8",
    ),
    refused("403 of iis", Kind.FORBIDDEN, 403, page("403 - Forbidden: Access is denied.", "<h2>403 - Forbidden</h2>")),
    refused("451", Kind.DENIED, 451),
]

X = Kind.SESSION_EXPIRED
SESSIONS = [
    unread("session expired", X, page("Session Expired", "<p>Your session has expired. Please start again.</p>")),
    quiet("session expired, nobody complained", X, page("Session Timeout", "<p>Please start a new search.</p>")),
    unread("session timed out in words", X, page("Search", "<p>Your session has timed out due to inactivity.</p>")),
    unread(
        "view state refused",
        X,
        page("Error", "<p>Validation of viewstate MAC failed. If this application is hosted by a web farm</p>"),
    ),
    unread(
        "disclaimer again", X, page("Search", "<p>Your session is no longer valid. You must accept the disclaimer.</p>")
    ),
    refused("login time-out of iis", X, 440),
    refused("page expired", X, 419, page("Page Expired", "<p>419</p>")),
    Case("an author says that the session is over", X, error=SessionExpired("login page")),
]

REDESIGNED = [
    Case("a field is gone", Kind.PARSE_EMPTY, parcel().encode(), MISSING),
    Case("a field is gone from a long page", Kind.PARSE_EMPTY, page("Parcel", long()).encode(), MISSING),
    Case("a field is gone from a page with a captcha in its comment form", Kind.PARSE_EMPTY,
         parcel('<form><input name="email"><div class="g-recaptcha"></div></form>').encode(), MISSING),
    Case("a field is gone from a page behind akamai", Kind.PARSE_EMPTY, parcel().encode(), MISSING,
         headers={"Set-Cookie": "_abck=77~-1~; path=/", "Akamai-GRN": "0.ab"}),
    Case("a field is gone from a page behind cloudflare", Kind.PARSE_EMPTY,
         parcel('<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>').encode(), MISSING, headers={"cf-ray": "8"}),
    Case("a field is gone from a page with a login box", Kind.PARSE_EMPTY,
         parcel('<form><input type="password" name="p"></form>').encode(), MISSING),
    Case("a field is gone from a page behind incapsula", Kind.PARSE_EMPTY,
         parcel('<script src="/_Incapsula_Resource?SWJIYLWA=5"></script>').encode(), MISSING, headers={"x-iinfo": "1"}),
    Case("an empty page", Kind.PARSE_EMPTY, b"", MISSING),
    Case("a value of the wrong type", Kind.SCHEMA_INVALID, parcel().encode(), BadValue("n/a", "an amount")),
    Case("another parcel's page", Kind.WRONG_ITEM, parcel().encode(), WrongItem("#pid", "u", "1", "2")),
    Case("several hits", Kind.AMBIGUOUS, parcel().encode(), VisitError("3 parcels at that address", kind=Kind.AMBIGUOUS)),
    Case("a login that is refused", Kind.LOGIN_FAILED, page("Sign In", "<p>The user name or password is not correct.</p>").encode(), LoginFailed("not let in")),
    Case("a page too large", Kind.TOO_LARGE, b"", TooBig("The page", "50 MB")),
]  # fmt: skip

STATUSES = [
    refused("404", Kind.HTTP_STATUS, 404, page("Not Found", "<h1>Not Found</h1>")),
    refused("410", Kind.HTTP_STATUS, 410),
    refused("400", Kind.HTTP_STATUS, 400),
    refused("408", Kind.TIMEOUT_READ, 408),
    refused("405 of an ordinary server", Kind.HTTP_STATUS, 405, page("405 Not Allowed", "<h1>405 Not Allowed</h1>")),
    Case("the input is refused", Kind.INVALID_INPUT, error=InvalidInput("12 digits, please")),
]

PROXIES = [
    refused("407", Kind.PROXY_AUTH, 407)._replace(proxied=True),
    refused("407 of a site, though no proxy stands between", Kind.HTTP_STATUS, 407),
    Case("provider does not know the customer", Kind.PROXY_AUTH, b"", VisitError("x", kind=Kind.HTTP_STATUS, status=401), 401,
         {"x-brd-err-code": "client_10010"}, proxied=True),
    Case("provider has no peer", Kind.PROXY_EXHAUSTED, b"", VisitError("x", kind=Kind.SITE_5XX, status=502), 502,
         {"X-BRD-Error": "No peers available", "x-brd-err-code": "no_peers"}, proxied=True),
    Case("provider has no peer, old header", Kind.PROXY_EXHAUSTED, b"", VisitError("x", kind=Kind.SITE_5XX, status=502), 502,
         {"x-luminati-error": "No peers available"}, proxied=True),
    Case("provider refuses the target", Kind.DENIED, b"", VisitError("x", kind=Kind.FORBIDDEN, status=403), 403,
         {"x-brd-err-code": "policy_20050"}, proxied=True),
    Case("provider lost the peer", Kind.PROXY_ERROR, b"", VisitError("x", kind=Kind.SITE_5XX, status=502), 502,
         {"x-brd-err-code": "peer_30010"}, proxied=True),
    Case("proxy status of the standard", Kind.PROXY_ERROR, b"", VisitError("x", kind=Kind.SITE_5XX, status=502), 502,
         {"Proxy-Status": 'brd; error=proxy_internal_error; details="x"'}, proxied=True),
    Case("proxy says that the site refused the connection", Kind.CONN_RESET, b"", VisitError("x", kind=Kind.SITE_5XX, status=502), 502,
         {"Proxy-Status": "brd; error=connection_refused"}, proxied=True),
    Case("proxy says that the name does not resolve", Kind.DNS, b"", VisitError("x", kind=Kind.SITE_5XX, status=502), 502,
         {"Proxy-Status": "brd; error=dns_error"}, proxied=True),
    Case("502 through a proxy without a word of it", Kind.SITE_5XX, b"", VisitError("x", kind=Kind.SITE_5XX, status=502), 502,
         {}, proxied=True),
    Case("a site that feigns a proxy's error", Kind.SITE_5XX, b"", VisitError("x", kind=Kind.SITE_5XX, status=502), 502,
         {"x-brd-err-code": "peer_30010"}),
    Case("proxy says that the site does not connect in time", Kind.TIMEOUT_CONNECT, b"", VisitError("x", kind=Kind.SITE_5XX, status=504), 504,
         {"Proxy-Status": "brd; error=connection_timeout"}, proxied=True),
    Case("proxy says that the site does not answer in time", Kind.TIMEOUT_READ, b"", VisitError("x", kind=Kind.SITE_5XX, status=504), 504,
         {"Proxy-Status": "brd; error=http_response_timeout"}, proxied=True),
    Case("proxy says that the site's certificate is bad", Kind.TLS_ERROR, b"", VisitError("x", kind=Kind.SITE_5XX, status=502), 502,
         {"Proxy-Status": "brd; error=tls_certificate_error"}, proxied=True),
    Case("quota used up", Kind.PROXY_EXHAUSTED, b"", VisitError("x", kind=Kind.HTTP_STATUS, status=402), 402,
         {"x-brd-err-code": "client_10200"}, proxied=True),
    Case("too many requests for what was paid", Kind.PROXY_EXHAUSTED, b"", VisitError("x", kind=Kind.RATE_LIMITED, status=429), 429,
         {"x-brd-error": "zone rate limit", "x-brd-error-code": "sr_rate_limit"}, proxied=True),
    Case("an unlocker that the site blocked", Kind.BLOCKED, b"", VisitError("x", kind=Kind.SITE_5XX, status=502), 502,
         {"x-brd-error": "Request was rejected", "x-brd-error-code": "reject_block"}, proxied=True),
    Case("an unlocker whose feature is not paid for", Kind.PROXY_AUTH, b"", VisitError("x", kind=Kind.HTTP_STATUS, status=400), 400,
         {"x-brd-error": "not active", "x-brd-error-code": "feature_not_active"}, proxied=True),
    Case("a target that needs a verified account", Kind.DENIED, b"", VisitError("x", kind=Kind.HTTP_STATUS, status=402), 402,
         {"x-brd-error": "Residential Failed (bad_endpoint): Requested site is not available"}, proxied=True),
    Case("no proxy for this place", Kind.NO_PROXY, error=VisitError("no proxy in us-ca", kind=Kind.NO_PROXY)),
    Case("the proxy does not answer", Kind.PROXY_ERROR, error=VisitError("x", kind=Kind.PROXY_ERROR)),
]  # fmt: skip

ENDINGS = [
    Case("name unknown", Kind.DNS, error=socket.gaierror(-2, "unknown")),
    Case("bad certificate", Kind.TLS_ERROR, error=ssl.SSLError("bad certificate")),
    Case("timed out", Kind.TIMEOUT_READ, error=TimeoutError()),
    Case("connection reset", Kind.CONN_RESET, error=ConnectionResetError()),
    Case("connection refused", Kind.CONN_RESET, error=ConnectionRefusedError()),
    Case("cut short", Kind.CONN_RESET, error=EOFError("incomplete")),
    Case("late", Kind.DEADLINE, error=VisitError("late", kind=Kind.DEADLINE)),
    Case("address not allowed", Kind.DENIED, error=VisitError("private", kind=Kind.DENIED)),
    Case("body not decodable", Kind.BAD_BODY, error=VisitError("gzip", kind=Kind.BAD_BODY)),
    Case("out of memory", Kind.RESOURCE_EXHAUSTED, error=MemoryError()),
    Case("disk full", Kind.RESOURCE_EXHAUSTED, error=OSError(errno.ENOSPC, "full")),
    Case("our storage", Kind.STORAGE_ERROR, error=StorageError("disk")),
    Case("author's mistake", Kind.SCRAPER_BUG, parcel().encode(), KeyError("owner")),
    Case("author's mistake on a wall", Kind.BLOCKED, page("Just a moment...", "").encode(), AttributeError("None")),
    Case(
        "author's mistake on a maintenance page", M, page("Down for maintenance", "").encode(), AttributeError("None")
    ),
    Case("author does not know", Kind.UNKNOWN, parcel().encode(), VisitError("something else")),
    Case("author knows a wall", Kind.BLOCKED, parcel().encode(), Blocked("my own rule")),
    Case("author knows a limit", R, parcel().encode(), RateLimited("my own rule")),
]

TROUBLES: list[Case] = [
    *THROTTLED, *DOWN, *BROKEN, *GUARDED, *SESSIONS, *REDESIGNED, *STATUSES, *PROXIES, *ENDINGS,
]  # fmt: skip
