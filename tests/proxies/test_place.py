"""Places behind the colon of a tier, and addresses of proxies, in all their spellings."""

import pytest

from scrapeyard.model.errors import BadInput
from scrapeyard.model.place import ANYWHERE, Place, parted, place_of
from scrapeyard.scraping.proxies.address import Endpoint, endpoint


@pytest.mark.parametrize(
    ("where", "place"),
    [
        ("us", Place("us")),
        ("US-CA", Place("us", "ca")),
        ("us-ca-oakland", Place("us", "ca", "oakland")),
        ("us-ca-san francisco", Place("us", "ca", "san_francisco")),
        ("de-berlin", Place("de", city="berlin")),
        ("us-94601", Place("us", zip="94601")),
        ("us-ca-94601", Place("us", "ca", zip="94601")),
    ],
)
def test_a_place_is_a_country_and_perhaps_more(where, place):
    assert place_of(where) == place


@pytest.mark.parametrize("where", ["", "usa", "u", "us-", "us-c", "us-1234", "us-ca-ny", "us-ca-x;y", "us-94601-94602"])
def test_what_is_no_place_is_refused(where):
    with pytest.raises(BadInput, match="no place"):
        place_of(where)


def test_a_tier_is_told_from_its_place():
    assert parted("datacenter") == ("datacenter", ANYWHERE)
    assert parted("residential:us-ca") == ("residential", Place("us", "ca"))
    assert str(parted("residential:us-ca-san francisco")[1]) == "us-ca-san_francisco"
    for tier in ("", ":us", "residential:"):
        with pytest.raises(BadInput):
            parted(tier)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("10.0.0.1:8080", Endpoint("http", "10.0.0.1", 8080)),
        ("proxy.example:1:user:pa:ss", Endpoint("http", "proxy.example", 1, "user", "pa:ss")),
        ("http://u%20s:p%40@10.0.0.1:8080", Endpoint("http", "10.0.0.1", 8080, "u s", "p@")),
        ("https://10.0.0.1:443", Endpoint("https", "10.0.0.1", 443)),
        ("socks5://u:p@[::1]:1080\r", Endpoint("socks5", "::1", 1080, "u", "p")),
    ],
)
def test_the_spellings_of_providers_are_read(text, meant):
    assert endpoint(text) == meant


def test_an_address_is_written_so_that_the_proxy_resolves_names():
    assert Endpoint("socks5", "p.example", 1, "u s", "p/@:").url == "socks5h://u%20s:p%2F%40%3A@p.example:1"
    assert Endpoint("http", "::1", 8080).url == "http://[::1]:8080"
    assert Endpoint("http", "::1", 8080).place == "[::1]:8080"


@pytest.mark.parametrize("text", ["", "hello", "http://x", "ftp://x:1", "x:99999", "x:0", "http://[::1:1", "<html>"])
def test_what_is_no_address_is_refused_without_repeating_it(text):
    with pytest.raises(BadInput) as raised:
        endpoint(f"{text}")
    assert "secretword" not in str(raised.value)
