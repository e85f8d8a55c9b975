# ruff: noqa: E501 - the lines of a page stand as they come
"""Endings as strangers would bring them: portals' own layouts, notices of many hands, and good pages full of bad words."""

from decisions.cases.case import Case, page, quiet, refused, unread
from scrapeyard.model.failures import Kind

B, R, M, S5, E = Kind.BLOCKED, Kind.RATE_LIMITED, Kind.MAINTENANCE, Kind.SITE_5XX, Kind.PARSE_EMPTY
X, A, F = Kind.SESSION_EXPIRED, Kind.AUTH_REQUIRED, Kind.FORBIDDEN

MENU = '<div id="nav"><ul><li><a href="/">Home</a></li><li><a href="/search">Property Search</a></li><li><a href="/pay">Pay Taxes</a></li><li><a href="/faq">FAQ</a></li><li><a href="/contact">Contact Us</a></li></ul></div>'
FOOT = '<div id="footer"><p>Office of the Property Appraiser, 101 Court Street, Example 32301. Office hours 8:00 am to 5:00 pm. (555) 010-0100. Copyright 2024 Example County. All rights reserved. <a href="/ada">Accessibility</a> <a href="/terms">Terms of Use</a></p></div>'


def portal(title: str, body: str, head: str = "") -> str:
    """A page in a county portal's own frame: its menu above, its address below."""
    return page(title, f'{MENU}<div id="content">{body}</div>{FOOT}', head)


def record(rows: dict[str, str], head: str = "", extra: str = "", title: str = "Parcel Details") -> str:
    """A short parcel page of labels and values."""
    cells = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
    return portal(title, f"<h1>{title}</h1><table>{cells}</table>{extra}", head)


BASE = {"Parcel ID": "403-22-500-00429", "Owner": "DOE JANE", "Situs": "12 MAIN ST", "Just Value": "$212,400"}

GOOD_AFIELD: list[Case] = [
    quiet("a parcel at blocked road", None, record({**BASE, "Situs": "403 FORBIDDEN PLATEAU RD"})),
    quiet("an owner of access", None, record({**BASE, "Owner": "ACCESS DENIED SECURITY SYSTEMS LLC"})),
    quiet("a cloudflare tenant", None, record({**BASE, "Owner": "CLOUDFLARE INC", "Use": "DATA CENTER"}, head='<script src="/cdn-cgi/scripts/5c5dd728/cloudflare-static/email-decode.min.js"></script>'), server="cloudflare", cf_ray="8a1-MIA"),
    quiet("a maintenance easement", None, record({**BASE, "Legal": "LOT 4 LESS MAINTENANCE EASEMENT; SUBJ TO ROAD MAINTENANCE AGREEMENT"})),
    quiet("a maintenance map of the city", None, record({**BASE, "District": "UNDER MAINTENANCE BY CITY"}, title="Road Maintenance Record")),
    quiet("a code violation", None, record({"Case": "CE-2023-429", "Status": "ACCESS DENIED - NOTICE POSTED", "Description": "Inspector was blocked by gate; access to this property has been denied by the tenant"}, title="Code Enforcement Case")),
    quiet("an exemption that was denied", None, record({**BASE, "Homestead": "DENIED 03/01/2023", "Reason": "Applicant failed to verify residency"})),
    quiet("a session of the board", None, record({"Petition": "2023-00503", "Session": "EXPIRED", "Outcome": "DENIED"}, title="Value Adjustment Board Petition")),
    quiet("a record with an error code column", None, record({**BASE, "Roll error code": "0", "Edit error": "NONE"})),
    quiet("a bill with a service unavailable note", None, record({**BASE, "Note": "Online payment service is temporarily unavailable for this account; pay at the counter."})),
    quiet("a captcha on the contact form below", None, record(BASE, extra='<form action="/contact" method="post"><input name="email"><textarea name="q"></textarea><div class="g-recaptcha" data-sitekey="x"></div><button>Send</button></form>')),
    quiet("a hidden turnstile in the search box", None, record(BASE, extra='<form action="/search"><input name="q"><div class="cf-turnstile" data-size="invisible"></div></form>', head='<script src="https://challenges.cloudflare.com/turnstile/v0/api.js" async defer></script>')),
    quiet("a cookie of imperva on a good page", None, record(BASE), set_cookie="incap_ses_220_2144=abc; path=/", x_iinfo="8-1-2 NNNN RT(1 0) q(0 0 0 -1) r(0 0) U12"),
    quiet("a cookie of akamai on a good page", None, record(BASE, head='<script src="/akam/13/5a6b" defer></script>'), set_cookie="_abck=0~-1~; path=/"),
    quiet("a policy header that names a captcha", None, record(BASE), content_security_policy="script-src 'self' https://www.google.com/recaptcha/ https://hcaptcha.com https://challenges.cloudflare.com"),
    quiet("a tax bill that failed to pay", None, record({**BASE, "Payment": "REJECTED - too many attempts", "Balance": "$429.00"})),
    quiet("a permit for a firewall", None, record({"Permit": "B-2023-503", "Work": "2 HR FIRE WALL / FIREWALL, UNIT 403", "Status": "BLOCKED PENDING FEES"}, title="Permit Details")),
    quiet("a jail roster", None, record({"Inmate": "DOE, JOHN", "Charge": "UNAUTHORIZED ACCESS; OBSTRUCTION; TRESPASS", "Bond": "DENIED", "Facility": "SECURITY BLOCK 5"}, title="Inmate Search")),
    quiet("a record in the session of a user", None, record(BASE, extra="<p>You will be logged out after 20 minutes of inactivity.</p>")),
    quiet("a session timer in a script", None, record(BASE, head="<script>var msg='Your session has expired. Please log in again.';setTimeout(function(){alert(msg)},1200000);</script>")),
    quiet("a hidden dialog of a lost session", None, record(BASE, extra='<div id="timeoutDialog" style="display:none"><p>Your session is about to expire.</p><button>Stay signed in</button></div>')),
    quiet("a banner of a planned outage", None, record(BASE, extra='<div class="alert">Our website will be down for scheduled maintenance on Saturday, May 4 from 10 pm to 2 am.</div>')),
    quiet("a sign in box on each page", None, record(BASE, extra='<form action="/login" method="post"><label>Sign in</label><input name="u"><input type="password" name="p"><button>Sign in</button></form>')),
    quiet("terms accepted by use", None, record(BASE, extra="<p>DISCLAIMER: By using this site you agree to our terms of use. Information is provided as is.</p>")),
    quiet("a list of rejected bids", None, portal("Bid Tabulation 429", "<h1>Bid Tabulation 429</h1><table><tr><th>Vendor</th><th>Status</th></tr><tr><td>Imperva Paving Inc</td><td>Rejected: request denied</td></tr><tr><td>Akamai Roofing</td><td>Awarded</td></tr><tr><td>Incapsula Foods</td><td>Withdrawn</td></tr></table>")),
    quiet("a street named robot", None, record({**BASE, "Situs": "1 ROBOT CHECK LN", "Owner": "ARE YOU HUMAN FOUNDATION INC"})),
    quiet("json of a parcel that has errors", None, '{"parcel":"403-22","errors":[],"message":"Access granted","status":200,"owner":"DOE JANE"}', content_type="application/json"),
    quiet("json whose code is a use code", None, '{"parcel":"7","code":500,"status":403,"useDescription":"Forbidden Uses Overlay","owner":"DOE"}', content_type="application/json"),
    quiet("no bills for this account", None, portal("Tax Bills", "<h1>Tax Bills</h1><p>No unpaid bills were found for this account.</p>")),
    quiet("a page of the faq on errors", None, portal("FAQ", "<h1>Frequently Asked Questions</h1><h3>Why do I get 'Access Denied'?</h3><p>Your browser may block cookies. Enable cookies and reload.</p><h3>Why 'Too many requests'?</h3><p>We limit searches to 30 a minute so that everybody is served.</p><h3>Why 'Service unavailable'?</h3><p>We back up the system every night at 2 am.</p><h3>Is there a captcha?</h3><p>Only for bulk downloads. Ask the records desk for a copy of the roll.</p>")),
    unread("a record without the wanted field at forbidden plateau", E, record({**BASE, "Situs": "403 FORBIDDEN PLATEAU RD"})),
    unread("a redesigned record behind cloudflare", E, record({"PIN": "403-22", "Titleholder": "DOE JANE"}, head='<script src="/cdn-cgi/scripts/5c5dd728/cloudflare-static/email-decode.min.js"></script>'), server="cloudflare", cf_ray="8a1-MIA"),
    unread("a redesigned record with akamai's script", E, record({"PIN": "403-22", "Titleholder": "DOE JANE"}, head='<script src="/akam/13/5a6b" defer></script>'), set_cookie="_abck=0~-1~; path=/"),
    unread("a redesigned record with a planned outage above it", E, record({"PIN": "403-22", "Titleholder": "DOE JANE"}, extra='<div class="alert">Our website will be down for scheduled maintenance on Saturday, May 4 from 10 pm to 2 am.</div>')),
    unread("a redesigned search with a captcha", E, portal("Property Search", '<h1>Property Search</h1><form action="/go"><input name="owner"><input name="street"><input name="pin"><div class="g-recaptcha"></div><button>Search</button></form>')),
    unread("a redesigned record with a nightly closing above it", E, record({"PIN": "403-22", "Titleholder": "DOE JANE", "Roll": "2024"}, extra="<p>Please note: the site will be unavailable for system maintenance on May 4.</p>")),
    unread("a redesigned record that invites to sign in", E, record({"PIN": "403-22", "Titleholder": "DOE JANE", "Roll": "2024"}, extra="<p>To save this parcel please sign in.</p>")),
    unread("a search form that invites to sign in", E, portal("Property Search", "<h1>Property Search</h1><form action='/go'><input name='owner'><input name='street'><button>Search</button></form><p>Please log in to save searches.</p>")),
    unread("a record with a timer's words, read in vain", E, record({"PIN": "1"}, head="<script>var msg='Your session has expired. Please log in again.';</script>")),
    unread("a record with a denied exemption, read in vain", E, record({"PIN": "1", "Homestead": "DENIED", "Owner": "DOE"})),
    unread("a landing page of a new site", E, portal("Welcome to our new website", "<h1>Welcome to our new website!</h1><p>We have redesigned our site to serve you better. Please update your bookmarks.</p><a href='/new/search'>Start a search</a>")),
    unread("an inspector who was blocked, read in vain", E, record({"Case": "CE-2023-429", "Notes": "Inspector was blocked by a locked gate. Will return Monday."}, title="Code Enforcement Case")),
]  # fmt: skip

BAD_AFIELD: list[Case] = [
    quiet("cloudflare of 2024, just a moment", B, page("Just a moment...", '<noscript><div class="h2"><span id="challenge-error-text">Enable JavaScript and cookies to continue</span></div></noscript><script>(function(){window._cf_chl_opt={cvId:"3",cZone:"tax.example",cType:"managed"};var a=document.createElement("script");a.src="/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray=8a1";document.head.appendChild(a)}());</script>', head='<meta http-equiv="refresh" content="390">')),
    refused("cloudflare of 2024, sorry you have been blocked", B, 403, page("Attention Required! | Cloudflare", '<div id="cf-wrapper"><h1 data-translate="block_headline">Sorry, you have been blocked</h1><h2><span data-translate="unable_to_access">You are unable to access</span> tax.example</h2><p>This website is using a security service to protect itself from online attacks.</p><p>Cloudflare Ray ID: <strong>8a1</strong></p></div>'), server="cloudflare"),
    refused("cloudflare, error 1020", B, 403, page("Access denied | tax.example used Cloudflare to restrict access", "<h1><span>Error</span> <span>1020</span></h1><h2>Access denied</h2><p>This website is using a security service to protect itself from online attacks.</p>"), server="cloudflare"),
    refused("cloudflare, error 1015", R, 429, page("Access denied | tax.example used Cloudflare to restrict access", "<h1>Error 1015</h1><h2>You are being rate limited</h2><p>The owner of this website has banned you temporarily from accessing this website.</p>"), server="cloudflare"),
    refused("cloudflare, error 522", S5, 522, page("tax.example | 522: Connection timed out", "<h1>Connection timed out <span>Error code 522</span></h1><p>Browser Working, Cloudflare Working, Host Error</p>"), server="cloudflare"),
    refused("cloudflare, error 521", S5, 521, page("tax.example | 521: Web server is down", "<h1>Web server is down</h1>"), server="cloudflare"),
    refused("akamai with a reference", B, 403, page("Access Denied", '<h1>Access Denied</h1>You don\'t have permission to access "http&#58;&#47;&#47;tax&#46;example&#47;search" on this server.<p>Reference&#32;&#35;18&#46;2d351ab8&#46;1700000000&#46;a4e16ab<p>https&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18</p>'), server="AkamaiGHost"),
    quiet("imperva in a frame", B, '<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"></head><body style="margin:0px;height:100%"><iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=9&xinfo=1-2-3&incident_id=1-2&edet=12&cinfo=04" frameborder=0 width="100%" height="100%">Request unsuccessful. Incapsula incident ID: 1-2</iframe></body></html>'),
    unread("imperva's error 16", B, page("tax.example", "<h1>Access denied</h1><h2>Error 16</h2><p>tax.example</p><p>This request was blocked by our security service</p><p>Powered by Imperva</p>")),
    refused("datadome's captcha", B, 403, '<html lang="en"><head><title>tax.example</title><style>#cmsg{animation: A 1.5s;}</style></head><body><p id="cmsg">Please enable JS and disable any ad blocker</p><script data-cfasync="false">var dd={"rt":"c","cid":"AHrl","hsh":"2","t":"bv","host":"geo.captcha-delivery.com"}</script><script src="https://ct.captcha-delivery.com/c.js"></script></body></html>', x_datadome="protected"),
    refused("human's press and hold", B, 403, page("Access to this page has been denied", '<div class="px-captcha-container"><div id="px-captcha"></div><p>Press & Hold to confirm you are a human (and not a bot).</p><p>Reference ID 2a-3b</p></div>')),
    refused("aws waf's captcha", B, 405, page("Human Verification", '<script src="https://a1.captcha.awswaf.com/a1/captcha.js"></script><div id="captcha-container"></div>'), x_amzn_waf_action="captcha"),
    quiet("aws waf's challenge", B, page("", '<div id="challenge-container"></div><script src="https://a1.token.awswaf.com/a1/challenge.js"></script>'), status=202, x_amzn_waf_action="challenge"),
    refused("sucuri's website firewall", B, 403, page("Sucuri WebSite Firewall - Access Denied", "<h1>Access Denied - Sucuri Website Firewall</h1><p>If you are the site owner (or you manage this site), please whitelist your IP or if you think this block is an error please open a support ticket.</p><table><tr><td>Block reason:</td><td>Bad bot access attempt.</td></tr></table>"), server="Sucuri/Cloudproxy", x_sucuri_id="11005"),
    refused("kasada's script", B, 429, '<html><head></head><body><script>window.KPSDK={};KPSDK.now=typeof performance!=="undefined"</script><script src="/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39-8ed7-437e-a3be-862e0f06eea3/ips.js?KP_UIDz=0"></script></body></html>', x_kpsdk_ct="0a"),
    refused("f5's support id", B, 403, "<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 1234567890123456789<br><br><a href='javascript:history.back();'>[Go Back]</a></body></html>"),
    quiet("f5's support id at 200", B, "<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 1234567890123456789</body></html>"),
    unread("a fortinet page", B, page("Web Page Blocked!", "<h1>FortiGuard Intrusion Prevention - Access Blocked</h1><p>Web Page Blocked. The page cannot be displayed. Please contact the administrator for additional information.</p><p>Attack ID: 20000051</p>")),
    unread("a captcha in the county's own frame", B, portal("Verification", "<h1>Verification</h1><p>Please complete the captcha to continue to your search.</p><form method='post'><img src='/captcha.ashx'><input type='text' name='captcha'><button>Continue</button></form>")),
    unread("a robot question in words", B, portal("Property Search", "<p>We have detected unusual traffic from your network. Prove that you are not a robot to continue.</p><div class='h-captcha' data-sitekey='x'></div>")),
    unread("a bare too many requests", R, "Too Many Requests"),
    unread("too many requests in the county's frame", R, portal("Property Search", "<h2>Too many requests</h2><p>You have made too many requests. Please wait a few minutes and try again.</p>")),
    refused("too many requests with a wait", R, 429, '{"message":"API rate limit exceeded"}', retry_after="30", content_type="application/json"),
    refused("an api gateway's limit", R, 429, '{"message":"Limit Exceeded"}', content_type="application/json"),
    unread("a limit of searches a day", R, portal("Search", "<p>You have reached the maximum number of searches allowed for today.</p>")),
    refused("a 503 with a wait", R, 503, "Service Unavailable", retry_after="120"),
    unread("a county's nightly maintenance", M, portal("Site Maintenance", "<h1>We'll be right back</h1><p>The property search is unavailable every night between 1:00 am and 3:00 am while the roll is updated.</p>")),
    unread("a notice of sunday", M, portal("Notice", "<p>Tax search is down for maintenance. Please check back Monday morning.</p>")),
    quiet("wordpress, briefly unavailable", M, page("Maintenance", "<p>Briefly unavailable for scheduled maintenance. Check back in a minute.</p>"), status=200),
    refused("a planned maintenance at 503", M, 503, page("Scheduled Maintenance", "<h1>Scheduled Maintenance</h1><p>We are performing scheduled maintenance. We expect to be back by 6 am.</p>")),
    unread("a notice of what will be, and nothing else", M, portal("Notice", "<h1>Notice</h1><p>The site will be unavailable for system maintenance until 6 am.</p>")),
    unread("roll certification weeks", M, portal("Notice", "<h2>System temporarily unavailable</h2><p>The 2024 tax roll is being certified. Values will be available again on October 1.</p>")),
    unread("a yellow page of dot net", S5, page("Runtime Error", "<h1>Server Error in '/PublicAccess' Application.</h1><h2><i>Runtime Error</i></h2><p>An application error occurred on the server.</p>")),
    refused("a bad gateway of nginx", S5, 502, "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx/1.18.0</center></body></html>"),
    unread("a stack trace of java", S5, page("Error", "<pre>java.sql.SQLException: Io exception: The Network Adapter could not establish the connection at oracle.jdbc.driver.T4CConnection.logon</pre>")),
    unread("a critical error of a county", S5, portal("Error", "<h1>Critical Error</h1><p>A critical error has occurred. Please contact the help desk.</p>")),
    unread("an oops page in the county's frame", S5, portal("Error", "<h1>Oops!</h1><p>Something went wrong while processing your request. Please try again later.</p>")),
    unread("a session that ended, in the county's frame", X, portal("Session Expired", "<h1>Session Expired</h1><p>Your session has expired due to inactivity. <a href='/'>Start a new search</a></p>")),
    unread("a timeout page of tyler", X, portal("Timeout", "<p>Your session has timed out. Please return to the search page and begin again.</p>")),
    unread("a disclaimer in place of a record", X, page("Disclaimer", "<h1>Disclaimer</h1><p>The information contained herein is believed accurate but is not warranted. By clicking Agree you accept these terms.</p><form action='Disclaimer.aspx'><input type='submit' id='btAgree' name='btAgree' value='Agree'><input type='submit' name='btNo' value='Disagree'></form>")),
    refused("a lost view state", X, 500, page("Error", "<h1>Server Error in '/' Application.</h1><h2>Validation of viewstate MAC failed. If this application is hosted by a Web Farm or cluster, ensure that machineKey configuration specifies the same validationKey.</h2>")),
    refused("a page expired of laravel", X, 419, page("Page Expired", "<div>419</div><div>Page Expired</div>")),
    unread("a login in place of a record", A, page("Sign In - Example County Online Services", "<h1>Sign In</h1><form method='post'><label>E-mail</label><input name='email'><label>Password</label><input type='password' name='pw'><button>Sign In</button></form>")),
    refused("a 401 of basic login", A, 401, page("401 Unauthorized", "<h1>Unauthorized</h1><p>This server could not verify that you are authorized to access the document requested.</p>"), www_authenticate='Basic realm="records"'),
    unread("members only", A, portal("Document Viewer", "<h1>Document Viewer</h1><p>You need to be logged in to view documents. <a href='/login'>Log in</a> or <a href='/join'>create an account</a>.</p>")),
    unread("please sign in to see this", A, portal("Account", "<p>You must be logged in to view this page.</p>")),
    refused("a bare 403 of nginx", F, 403, "<html><head><title>403 Forbidden</title></head><body><center><h1>403 Forbidden</h1></center><hr><center>nginx</center></body></html>"),
    refused("a bare 403 of apache", F, 403, '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN"><html><head><title>403 Forbidden</title></head><body><h1>Forbidden</h1><p>You don\'t have permission to access this resource.</p></body></html>'),
    refused("a bare 403 of iis", F, 403, page("403 - Forbidden: Access is denied.", "<h1>Server Error</h1><h2>403 - Forbidden: Access is denied.</h2><h3>You do not have permission to view this directory or page using the credentials that you supplied.</h3>")),
    refused("a 404 of a moved site", Kind.HTTP_STATUS, 404, portal("Page Not Found", "<h1>Page Not Found</h1><p>The page you are looking for has been moved.</p>")),
    unread("a soft 404", Kind.HTTP_STATUS, portal("404 - Page Not Found", "<h1>Page Not Found</h1><p>Sorry, we could not find that page.</p>")),
    refused("legal reasons", Kind.DENIED, 451, page("451", "<h1>Unavailable For Legal Reasons</h1>")),
]  # fmt: skip

AFIELD: list[Case] = [*GOOD_AFIELD, *BAD_AFIELD]
