"""What RFC 9309 says of a robots.txt, case by case; and what hostile ones may cost."""

import time

import pytest

from scrapeyard.scraping.robots.rules import LARGEST, LONGEST_DELAY, normal, read_rules, token_of

ME = "scrapeyard"
A = "User-agent: *\n"

MATCHING = [
    # path and prefix
    (A + "Disallow: /fish", "/fish", False),
    (A + "Disallow: /fish", "/fish.html", False),
    (A + "Disallow: /fish", "/fish/salmon.html", False),
    (A + "Disallow: /fish", "/fishheads/yummy.html", False),
    (A + "Disallow: /fish", "/fish.php?id=anything", False),
    (A + "Disallow: /fish", "/Fish.asp", True),
    (A + "Disallow: /fish", "/catfish", True),
    (A + "Disallow: /fish", "/?id=fish", True),
    (A + "Disallow: /fish/", "/fish/", False),
    (A + "Disallow: /fish/", "/fish/?id=1", False),
    (A + "Disallow: /fish/", "/fish", True),
    (A + "Disallow: /fish/", "/fish.html", True),
    (A + "Disallow: /", "/", False),
    (A + "Disallow: /", "/anything?x", False),
    (A + "Disallow:", "/anything", True),
    (A + "Allow:\nDisallow: /a", "/a", False),
    (A + "Disallow: a", "/a", True),
    # wildcards
    (A + "Disallow: /*.php", "/index.php", False),
    (A + "Disallow: /*.php", "/folder/any.php.file.html", False),
    (A + "Disallow: /*.php", "/filename.php?parameters", False),
    (A + "Disallow: /*.php", "/windows.PHP", True),
    (A + "Disallow: /*.php$", "/filename.php", False),
    (A + "Disallow: /*.php$", "/filename.php?parameters", True),
    (A + "Disallow: /*.php$", "/filename.php/", True),
    (A + "Disallow: /*.php$", "/a.php/b.php", False),
    (A + "Disallow: /fish*.php", "/fish.php", False),
    (A + "Disallow: /fish*.php", "/fishheads/catfish.php?parameters", False),
    (A + "Disallow: /fish*.php", "/Fish.PHP", True),
    (A + "Disallow: /fish*", "/fish", False),
    (A + "Disallow: *", "/x", False),
    (A + "Disallow: *.pdf$", "/a/b.pdf", False),
    (A + "Disallow: /a**b", "/a-b", False),
    (A + "Disallow: /a*b*c$", "/aXbYc", False),
    (A + "Disallow: /a*b*c$", "/acb", True),
    (A + "Disallow: /ab*ba$", "/aba", True),
    (A + "Disallow: /$", "/", False),
    (A + "Disallow: /$", "/x", True),
    (A + "Disallow: /a$b", "/a$b", False),
    (A + "Disallow: /a$b", "/a", True),
    (A + "Disallow: /a%2A", "/a*", False),
    (A + "Disallow: /a%24$", "/a$", False),
    # the longest match decides, and of two as long the one that allows
    (A + "Allow: /p\nDisallow: /", "/page", True),
    (A + "Disallow: /\nAllow: /p", "/page", True),
    (A + "Disallow: /\nAllow: /p", "/other", False),
    (A + "Allow: /folder\nDisallow: /folder", "/folder/page", True),
    (A + "Disallow: /folder\nAllow: /folder", "/folder/page", True),
    (A + "Allow: /page\nDisallow: /*.htm", "/page.htm", False),
    (A + "Allow: /page\nDisallow: /*.ph", "/page.php5", True),
    (A + "Allow: /$\nDisallow: /", "/", True),
    (A + "Allow: /$\nDisallow: /", "/page.htm", False),
    (A + "Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/disallowed.gif", False),
    (A + "Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/other.gif", True),
    (A + "Disallow: /search\nAllow: /search/about", "/search/about/us", True),
    (A + "Disallow: /*?\nAllow: /*?page=", "/list?page=2", True),
    (A + "Disallow: /*?\nAllow: /*?page=", "/list?sort=2", False),
    # escapes
    (A + "Disallow: /foo/bar?baz=quz", "/foo/bar?baz=quz", False),
    (A + "Disallow: /foo/bar?baz=http://foo.bar", "/foo/bar?baz=http%3A%2F%2Ffoo.bar", False),
    (A + "Disallow: /foo/bar?baz=http%3a%2f%2ffoo.bar", "/foo/bar?baz=http://foo.bar", False),
    (A + "Disallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", False),
    (A + "Disallow: /foo/bar/%E3%83%84", "/foo/bar/ツ", False),
    (A + "Disallow: /foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", False),
    (A + "Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", False),
    (A + "Disallow: /foo/bar/baz", "/foo/bar/%62%61%7A", False),
    (A + "Disallow: /~joe", "/%7Ejoe/index.html", False),
    (A + "Disallow: /%7Ejoe", "/~joe/index.html", False),
    (A + "Disallow: /a%2Fb", "/a/b", True),
    (A + "Disallow: /a%2fb", "/a%2Fb", False),
    (A + "Disallow: /100%", "/100%", False),
    # whose rules
    ("User-agent: scrapeyard\nDisallow: /a", "/a", False),
    ("User-Agent: ScrapeYard\nDisallow: /a", "/a", False),
    ("user-agent : scrapeyard\ndisallow : /a", "/a", False),
    ("User-agent: scrapeyard/2.0\nDisallow: /a", "/a", False),
    ("User-agent: scrape\nDisallow: /a", "/a", True),
    ("User-agent: scrapeyard-images\nDisallow: /a", "/a", True),
    ("User-agent: otherbot\nDisallow: /", "/a", True),
    ("User-agent: scrapeyard\nAllow: /\n\n" + A + "Disallow: /", "/a", True),
    (A + "Disallow: /\n\nUser-agent: scrapeyard\nDisallow: /b", "/a", True),
    (A + "Disallow: /a\n\nUser-agent: scrapeyard\n", "/a", True),
    ("User-agent: a\nUser-agent: scrapeyard\nUser-agent: b\nDisallow: /a", "/a", False),
    (
        "User-agent: scrapeyard\nDisallow: /a\n\nUser-agent: x\nDisallow: /c\n\nUser-agent: scrapeyard\nDisallow: /b",
        "/b",
        False,
    ),
    ("User-agent: scrapeyard\nDisallow: /a\n\nUser-agent: scrapeyard\nDisallow: /b", "/a", False),
    (A + "Disallow: /a\n\n" + A + "Disallow: /b", "/b", False),
    (A + "Disallow: /a\n\nUser-agent: x\nDisallow: /b", "/b", True),
    ("Disallow: /a\n" + A + "Disallow: /b", "/a", True),
    ("User-agent: *x\nDisallow: /", "/a", True),
    ("User-agent: * \nDisallow: /a", "/a", False),
    # lines
    ("\ufeff" + A + "Disallow: /a", "/a", False),
    (A.replace("\n", "\r\n") + "Disallow: /a\r\nDisallow: /b\r\n", "/b", False),
    (A.replace("\n", "\r") + "Disallow: /a\rDisallow: /b\r", "/b", False),
    ("# all\n" + A + "Disallow: /a # not this\n", "/a", False),
    (A + "Disallow: /a#b", "/a", False),
    (A + "Disallow:/a", "/a", False),
    (A + "   Disallow  :   /a   ", "/a", False),
    (A + "\n\n\nDisallow: /a", "/a", False),
    (A + "Sitemap: https://a.example/map.xml\nDisallow: /a", "/a", False),
    ("User-agent: scrapeyard\nSitemap: https://a.example/map.xml\nUser-agent: b\nDisallow: /a", "/a", False),
    (A + "Noindex: /a\nClean-param: x /a\nDisallow /a", "/a", True),
    (A + "DISALLOW: /a", "/a", False),
    ("<html><body>Not found</body></html>", "/a", True),
    ("", "/a", True),
    (A + "Disallow: /", "/robots.txt", True),
]


@pytest.mark.parametrize(("text", "target", "allowed"), MATCHING)
def test_a_case_of_the_standard(text: str, target: str, allowed: bool) -> None:
    assert (read_rules(text.encode(), ME).refusal(target) is None) is allowed


def test_there_are_enough_cases() -> None:
    assert len(MATCHING) >= 60


def test_a_refusal_shows_the_line() -> None:
    assert read_rules((A + "disallow:  /a*  # why").encode(), ME).refusal("/abc") == "Disallow: /a*"


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        (A + "Crawl-delay: 10", 10.0),
        (A + "Crawl-delay: 0.5", 0.5),
        (A + "crawl-delay:2", 2.0),
        (A + "Crawl-delay: 0", None),
        (A + "Crawl-delay: -3", None),
        (A + "Crawl-delay: nan", None),
        (A + "Crawl-delay: soon", None),
        (A + "Crawl-delay: 1e30", LONGEST_DELAY),
        (A + "Crawl-delay: 2\n" + A + "Crawl-delay: 7", 7.0),
        (A + "Crawl-delay: 9\n\nUser-agent: scrapeyard\nCrawl-delay: 2", 2.0),
        (A + "Crawl-delay: 9\n\nUser-agent: scrapeyard\nDisallow: /a", None),
        ("User-agent: x\nCrawl-delay: 9\n\n" + A + "Disallow: /a", None),
    ],
)
def test_a_delay_is_read(text: str, delay: float | None) -> None:
    assert read_rules(text.encode(), ME).crawl_delay == delay


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        ("scrapeyard/1.0 (+https://a.example)", "scrapeyard"),
        ("briar-bot", "briar-bot"),
        ("Mozilla/5.0 (compatible; BriarBot/1.0; +https://a.example)", "BriarBot"),
        ("Mozilla/5.0 (X11; Linux x86_64)", "Mozilla"),
        ("", "scrapeyard"),
    ],
)
def test_a_product_token_is_what_we_call_ourselves(agent: str, token: str) -> None:
    assert token_of(agent) == token


def test_the_normal_form_is_a_fixed_point() -> None:
    for target in ("/a%7eb", "/ä?ö=%3a", "/%zz%", "/a%2fb?x=%2f%26", "/\udc80"):
        assert normal(normal(target)) == normal(target)


def test_what_is_no_text_is_read_all_the_same() -> None:
    assert read_rules(b"\xff\xfe\x00User-agent: *\nUser-agent: *\nDisallow: /a\xff\n", ME).refusal("/a") is None
    assert read_rules(b"User-agent: *\nDisallow: /a\x00b\nDisallow: /c\n", ME).refusal("/c") is not None


def test_only_the_first_half_megabyte_counts() -> None:
    padding = b"#" + b"x" * (LARGEST - 100) + b"\n"
    rules = read_rules(A.encode() + b"Disallow: /a\n" + padding + b"Disallow: /b\n" * 20, ME)
    assert rules.refusal("/a") is not None
    assert read_rules(A.encode() + padding + b"#" * 100 + b"\nDisallow: /b\n", ME).refusal("/b") is None


@pytest.mark.parametrize(
    "line", ["Disallow: /{n}", "Disallow: /*a*b*c*d*{n}$", "Disallow: /" + "*a" * 200 + "{n}$", "User-agent: x{n}"]
)
def test_a_hostile_file_costs_little(line: str) -> None:
    body = A + "\n".join(line.format(n=n) for n in range(60_000))
    begun = time.process_time()
    rules = read_rules(body.encode(), ME)
    for _ in range(5):
        rules.refusal("/" + "abcd" * 500)
    assert time.process_time() - begun < 5
