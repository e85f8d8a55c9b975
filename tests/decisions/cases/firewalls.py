# ruff: noqa: E501 - the lines of a page stand as they come
"""Walls of web application firewalls, of hosts' own defences and of content networks, as public offices have them."""

from decisions.cases.case import Case, page, quiet, refused, unread
from scrapeyard.model.failures import Kind

B = Kind.BLOCKED

F5_SCRIPT = (
    '<html><head><meta http-equiv="Pragma" content="no-cache"/><script>window["bobcmn"]="1011111";</script>'
    '<script src="/TSPD/08ab?type=9"></script></head><body><noscript>Please enable JavaScript to view the page content.'
    "<br/>Your support ID is: 0123456789.</noscript></body></html>"
)
F5_ENGLISH = page("Request Rejected", "<p>Your request was stopped.</p><p>Your support ID is: 77123</p>")
SECURESPHERE = page(
    "Error",
    "<H2>Error</H2><table summary='Error'><tr><td>Error</td></tr><tr><td>This page can't be displayed. Contact support for "
    "additional information.<br>The incident ID is: N/A.</td></tr></table>",
)
IMPERVA_15 = page(
    "Access to this site is restricted",
    "<h1>Error 15</h1><p>This request was blocked by our security service.</p><p>Incident ID: 77-1</p><p>Powered by Imperva</p>",
)
APPLIANCES = [
    quiet("f5 wants a script to run", B, F5_SCRIPT),
    quiet("f5 wants a script to run without a word", B, '<html><head><script>window["bobcmn"]="10";</script></head><body></body></html>'),
    unread("f5 wants a script to run, read in vain", B, F5_SCRIPT),
    refused("f5 rejects in an office's own words", B, 403, F5_ENGLISH),
    unread("f5 rejects at 200 in an office's own words", B, F5_ENGLISH),
    quiet("imperva's appliance at 200", B, SECURESPHERE),
    unread("imperva's appliance at 200, read in vain", B, SECURESPHERE),
    refused("imperva's appliance at 403", B, 403, SECURESPHERE),
    refused("imperva error 15", B, 403, IMPERVA_15),
    unread("imperva error 15 at 200", B, IMPERVA_15),
    refused("barracuda", B, 403, page("Barracuda", "<p>Please tell us what you were doing when this page occurred and the event ID found at the bottom of the page.</p><p>Event ID: 17</p>")),
    quiet("fortiweb at 200", B, page("Web Page Blocked!", "<h1>Web Page Blocked!</h1><p>The page cannot be displayed. Please contact the administrator for additional information.</p><p>Attack ID: 20000051 Message ID: 0012</p>")),
    refused("fortiweb at 500", B, 500, page("Blocked", "<h3>Web Page Blocked!</h3><p>URL: county.example/find Client IP: 192.0.2.7 Attack ID: 20000008</p>")),
    refused("fortigate's intrusion prevention", B, 403, page("Attack Detected", "<h1>FortiGate Intrusion Prevention - Access Blocked</h1>")),
    refused("netscaler", B, 403, page("Application Firewall Block Page", "<p>The request violates the policy. NS Transaction Id: 77 AppFW Session ID: ab</p>")),
    unread("netscaler at 200", B, page("County", "<p>Request blocked. NS Transaction ID: 77 AppFW Session ID: ab AppFW Profile: prod</p>")),
    refused("watchguard", B, 403, page("Denied", "<h2>Request denied by WatchGuard Firewall.</h2><p>Reason: rate</p>")),
    refused("sonicwall", B, 403, page("Web Site Blocked", "<p>This request is blocked by the SonicWALL.</p>")),
    refused("palo alto", B, 503, page("Web Page Blocked", "<h1>Web Page Blocked</h1><p>Access to the web page you were trying to visit has been blocked in accordance with policy.</p>")),
    refused("radware's appliance", B, 403, page("Unauthorized Request Blocked", "<h1>Unauthorized Activity Has Been Detected</h1><p>Case Number: 7</p>")),
    unread("radware's captcha under the county's title", B, page("County", '<p>You reached this page when trying to access county.example. Please solve this CAPTCHA to request unblock.</p><script src="https://captcha.perfdrive.com/c.js"></script>')),
    refused("mod_security with a rule", B, 403, page("ModSecurity Action", "<p>Access denied with code 403 by ModSecurity.</p>")),
    refused("406 of a host's rules", B, 406, page("406 Security Incident Detected", "<h1>406 Security Incident Detected</h1><p>Your request was blocked for security reasons.</p>")),
    refused("naxsi", B, 403, page("Blocked", "<p>This request has been blocked by NAXSI.</p>")),
    refused("webknight", B, 999, page("WebKnight", "<h1>WebKnight Application Firewall Alert</h1>")),
    unread("an office's own filter", B, page("County of Example", "<p>Your request has been blocked by the county's web application firewall. Reference number: 1-77.</p>")),
    refused("an office's own filter at 403", B, 403, page("Forbidden", "<p>For security reasons this request was stopped by our firewall. Incident 12.</p>")),
    refused("a request by a robot is not wanted", B, 403, page("Forbidden", "<p>We do not allow bots or scrapers on this site.</p>")),
    refused("an address is on a list", B, 403, page("Forbidden", "<p>Your IP address (192.0.2.7) is on a list of blocked networks.</p>")),
    refused("a teapot", B, 418),
    refused("a status that nobody knows", B, 999),
    unread("denied in plain text", B, "Access denied."),
    unread("denied under a heading", B, page("Records", "<h1>Access is denied</h1><p>Contact the office.</p>")),
]  # fmt: skip

AZURE_GATE = "<html><head><title>403 Forbidden</title></head><body><center><h1>403 Forbidden</h1></center><hr><center>Microsoft-Azure-Application-Gateway/v2</center></body></html>"
FASTLY = page(
    "Client Challenge",
    "<noscript>JavaScript is disabled in your browser. Please enable JavaScript to proceed.</noscript>"
    "<p>A required part of this site couldn't load.</p>",
    head='<link rel="stylesheet" href="/_fs-ch-77aa/assets/styles.css">',
)
NETWORKS = [
    refused("azure's gateway", B, 403, AZURE_GATE, server="Microsoft-Azure-Application-Gateway/v2"),
    quiet("azure front door at 200", B, page("Request blocked", '<h2>The request is blocked.</h2><div id="errorref">0Zz9ref</div>'), x_azure_ref="2024"),
    quiet("azure's challenge", B, page("Azure WAF", "<p>Please wait while we are verifying your browser.</p><script src='/.azwaf/challenge.js'></script>")),
    refused("cloudfront blocks a country", B, 403, page("ERROR: The request could not be satisfied", "<h1>403 ERROR</h1><p>The Amazon CloudFront distribution is configured to block access from your country.</p><pre>Generated by cloudfront (CloudFront)</pre>")),
    quiet("fastly's challenge", B, FASTLY),
    unread("fastly's challenge read in vain", B, FASTLY),
    refused("cloudflare bans a signature", B, 403, page("Access denied", "<div id='cf-error-details'><h1>Error 1010</h1><p>The owner of this website has banned your access based on your browser's signature.</p></div>")),
    refused("cloudflare bans a country", B, 403, page("Access denied", "<div class='cf-wrapper'><h1>Error 1009</h1><p>The owner of this website has banned the country or region your IP address is in from accessing this website.</p></div>")),
    quiet("cloudflare's captcha of old", B, page("Please Wait... | Cloudflare", "<h1>One more step</h1><p>Please complete the security check to access county.example</p><form class='challenge-form'><div class='h-captcha'></div></form>")),
    unread("cloudflare waits, its title rewritten", B, page("County Assessor", "<h1>county.example</h1><h2>Verifying you are human. This may take a few seconds.</h2><p>county.example needs to review the security of your connection before proceeding.</p>")),
    refused("akamai without a title", B, 403, "<h1>Access Denied</h1> You don't have permission to access \"http://county.example/\" on this server. Reference #18.4f2c1602.1"),
    unread("akamai's challenge by its path", B, page("", '<script src="/_sec/cp_challenge/ak-challenge-4-3.htm"></script>')),
    unread("reblaze's challenge", B, '<html><body><script>;;window.rbzns={bereshit:"1",seed:"ab"};winsocks();</script></body></html>', 247),
    quiet("reblaze's challenge at 200", B, '<html><body><script>window.rbzns={seed:"ab"};winsocks();</script></body></html>'),
    unread("stackpath", B, page("StackPath", "<p>This website is using a security service to protect itself from online attacks. The service requires full JavaScript support in order to view this website.</p>")),
    refused("aliyun at 405", B, 405, page("405", "<p>Sorry, your request has been blocked as it may cause potential threats to the server's security.</p><script src='https://errors.aliyun.com/e.js'></script>")),
    quiet("vercel's checkpoint at 200", B, page("Vercel Security Checkpoint", "<p>We're verifying your browser</p>")),
    unread("a network's own page", B, page("Verifying your connection...", "<p>Please stand by, while we are checking your browser...</p>")),
    unread("human's button, without its usual frame", B, page("Shop", "<p>Press &amp; Hold to confirm you are a human.</p>")),
    unread("datadome's words alone", B, page("county.example", "<p>Please enable JS and disable any ad blocker</p>")),
    unread("akamai's sensor in place of everything", B, page("Shrine of records", '<script>bmak.sensor_data = "t";</script>'), set_cookie="_abck=a~0~"),
    quiet("human's json in a page of their own", B, '{"appId":"PXab12","jsClientSrc":"/ab/init.js","firstPartyEnabled":true,"blockScript":"/ab/captcha.js","altBlockScript":"https://captcha.px-cdn.net/PX/c.js"}'),
    refused("reddit's way", B, 403, page("Blocked", "<h1>whoa there</h1><p>You've been blocked by network security. To continue, log in or use your developer token.</p>")),
    unread("reddit's way at 200", B, page("", "<p>You've been blocked by network security.</p>")),
]  # fmt: skip

ONE_MOMENT = page(
    "One moment, please...",
    "<h1>Please wait while your request is being verified...</h1><form id='wsidchk-form' method='post'><input type='hidden' name='wsidchk'></form>",
)
HOSTS = [
    quiet("a host's moment", B, ONE_MOMENT),
    unread("a host's moment read in vain", B, ONE_MOMENT, 202),
    quiet("litespeed's captcha", B, page("Bot Verification", "<h2>Verifying that you are not a robot...</h2><div class='g-recaptcha'></div>")),
    refused("ninjafirewall", B, 403, page("NinjaFirewall: 403 Forbidden", "<p>Sorry, your request cannot be processed. For security reasons, it was blocked and logged.</p>")),
    refused("shield of wordpress", B, 403, page("Access", "<p>You were blocked by the Shield. Something in the request looks malicious.</p>")),
    refused("bitninja", B, 403, page("Waiting for the redirectiron...", "<h1>Security check by BitNinja.IO</h1>")),
    refused("crowdsec", B, 403, page("CrowdSec Access Forbidden", "<h1>Access Forbidden</h1><p>You are unable to visit the website. This security check has been powered by CrowdSec</p>")),
    refused("comodo", B, 403, page("Access Denied - Protected by COMODO WAF", "<p>Protected by COMODO WAF</p>")),
    refused("sitelock", B, 403, page("SiteLock", "<p>This site is protected by SiteLock and your visit looks automated.</p>")),
    refused("godaddy's firewall", B, 403, page("GoDaddy Security - Access Denied", "<h1>Access Denied - GoDaddy Website Firewall</h1>")),
    quiet("sucuri's screen at 200", B, page("Sucuri WebSite Firewall - CloudProxy - Access Denied", "<h1>Access Denied</h1>")),
    refused("wordfence's technical notes", B, 503, page("Your access to this site has been limited by the site owner", "<h2>Block Technical Data</h2><p>Block Reason: Exceeded the maximum number of requests per minute for crawlers.</p>")),
    refused("wordfence calls it unsafe", B, 403, page("403 Forbidden", "<p>A potentially unsafe operation has been detected in your request to this site.</p><p>Generated by Wordfence</p>")),
    unread("a hosting panel's challenge", B, page("Loading...", "<p>Checking your browser - please wait</p><script>document.cookie='__test=1'</script>")),
]  # fmt: skip

CAPTCHAS = [
    quiet("a captcha's form and nothing else", B, page("https://county.example/", '<form id="captcha-form" method="post"><div class="g-recaptcha" data-sitekey="k"></div></form>')),
    quiet("verify, says the title", B, page("Verify you are human", '<script src="https://x-api.arkoselabs.com/v2/enforcement.js"></script>')),
    quiet("hcaptcha under a telling title", B, page("Verify you are human", '<div class="h-captcha"></div>')),
    unread("a puzzle to slide", B, page("Security Verification", '<p>Slide right to complete the puzzle.</p><div id="geetest_1" class="geetest"></div>')),
    unread("tencent's captcha", B, page("Check", '<div id="TencentCaptcha"></div><script src="https://turing.captcha.qcloud.com/TCaptcha.js"></script>')),
    unread("are you a robot", B, page("Are you a robot?", "<h2>We've detected unusual activity from your computer network</h2><p>To continue, please click the box below to let us know you're not a robot.</p>")),
    quiet("press and hold", B, page("Before we continue...", "<p>Press &amp; Hold to confirm you are a human (and not a bot).</p><div id='px-captcha'></div>")),
    unread("numbers in a picture", B, page("Property search", '<p>Please enter the code shown in the image to continue.</p><img src="CaptchaImage.aspx?id=1"><input name="code"><input type="submit">')),
    refused("a captcha at 403 in plain words", B, 403, page("Forbidden", "<p>Please complete the captcha to go on.</p>")),
]  # fmt: skip

FIREWALLS: list[Case] = [*APPLIANCES, *NETWORKS, *HOSTS, *CAPTCHAS]
