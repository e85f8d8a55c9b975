"""Which addresses pass, however they are spelled."""

from ipaddress import ip_address

import pytest

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.scraping.egress import PUBLIC_ONLY, Egress, opening, permitted
from scrapeyard.scraping.reach import is_number

HERE = Egress(allow=("127.0.0.0/8", "::1"))
NETS = Egress(allow=("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"))
EVERYTHING = Egress(frozenset(range(1, 65_536)), (*HERE.allow, *NETS.allow, "0.0.0.0/0", "::/0"))

NEVER = [
    "http://169.254.169.254/",
    "http://169.254.170.2/v2/credentials",
    "http://169.254.0.1/",
    "http://0251.0376.0251.0376/",
    "http://0xa9.0xfe.0xa9.0xfe/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://169.254.43518/",
    "http://169.16689662/",
    "http://169.254.169.254./",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[64:ff9b::169.254.169.254]/",
    "http://[2002:a9fe:a9fe::]/",
    "http://[fe80::1]/",
    "http://[fd00:ec2::254]/",
    "http://[::]/",
    "http://0.0.0.0/",
    "http://0/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://240.0.0.1/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "http://metadata/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://METADATA.google.INTERNAL./",
    "http://instance-data/",
    "http://999.1.1.1/",
    "http://1.2.3.4.5/",
    "http://１６９.254.169.254/",
    "http://169。254。169。254/",
]
LOOPBACK = [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://017700000001/",
    "http://localhost:80/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://a.localhost/",
    "http://LOCALHOST./",
]
PRIVATE = [
    "http://10.0.0.1/",
    "http://192.168.0.1/",
    "http://172.16.0.1/",
    "http://100.64.0.1/",
    "http://[fc00::1]/",
    "http://intranet/",
    "http://printer.local/",
    "http://db.internal/",
    "http://0x0a000001/",
]
PUBLIC = [
    "http://example.com/",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "http://a.gov:443/",
]
NO_ADDRESS = [
    "ftp://example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,x",
    "//example.com/",
    "example.com",
    "",
    "http://",
    "http:///path",
    "http://user:pw@example.com/",
    "http://example.com\\@evil.example/",
    "http://example.com:0/",
    "http://example.com:99999/",
    "http://example.com:x/",
    "http://[::1/",
    "http://[::1%eth0]/",
    "http://exa mple.com/",
    "http://-example.com/",
    "http://" + "a" * 300 + ".com/",
]


def refused(url: str, egress: Egress) -> str:
    with pytest.raises(VisitError) as raised:
        permitted(url, egress)
    assert raised.value.failure is Kind.DENIED
    return str(raised.value)


@pytest.mark.parametrize("url", NEVER)
def test_metadata_and_reserved_addresses_are_refused_whatever_is_allowed(url: str) -> None:
    refused(url, EVERYTHING)


@pytest.mark.parametrize("url", LOOPBACK)
def test_this_machine_must_be_allowed(url: str) -> None:
    told = refused(url, PUBLIC_ONLY)
    assert "is this machine" in told
    assert "SCRAPEYARD_HTTP__ALLOW='[\"" in told
    permitted(url, HERE)


@pytest.mark.parametrize("url", PRIVATE)
def test_private_networks_must_be_allowed(url: str) -> None:
    assert "is a private network" in refused(url, PUBLIC_ONLY)
    permitted(url, NETS)


def test_an_opening_opens_nothing_else() -> None:
    door = Egress(allow=("127.0.0.1:8100", "[::1]:8200", "10.1.0.0/16"))
    for url in ("http://127.0.0.1:8100/", "http://2130706433:8100/", "http://[::1]:8200/", "http://10.1.2.3:9/"):
        permitted(url, door)
    for url in ("http://127.0.0.1/", "http://127.0.0.1:8200/", "http://127.0.0.2:8100/", "http://[::1]:8100/"):
        refused(url, door)
    for url in ("http://10.2.0.1/", "http://192.168.0.1:8100/"):
        refused(url, door)


@pytest.mark.parametrize("text", ["", "county.example:80", "127.0.0.1:x", "127.0.0.1:0", "10.0.0.0/33", "[::1", "*"])
def test_what_is_no_opening_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no address or network|no such port"):
        opening(text)


def test_other_ports_must_be_allowed() -> None:
    for url in ("http://a.gov:22/", "https://8.8.8.8:25/", "http://[2606:4700::1111]:6379/"):
        assert "add" in refused(url, PUBLIC_ONLY)
        permitted(url, Egress(ports=frozenset({22, 25, 6379})))


@pytest.mark.parametrize("url", PUBLIC)
def test_the_internet_is_open(url: str) -> None:
    assert permitted(url).url == url


@pytest.mark.parametrize("url", NO_ADDRESS)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    refused(url, EVERYTHING)


def test_an_address_beyond_all_measure_is_too_large() -> None:
    with pytest.raises(VisitError) as raised:
        permitted("http://a.example/" + "x" * 20_000)
    assert raised.value.failure is Kind.TOO_LARGE
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("http://example.com:80/a", "http://example.com:80/a"),
        ("http://Example.com:443/a b?q=ä#top", "http://example.com:443/a%20b?q=%C3%A4"),
        ("http://134744072/", "http://8.8.8.8/"),
        ("http://0x8.8.010.8./x", "http://8.8.8.8/x"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://exam\nple.com/", "http://example.com/"),
        ("http://example.com?x=1", "http://example.com/?x=1"),
        ("http://example.com/%7Ea/../b", "http://example.com/%7Ea/../b"),
    ],
)
def test_every_address_has_one_form(written: str, normal: str) -> None:
    assert permitted(written).url == normal
    assert permitted(normal).url == normal


def test_a_secret_in_an_address_is_not_told() -> None:
    assert "swordfish" not in refused("http://bob:swordfish@a.example/", PUBLIC_ONLY)
    assert "token" not in refused("ftp://example.com/x?token=1", PUBLIC_ONLY)


def test_origins_are_those_of_browsers() -> None:
    here = permitted("https://a.example/x")
    assert here.same_origin(permitted("https://a.example:443/y"))
    for other in ("http://a.example/", "https://a.example:80/", "https://b.a.example/"):
        assert not here.same_origin(permitted(other))
    assert permitted("http://[2606:4700::1]:443/x").origin == "http://[2606:4700::1]:443"


def test_numbers_are_told_from_names() -> None:
    assert all(is_number(host) for host in ("1.2.3.4", "2130706433", "0x7f.1", "::1", "127.0.0.1."))
    assert not any(is_number(host) for host in ("example.com", "1.example", "a1", "x0"))


def test_an_address_that_a_name_resolved_to_is_judged_like_any_other() -> None:
    assert PUBLIC_ONLY.admits(ip_address("1.1.1.1"), 80)
    assert not PUBLIC_ONLY.admits(ip_address("1.1.1.1"), 22)
    assert not PUBLIC_ONLY.admits(ip_address("127.0.0.1"), 80)
    assert HERE.admits(ip_address("127.0.0.1"), 80)
    assert not EVERYTHING.admits(ip_address("169.254.169.254"), 80)
    assert not EVERYTHING.admits(ip_address("::ffff:169.254.169.254"), 80)
