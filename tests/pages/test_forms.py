"""Forms as data: everything hidden travels along, a wrong name is an error, and the bytes are a browser's."""

import pytest

from scrapeyard.pages.errors import BadValue, UnknownField
from scrapeyard.pages.forms.postback import postback_in
from scrapeyard.pages.page import Page
from scrapeyard.pages.parsing import TURBO
from scrapeyard.pages.parsing.lexbor import LEXBOR

HTML = """<form id=f method=post action=Search.aspx>
<input type=hidden name=__VIEWSTATE value="a+b/=="><input name=ctl00$txt><input name=n value=1><input name=n value=2>
<input type=checkbox name=agree value=yes><input type=radio name=kind value=a checked>
<input type=radio name=kind value=b>
<select name=county><option value=1>Leon<option value=2 selected>Dade</select>
<select name=many multiple><option>x<option>y</select><textarea name=note>hi
there</textarea><input type=file name=doc><input disabled name=off value=1>
<input type=submit name=go value=Search><button name=clear value=1>Clear all</button><input type=image name=pic>
</form><input form=f name=outside value=o>
<form id=g action="?old=1"><input name=q></form>
<form id=m method=post enctype="multipart/form-data"><input name=a value="x&quot;y"><input type=file name=doc></form>
<a href="javascript:__doPostBack('ctl00$grid','Page$2')">2</a>"""


@pytest.fixture(params=[TURBO, LEXBOR], ids=lambda parser: parser.name)
def page(request):
    return Page(HTML.encode(), "https://county.example/app/Default.aspx?id=3", parser=request.param)


def test_everything_a_browser_sends_is_sent(page):
    form = page.form("#f").fill({"ctl00$txt": "001-02"}, agree=True, county="Leon", many=["x", "y"]).press("Search")
    assert form.fields == [
        ("__VIEWSTATE", "a+b/=="), ("ctl00$txt", "001-02"), ("n", "1"), ("n", "2"), ("agree", "yes"), ("kind", "a"),
        ("county", "1"), ("many", "x"), ("many", "y"), ("note", "hi\nthere"), ("doc", ""), ("go", "Search"),
        ("outside", "o"),
    ]  # fmt: skip
    sent = form.encode()
    assert (sent.method, sent.url) == ("POST", "https://county.example/app/Search.aspx")
    assert b"__VIEWSTATE=a%2Bb%2F%3D%3D&ctl00%24txt=001-02&n=1&n=2&agree=yes" in sent.body
    assert b"note=hi%0D%0Athere" in sent.body


def test_a_wrong_name_or_choice_lists_what_there_is(page):
    with pytest.raises(UnknownField, match=r"ctl00\$txt"):
        page.form("#f").fill(txt="1")
    with pytest.raises(UnknownField, match="Leon"):
        page.form("#f").fill(county="Polk")
    with pytest.raises(UnknownField, match="Clear all"):
        page.form("#f").press("Find")
    with pytest.raises(BadValue):
        page.form("#f").fill(county=["Leon", "Dade"])


def test_buttons_are_pressed_by_name_value_or_words(page):
    assert ("clear", "1") in page.form("#f").press("Clear all").fields
    assert ("go", "Search") in page.form("#f").press("go").fields
    assert [pair for pair in page.form("#f").press("pic").fields if pair[0].startswith("pic")] == [
        ("pic.x", "1"),
        ("pic.y", "1"),
    ]
    assert ("go", "Search") in page.form("#f").press().fields
    assert not any(name == "go" for name, _ in page.form("#f").fields)


def test_a_get_form_takes_the_place_of_the_query(page):
    sent = page.form("#g").fill(q="a b").encode()
    assert (sent.method, sent.url, sent.body) == ("GET", "https://county.example/app/Default.aspx?q=a+b", b"")


def test_multipart_is_the_same_bytes_every_time(page):
    one, two = (page.form("#m").encode() for _ in range(2))
    assert one == two
    assert one.content_type.startswith("multipart/form-data; boundary=")
    assert b'name="a"\r\n\r\nx"y' in one.body
    assert b'name="doc"; filename=""' in one.body


def test_a_postback_is_made_without_its_script(page):
    sent = dict(page.form("#f").do_postback("javascript:__doPostBack('ctl00$grid','Page$2')").fields)
    assert (sent["__EVENTTARGET"], sent["__EVENTARGUMENT"]) == ("ctl00$grid", "Page$2")
    assert sent["__VIEWSTATE"] == "a+b/=="
    assert "go" not in sent
    with pytest.raises(BadValue):
        page.form("#f").do_postback("javascript:alert(1)")


@pytest.mark.parametrize(
    ("script", "called"),
    [
        ("javascript:__doPostBack('a','')", ("a", "")),
        ('javascript:__doPostBack("a\\x27b","c")', ("a'b", "c")),
        ('javascript:WebForm_DoPostBackWithOptions(new WebForm_PostBackOptions("ctl$b", "", true))', ("ctl$b", "")),
        ("javascript:void(0)", None),
        ("__doPostBack('" + "x" * 5_000, None),
    ],
)
def test_postbacks_are_read_from_scripts(script, called):
    assert postback_in(script) == called


def test_a_form_is_sent_in_the_pages_own_character_set():
    page = Page("<meta charset=windows-1252><form><input name=q></form>".encode("cp1252"), "https://c.example/")
    assert page.form().fill(q="Müller ☃").encode().url.endswith("?q=M%FCller+%26%239731%3B")
