# ruff: noqa: E501 - the lines of a page stand as they come
"""Ordinary pages with telling words, met quietly or read in vain. A wrong selector must not turn them into walls."""

from decisions.cases.case import Case, long, page, parcel, quiet, unread
from scrapeyard.model.failures import Kind

E = Kind.PARSE_EMPTY
SEARCH = '<form action="/find"><label>Parcel number <input type="text" name="pin"></label><div class="g-recaptcha" data-sitekey="k"></div><input type="submit" value="Search"></form>'
NEWS = page(
    "Access denied: county closes its portal - Example Herald",
    "<h1>Access denied</h1><p>Residents who wanted to look up their tax bills on Tuesday found a page that said their request "
    "was blocked. The county's clerk said that automated traffic had been unusually high, and that the firewall of its "
    'vendor had taken visitors for robots.</p><p>"Please verify that you are human, it said, and then nothing happened," '
    "said a resident of Main Street. The vendor has since added a captcha. Too many requests from one network, the clerk "
    "said, will be slowed down in future. Maintenance is planned for the weekend. Until then the office at 12 Court Square "
    "answers questions by telephone from nine to five, and copies of bills can be had for a dollar a page.</p>"
    "<p>The board will hear a report at its next meeting. It is open to the public.</p>",
)
QUESTIONS = page(
    "Help",
    "<h1>Frequently asked questions</h1><h2>Why was my request blocked?</h2><p>Our firewall blocks what looks automated.</p>"
    "<h2>My session has expired</h2><p>Sessions end after twenty minutes.</p><h2>The site is unavailable</h2><p>Scheduled "
    "maintenance takes place on Sundays.</p>" + long(times=12),
)
LOGIN = page("Log in", '<h1>Log in</h1><form method="post"><input name="user"><input type="password" name="p"></form>')
DISCLAIMER = page(
    "Disclaimer",
    "<h1>Disclaimer</h1><p>All data is provided as is.</p><form><input type='submit' value='I Agree'></form>",
)
FOOTED = page(
    "Parcel 7",
    "<h1>Parcel 7</h1><p>Owner: J. DOE</p><footer>Automated access and web scraping are not permitted. Report suspicious "
    "activity to the sheriff. This site is protected by reCAPTCHA and the Google Privacy Policy applies.</footer>",
)
SHELL = '<div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript><script src="/static/js/main.js"></script>'

QUIET = [
    quiet("a news item about a block", None, NEWS),
    quiet("questions and answers", None, QUESTIONS),
    quiet("a login page nobody complained of", None, LOGIN),
    quiet("a disclaimer nobody complained of", None, DISCLAIMER),
    quiet("a search form with a captcha", None, page("Property search", SEARCH)),
    quiet("a footer that forbids robots", None, FOOTED),
    quiet("a maintenance division", None, page("Maintenance", "<h1>Maintenance</h1><p>The maintenance division keeps parks and roads. Call 555-0100.</p>")),
    quiet("a good page under a banner", None, parcel('<h2 class="banner">Scheduled maintenance on Sunday</h2>')),
    quiet("a short record under a banner", None, page("Parcel 7", "<h2>Scheduled maintenance: the site will be down on Sunday from 2 am to 4 am.</h2><h1>Parcel 7</h1><dl><dt>Owner</dt><dd>J. DOE</dd><dt>Value</dt><dd>$12,000</dd></dl>")),
    quiet("json with an empty error", None, '{"error":null,"results":[{"parcel":"7","owner":"J. DOE"}]}', content_type="application/json"),
    quiet("a record that is blocked by its clerk", None, page("Permit 9", "<h1>Permit 9</h1><p>Status: BLOCKED</p><p>Reason: access denied by owner</p>")),
    quiet("a list of limits", None, page("Rates", "<h1>Rate limits</h1><p>The rate limit of the district is 1 % under Proposition 13.</p>")),
    quiet("bills of a session", None, page("Legislature", "<h1>Bills</h1><p>The 2023 session has ended.</p>" + long(times=12))),
    quiet("a captcha company's parcel", None, page("Parcel 7", "<h1>Parcel 7</h1><p>Owner: NOT A ROBOT CAPTCHA LLC</p>")),
    quiet("an invisible captcha on a record", None, parcel('<div class="g-recaptcha" data-size="invisible"></div>')),
    quiet("xml", None, "<?xml version='1.0'?><parcel><owner>J. DOE</owner><note>access denied</note></parcel>", content_type="text/xml"),
    quiet("csv", None, "parcel,owner,note\n7,J. DOE,captcha\n8,R. ROE,access denied\n", content_type="text/csv"),
    quiet("a picture", None, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR captcha blocked", content_type="image/png"),
    quiet("a shell behind perimeterx", None, page("Parcels", SHELL, head="<script>window._pxAppId='PXab';</script>")),
    quiet("a shell with turnstile's script", None, page("Parcels", SHELL, head='<script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>')),
    quiet("attention is required for taxes", None, page("Attention Required: taxes are due", "<h1>Attention required</h1><p>Your second installment is due.</p>")),
    quiet("a parcel whose title names a denial", None, page("Access Denied Appeal 2024-17", "<h1>Appeal 2024-17</h1><p>Status: denied</p>")),
    quiet("an article under a bare title", None, NEWS.replace("Access denied: county closes its portal - Example Herald", "Access denied")),
    quiet("a lot number that looks like a server's error", None, page("Lot 500", "<h1>Lot 500</h1><p>Owner: SERVER ERROR LLC</p>")),
    quiet("a short page of an empty list", None, page("Results", "<h1>0 results</h1>")),
    quiet("a robot company's page", None, page("Robot Check Services, Inc.", "<h1>Robot Check Services, Inc.</h1><dl><dt>Registered</dt><dd>2019</dd><dt>Agent</dt><dd>J. DOE</dd></dl>")),
]  # fmt: skip

VAIN = [
    unread("the news item, read in vain", E, NEWS),
    unread("questions and answers, read in vain", E, QUESTIONS),
    unread("a footer that forbids robots, read in vain", E, FOOTED),
    unread("a search form with a captcha, read in vain", E, page("Property search", "<h1>Property search</h1>" + SEARCH)),
    unread("results without a hit", E, page("Results", "<h1>Search results</h1><p>No records found.</p><script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>")),
    unread("a shell behind perimeterx, read in vain", E, page("Parcels", SHELL, head="<script>window._pxAppId='PXab';</script>")),
    unread("a shell behind akamai, read in vain", E, page("Parcels", '<app-root></app-root><script src="/main.js"></script><script>bmak.x=1</script>')),
    unread("a blocked permit, read in vain", E, page("Permit 9", "<h1>Permit 9</h1><p>Status: BLOCKED</p><p>The request was filed on May 1.</p>")),
    unread("a short record, read in vain", E, page("Parcel 7", "<h1>Parcel 7</h1><p>Owner: J. DOE</p>")),
    unread("a record with a captcha's logo", E, parcel('<img src="/images/captcha/logo.png">')),
    unread("a map", E, page("Map", '<div id="map"></div><p>Loading the map…</p><script src="https://js.arcgis.com/4.28/"></script>')),
    unread("a frame around the record", E, '<html><head><title>Parcel</title></head><body><iframe src="/inner?id=7"></iframe></body></html>'),
    unread("a page that sends elsewhere", E, '<html><head><meta http-equiv="refresh" content="0;url=/new/search"></head><body>This page has moved.</body></html>'),
    unread("a security deed", E, page("Deed of security 12", "<h1>Deed of security 12</h1><p>Check for liens before the sale. Access by the lane was denied in 1998.</p>")),
    unread("a robotics firm", E, page("Parcel 8", "<h1>Parcel 8</h1><p>Owner: HUMAN ROBOT SECURITY CHECK INC</p>")),
    unread("the office's hours in a footer", E, page("Parcel 8", "<h1>Parcel 8</h1><p>Owner: J. DOE</p><footer>Office hours: Monday through Friday, 8 to 5. The office is closed on holidays.</footer>")),
    unread("a notice about next week in vain", E, parcel("<p>On Sunday the site is temporarily unavailable from 2 to 4 am.</p>")),
    unread("links to log in and to the disclaimer", E, page("Parcel 8", "<h1>Parcel 8</h1><p>Owner: J. DOE</p><a href='/login'>Log in</a> <a href='/terms'>Disclaimer</a> <button>Accept cookies</button>")),
    unread("a case about a session", E, page("Case 12", "<h1>Case 12</h1><p>The session of the court was held on May 2.</p>")),
    unread("a road under repair", E, page("Road 12", "<h1>Road 12</h1><p>The driveway has been blocked since 1998. Access is by the lane.</p>")),
    unread("a lot number that looks like a status", E, page("Lot 404 - Block 12", "<h1>Lot 404 - Block 12</h1><p>Owner: J. DOE</p>")),
    unread("a bill behind incapsula", E, page("Bill 7", "<h1>Bill 7</h1><p>Due: $112.00</p><script src='/_Incapsula_Resource?SWJIYLWA=5'></script>"), x_iinfo="9-1", x_cdn="Incapsula"),
]  # fmt: skip

ORDINARY: list[Case] = [*QUIET, *VAIN]
