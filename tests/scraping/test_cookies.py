"""Cookies as RFC 6265 says, and no more of them than a visit can carry."""

import pytest

from scrapeyard.scraping.egress import permitted
from scrapeyard.scraping.http.cookies import MOST, MOST_PER_DOMAIN, Jar

NOW = 1_800_000_000.0
HOME = "https://www.county.example/tax/search"


def jar_of(*lines: str, url: str = HOME) -> Jar:
    jar = Jar()
    for line in lines:
        jar.store(line, permitted(url), NOW)
    return jar


def sent(jar: Jar, url: str = HOME, after: float = 0.0) -> str:
    return jar.header(permitted(url), NOW + after)


def test_a_cookie_goes_back_to_its_host_and_to_no_other() -> None:
    jar = jar_of("sid=1; Path=/")
    assert sent(jar) == "sid=1"
    for other in ("https://county.example/", "https://a.www.county.example/", "https://evil.example/"):
        assert sent(jar, other) == ""


def test_a_domain_cookie_goes_below_it() -> None:
    jar = jar_of("sid=1; Domain=.county.example; Path=/")
    assert sent(jar, "https://county.example/") == sent(jar, "https://a.b.county.example/") == "sid=1"
    assert sent(jar, "https://othercounty.example/") == ""


@pytest.mark.parametrize(
    "line",
    [
        "a=b; Domain=example",
        "a=b; Domain=evil.example",
        "a=b; Domain=deeper.www.county.example",
        "__Host-a=b; Path=/",
        "__Host-a=b; Secure; Path=/; Domain=county.example",
        "__Secure-a=b",
        "=",
        "",
        "a=" + "x" * 5_000,
        "a=b\x00c",
        "a=b\x7f",
    ],
)
def test_what_a_site_may_not_set_is_left_out(line: str) -> None:
    assert len(jar_of(line)) == 0


def test_a_secure_cookie_is_neither_taken_from_nor_sent_to_plain_http() -> None:
    assert len(jar_of("a=b; Secure", url="http://www.county.example/")) == 0
    jar = jar_of("a=b; Secure; Path=/")
    assert (sent(jar), sent(jar, "http://www.county.example/")) == ("a=b", "")


def test_paths_cover_what_lies_below_them_and_longer_ones_come_first() -> None:
    jar = jar_of("a=1; Path=/", "b=2; Path=/tax", "c=3")
    assert sent(jar) == "b=2; c=3; a=1"
    assert sent(jar, "https://www.county.example/taxes") == "a=1"
    assert sent(jar, "https://www.county.example/tax/") == "b=2; c=3; a=1"


def test_cookies_end_by_age_or_date_and_are_replaced_by_name() -> None:
    jar = jar_of("a=1; Max-Age=60; Path=/", "b=2; Expires=Fri, 15 Jan 2027 08:01:00 GMT; Path=/", "c=3; Path=/")
    assert sent(jar) == "a=1; b=2; c=3"
    assert sent(jar, after=61) == "c=3"
    jar = jar_of("a=1; Path=/", "a=2; Path=/", "b=1; Path=/", "b=; Max-Age=0; Path=/", "c=1; Expires=nonsense; Path=/")
    assert sent(jar) == "a=2; c=1"
    old = jar_of("a=1; Path=/", "a=1; Expires=Thu, 01-Jan-1970 00:00:00 GMT; Path=/")
    assert sent(old) == ""


def test_odd_cookies_of_old_servers_are_taken_as_browsers_take_them() -> None:
    assert sent(jar_of("justavalue; Path=/")) == "justavalue"
    assert sent(jar_of('a="quoted=x"; Path=/')) == 'a="quoted=x"'
    assert sent(jar_of("a=caf\xc3\xa9; Path=/")) == "a=café"


def test_a_number_is_no_domain() -> None:
    jar = jar_of("a=1; Domain=8.8.8.8; Path=/", url="http://8.8.8.8/")
    assert sent(jar, "http://8.8.8.8/x") == "a=1"
    assert len(jar_of("a=1; Domain=8.8.8", url="http://8.8.8.8/")) == 0


def test_a_site_cannot_fill_the_jar() -> None:
    jar = jar_of(*(f"n{at}=x; Path=/" for at in range(500)))
    assert len(jar) == MOST_PER_DOMAIN
    assert jar.get("n499") == "x"
    assert jar.get("n0") is None
    for at in range(500):
        jar.store("a=b", permitted(f"https://h{at}.example/"), NOW)
    assert len(jar) == MOST
    jar.clear()
    assert len(jar) == 0
