"""Is this the wall of a bot defence, and not the page that was asked for?

A strong sign stands on walls only: a header that says "challenge", the title of a challenge, the script that solves
it. It counts even where nobody complained. A weak sign (a defence's cookie, its script, a captcha somewhere) is on
many good pages too; it counts only where content was missed or refused, and where the page says little else. A
good page that is called a wall costs a tier, a wall that is missed costs one more try: in doubt it is no wall.
"""

import re
from typing import Final

from scrapeyard.decisions.languages import HUMAN, REFUSED
from scrapeyard.decisions.observation import Observation
from scrapeyard.decisions.phrases import SHUT_OUT, STERN
from scrapeyard.decisions.signs import (
    Holds,
    Rule,
    both,
    either,
    entitled,
    header,
    matches,
    says,
    shows,
    status,
    titled,
)
from scrapeyard.decisions.vendors import IN_TITLES, MARKUP, SENTENCES, TITLES
from scrapeyard.model.failures import Kind

_BANNED = re.compile(rb"error code: 10(?:0[5-9]|1[0-3]|20)\b")
_HUMAN: Final = (
    b"you are human", b"you are a human", b"you're human", b"you're a human", b"are you a human", b"are you human",
    b"you are not a robot", b"you're not a robot", b"i'm not a robot", b"i am not a robot", b"robot or human",
    b"you're not a bot", b"you are not a bot",
    b"complete the captcha", b"solve the captcha", b"enter the characters you see", b"type the characters",
    b"enter the code shown", b"type the two words", b"slide right to complete", b"slide to verify", *HUMAN,
)  # fmt: skip
_CHECKED: Final = (
    b"access to this page has been denied", b"javascript and cookies to continue", b"checking your browser",
    b"verifying your browser", b"verifying your connection", b"verifying you are human", b"unusual traffic from",
    b"unusual activity from", b"bot detected", b"bot activity detected", b"web application firewall",
    b"javascript is disabled in your browser. please enable javascript to proceed", *REFUSED,
)  # fmt: skip
_WIDGETS: Final = (
    b"g-recaptcha", b"h-captcha", b"cf-turnstile", b"turnstile/v0", b"arkoselabs.com", b"funcaptcha", b"geetest",
    b"frc-captcha", b"tencentcaptcha", b"captcha.ashx", b"captcha.jpg", b"captcha.aspx", b"captcha.php", b"/captcha/",
)  # fmt: skip
_WIDGET = re.compile(rb"class\s*=\s*[\"']?(?:g-recaptcha|h-captcha|cf-turnstile|frc-captcha)\b")
_TRACES: Final = (
    b"window._pxappid", b"bmak.", b"datadome", b"_incapsula_resource", b"reese84", b"awswaf.com", b"kpsdk",
    b"/cdn-cgi/challenge-platform/", b"sucuri", b"distil",
)  # fmt: skip
_SHELL = re.compile(rb"id\s*=\s*[\"']?(?:root|app|__next|__nuxt|main-app)\b|<app-root|\bng-app\b|data-reactroot")
"""A page that its own script fills: it is as empty as a wall, and is none."""


def _asks_who_you_are(seen: Observation) -> bool:
    """A page that wants a captcha solved and nothing else: a form with other fields is a form with a captcha."""
    if not (seen.small and b"captcha" in seen.head and seen.brief()):
        return False
    return any(word in seen.text or word in seen.title for word in _HUMAN) and not seen.fields


def _only_a_captcha(seen: Observation) -> bool:
    """A captcha in an otherwise empty page."""
    if not seen.brief(40) or _WIDGET.search(seen.head) is None:
        return False
    return not seen.fields and _SHELL.search(seen.head) is None


def _only_a_script(seen: Observation) -> bool:
    """Incapsula's first visit: one script of its own in an empty page."""
    alone = len(seen.body) < 2048 and seen.head.count(b"<script") == 1
    return alone and b"/_incapsula_resource?" in seen.head and not seen.text


def _nothing_but(*markers: bytes) -> Holds:
    """All markers are in the markup of a page that says nothing."""
    return both(shows(*markers), lambda seen: not seen.text)


def _banned(seen: Observation) -> bool:
    return len(seen.body) < 64 and _BANNED.match(seen.head.strip()) is not None


def _any(markers: tuple[bytes, ...], most: int) -> Holds:
    """One of the markers is in the markup of a page that says next to nothing."""
    return lambda seen: seen.brief(most) and any(marker in seen.head for marker in markers)


def _nothing_yet(seen: Observation) -> bool:
    """A 202 with an empty page: the defence works in the background."""
    return seen.status == 202 and seen.brief(20)


def _denied_in_front(seen: Observation) -> bool:
    """Where the status says nothing, "access denied" must be the first thing that the page says."""
    said = (b"access denied", b"access is denied", b"access to this site is restricted")
    first = any(word in seen.heading for word in said) or seen.text.startswith(said)
    return first and seen.brief() and (seen.status or 200) < 400


STRONG: Final[tuple[Rule, ...]] = tuple(
    (name, Kind.BLOCKED, holds)
    for name, holds in (
        ("cloudflare_challenge", header("cf-mitigated", "challenge")),
        ("aws_waf_challenge", header("x-amzn-waf-action", "challenge", "captcha")),
        ("vercel_challenge", header("x-vercel-mitigated", "challenge", "deny")),
        ("datadome_block", header("x-dd-b", "1", "2")),
        ("sucuri_block", header("x-sucuri-block")),
        *((name, either(*(shows(*parts) for parts in ways))) for name, ways in MARKUP.items()),
        *((f"{vendor}_says", says(*words, most=1500)) for vendor, words in SENTENCES.items()),
        ("cloudflare_banned", _banned),
        ("incapsula_script", _only_a_script),
        ("kasada_script", _nothing_but(b"/149e9513-01fa-4fb0-aad4-566afd725d1b/", b"/ips.js")),
        ("f5_script", _nothing_but(b'window["bobcmn"]')),
        ("reblaze_script", _nothing_but(b"window.rbzns")),
        ("title_challenge", both(entitled(*TITLES), lambda seen: seen.brief(1500))),
        ("title_access_denied", both(entitled(b"access denied"), lambda seen: seen.brief(500))),
        ("title_of_a_wall", both(titled(*IN_TITLES), lambda seen: seen.brief(1500))),
        ("robot_check", _asks_who_you_are),
        ("captcha_alone", _only_a_captcha),
    )
)
"""Signs that count also where nobody complained."""

WEAK: Final[tuple[Rule, ...]] = tuple(
    (name, Kind.BLOCKED, holds)
    for name, holds in (
        ("refused_by_datadome", both(status(403, 405, 429), header("x-datadome"))),
        ("refused_by_incapsula", both(status(403, 405, 429), header("x-iinfo"), lambda seen: not seen.text)),
        ("refused_by_kasada", both(status(403, 405, 429), header("x-kpsdk-ct"))),
        ("refused_by_azure", both(status(403), shows(b"microsoft-azure-application-gateway"))),
        ("refused_by_akamai", both(says(b"you don't have permission to access"), says(b"reference #"))),
        ("refused_by_linkedin", status(999)),
        ("refused_as_a_teapot", status(418)),
        ("refused_in_stern_words", both(status(403, 405, 406, 503), matches(STERN))),
        ("nothing_at_202", _nothing_yet),
        ("captcha_in_place_of_content", both(_any(_WIDGETS, 300), lambda seen: not seen.fields)),
        ("asked_who_we_are", both(says(*_HUMAN), lambda seen: seen.fields <= 1)),
        ("shut_out", either(says(*_CHECKED), matches(SHUT_OUT))),
        ("denied_without_a_status", _denied_in_front),
        ("defence_in_place_of_content", both(_any(_TRACES, 12), lambda seen: _SHELL.search(seen.head) is None)),
    )
)
"""Signs that count only where content was missed or refused."""
