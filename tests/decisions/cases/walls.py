# ruff: noqa: E501 - the lines of a page stand as they come
"""Walls: block and challenge pages of the usual defences, as they come with and without a status of their own."""

from decisions.cases.case import Case, page, quiet, refused, unread
from scrapeyard.model.failures import Kind

B = Kind.BLOCKED

CF_WAIT = page(
    "Just a moment...",
    '<div class="main-wrapper"><noscript><h2>Enable JavaScript and cookies to continue</h2></noscript></div>'
    "<script>(function(){window._cf_chl_opt={cvId:'3',cZone:'records.county.example',cType:'managed'};"
    "var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8f';"
    "document.getElementsByTagName('head')[0].appendChild(a);}());</script>",
)
CF_WAIT_IN_GERMAN = CF_WAIT.replace("Just a moment...", "Nur einen Moment…")
CF_OLD = page(
    "Please wait",
    '<form id="challenge-form" action="/?__cf_chl_jschl_tk__=ab"><input type="hidden" name="jschl_vc" value="1">'
    '<input type="hidden" name="jschl_answer"></form><p>Checking your browser before accessing the site.</p>',
)
CF_BLOCK = page(
    "Attention Required! | Cloudflare",
    '<div id="cf-error-details"><h1>Sorry, you have been blocked</h1><h2>You are unable to access county.example</h2>'
    "<p>Cloudflare Ray ID: <strong>8f2</strong></p></div>",
)
CF_1020 = page(
    "Access denied | records.county.example used Cloudflare to restrict access",
    '<div id="cf-error-details"><h1>Error <span>1020</span></h1><h2>Access denied</h2></div>',
)
CLOUDFLARE = [
    quiet("cloudflare says so in a header", B, "", cf_mitigated="challenge"),
    refused("cloudflare challenge with its header", B, 403, CF_WAIT, cf_mitigated="challenge", server="cloudflare"),
    quiet("cloudflare challenge at 200", B, CF_WAIT),
    unread("cloudflare challenge read in vain", B, CF_WAIT),
    quiet("cloudflare challenge in another language", B, CF_WAIT_IN_GERMAN),
    refused("cloudflare challenge at 503", B, 503, CF_OLD, server="cloudflare"),
    quiet("cloudflare's old challenge", B, CF_OLD),
    refused("cloudflare block page", B, 403, CF_BLOCK, cf_ray="8f2"),
    quiet("cloudflare block page at 200", B, CF_BLOCK),
    refused("cloudflare firewall rule", B, 403, CF_1020),
    refused("cloudflare firewall rule as plain text", B, 403, "error code: 1020", server="cloudflare"),
    refused("cloudflare bans the address", B, 403, "error code: 1006", server="cloudflare"),
    unread(
        "turnstile before the page",
        B,
        page("Security check", '<h1>Security check</h1><div class="cf-turnstile"></div>'),
    ),
]

AKAMAI_DENIED = (
    "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access Denied</H1>\n \nYou don't have permission to "
    'access "http&#58;&#47;&#47;county&#46;example" on this server.<P>\nReference&#32;&#35;18&#46;cafe&#46;15&#46;1a\n</BODY>\n</HTML>'
)
AKAMAI_WAIT = page(
    "Challenge Validation",
    '<div id="sec-if-cpt-container"></div><script>var chlg={"sec-cp-challenge":"true","provider":"crypto"};</script>',
)
AKAMAI_VERIFY = (
    '<html><head><meta http-equiv="refresh" content="5; URL=\'/parcel?bm-verify=AAQAAAAJ\'" /></head>'
    "<body><script>var i=17;var j=i+Number('4'+'2');</script></body></html>"
)
AKAMAI = [
    refused("akamai denies", B, 403, AKAMAI_DENIED, server="AkamaiGHost"),
    quiet("akamai denies at 200", B, AKAMAI_DENIED),
    refused(
        "akamai denies at its own host", B, 403, AKAMAI_DENIED.replace("on this", "https://errors.edgesuite.net/18.x")
    ),
    quiet("akamai crypto challenge", B, AKAMAI_WAIT),
    refused("akamai crypto challenge at 428", B, 428, AKAMAI_WAIT),
    quiet("akamai's verifying refresh", B, AKAMAI_VERIFY),
    unread("akamai's verifying refresh read in vain", B, AKAMAI_VERIFY),
]

INCAP_FRAME = (
    '<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"></head><body style="margin:0px">'
    '<iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=5&xinfo=9-1&incident_id=77" frameborder=0>'
    "Request unsuccessful. Incapsula incident ID: 77-1</iframe></body></html>"
)
INCAP_SCRIPT = (
    '<html><head><META NAME="robots" CONTENT="noindex,nofollow"><script src="/_Incapsula_Resource?SWJIYLWA=5074a7">'
    "</script></head><body></body></html>"
)
IMPERVA_BODY = page(
    "Pardon Our Interruption",
    "<h1>Pardon Our Interruption</h1><p>As you were browsing something about your browser made us think you were a bot.</p>"
    '<script>var interstitial="/x?reese84"</script>',
)
DISTIL = page(
    "Verification",
    '<div id="distilIdentificationBlock"></div><form id="distilCaptchaForm"><div id="distil_r_captcha"></div></form>',
)
IMPERVA = [
    refused("incapsula incident", B, 403, INCAP_FRAME, x_iinfo="9-1-2", x_cdn="Incapsula"),
    quiet("incapsula incident at 200", B, INCAP_FRAME),
    quiet("incapsula's bare script", B, INCAP_SCRIPT),
    unread("incapsula's bare script read in vain", B, INCAP_SCRIPT, x_iinfo="3-1"),
    refused("incapsula refuses without a word", B, 403, "", x_iinfo="9-1-2 PNNN RT"),
    quiet("imperva asks for pardon", B, IMPERVA_BODY),
    refused("imperva asks for pardon at 405", B, 405, IMPERVA_BODY),
    quiet("distil's captcha", B, DISTIL),
    unread("distil's captcha read in vain", B, DISTIL),
]

DD_PAGE = page(
    "county.example",
    "<script>var dd={'rt':'c','cid':'AHrlq','hsh':'2F','t':'bv','host':'geo.captcha-delivery.com'}</script>"
    '<script src="https://ct.captcha-delivery.com/c.js"></script>',
)
DD_FRAME = page(
    "county.example", '<iframe src="https://geo.captcha-delivery.com/captcha/?initialCid=AHr&hash=2F"></iframe>'
)
DATADOME = [
    refused("datadome challenge", B, 403, DD_PAGE, x_datadome="protected", x_dd_b="1"),
    quiet("datadome challenge at 200", B, DD_PAGE),
    quiet("datadome captcha frame", B, DD_FRAME),
    quiet("datadome says so in a header", B, "", x_dd_b="2"),
    refused("datadome answers a program", B, 403, '{"url":"https://geo.captcha-delivery.com/captcha/?initialCid=A"}'),
    refused("datadome with its header only", B, 403, "", x_datadome="protected"),
]

PX_PAGE = page(
    "Access to this page has been denied",
    '<h1>Press &amp; Hold to confirm you are a human (and not a bot).</h1><div id="px-captcha"></div>'
    "<script>window._pxAppId='PXab12';window._pxJsClientSrc='/ab12/init.js';</script><p>Reference ID 77</p>",
)
PX_PLAIN = page("Robot or human?", '<h1>Robot or human?</h1><div id="px-captcha" role="main"></div>')
PX_JSON = (
    '{"appId":"PXab12","jsClientSrc":"/ab12/init.js","vid":"","uuid":"7","blockScript":"/ab12/captcha/captcha.js"}'
)
PERIMETERX = [
    refused("perimeterx press and hold", B, 403, PX_PAGE),
    quiet("perimeterx press and hold at 200", B, PX_PAGE),
    quiet("perimeterx under the shop's own title", B, PX_PLAIN),
    refused("perimeterx answers a program", B, 403, PX_JSON),
    refused("perimeterx answers with 429", B, 429, PX_PAGE),
    quiet(
        "perimeterx by title only", B, page("Access to this page has been denied.", "<p>You look like a script.</p>")
    ),
]

WAF_SCRIPT = (
    '<!DOCTYPE html><html><head><title></title><script src="https://ab.token.awswaf.com/ab/challenge.js"></script></head>'
    '<body><div id="challenge-container"></div><script>AwsWafIntegration.checkForceRefresh();window.gokuProps={};</script></body></html>'
)
WAF_CAPTCHA = page(
    "Human Verification",
    '<div id="captcha-container"></div><script src="https://ab.captcha.awswaf.com/captcha.js"></script>',
)
CLOUDFRONT = page(
    "ERROR: The request could not be satisfied",
    "<H1>403 ERROR</H1><H2>The request could not be satisfied.</H2><HR>Request blocked. We can't connect to the server for "
    "this app or website at this time.<PRE>Generated by cloudfront (CloudFront) Request ID: Zz9</PRE>",
)
AWS = [
    quiet("aws waf challenge at 202", B, WAF_SCRIPT, 202, x_amzn_waf_action="challenge"),
    quiet("aws waf challenge without its header", B, WAF_SCRIPT, 202),
    unread("aws waf challenge at 202 read in vain", B, "<html><body></body></html>", 202),
    refused("aws waf captcha at 405", B, 405, WAF_CAPTCHA, x_amzn_waf_action="captcha"),
    refused("aws waf captcha without its header", B, 405, WAF_CAPTCHA),
    refused("cloudfront blocks", B, 403, CLOUDFRONT, x_cache="Error from cloudfront"),
]

SUCURI_SCRIPT = (
    "<html><title>You are being redirected...</title><noscript>Javascript is required.</noscript>"
    "<script>var s={},u,c,U,r,i,l=0,a,e=eval,sucuri_cloudproxy_js='',S='abc';</script></html>"
)
SUCURI_BLOCK = page(
    "Sucuri WebSite Firewall - Access Denied",
    "<h1>Access Denied - Sucuri Website Firewall</h1><p>Block ID: EXP001</p>",
)
SUCURI = [
    quiet("sucuri's script", B, SUCURI_SCRIPT),
    unread("sucuri's script read in vain", B, SUCURI_SCRIPT, x_sucuri_id="11"),
    refused("sucuri's script at 307", B, 403, SUCURI_SCRIPT),
    refused("sucuri denies", B, 403, SUCURI_BLOCK, x_sucuri_block="EXP001"),
    quiet("sucuri denies at 200", B, SUCURI_BLOCK),
]

KASADA_PAGE = (
    "<html><head></head><body><script>window.KPSDK={};KPSDK.now=Date.now;KPSDK.start=KPSDK.now();</script>"
    '<script src="/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39-8ed7-437e-a3be-862e0f06eea3/ips.js"></script></body></html>'
)
KASADA = [
    refused("kasada answers 429 with its script", B, 429, KASADA_PAGE, x_kpsdk_ct="0abc"),
    quiet("kasada's script at 200", B, KASADA_PAGE),
    refused("kasada answers 429 with a header only", B, 429, "", x_kpsdk_ct="0abc"),
]

F5 = (
    "<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with your "
    "administrator.<br><br>Your support ID is: 1234567890<br></body></html>"
)
WORDFENCE = page(
    "Your access to this site has been limited",
    "<h1>Your access to this site has been limited by the site owner</h1><p>Generated by Wordfence at noon.</p>",
)
ANUBIS = page("Making sure you're not a bot!", '<script id="anubis_challenge" type="application/json">{}</script>')
SITEGROUND = '<html><head><meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F"></meta></head></html>'
RADWARE = page("Radware Bot Manager Captcha", '<form action="https://validate.perfdrive.com/captcha"></form>')
MODSEC = page("Not Acceptable!", "<h1>Not Acceptable!</h1><p>This error was generated by Mod_Security.</p>")
OTHERS = [
    quiet("f5 rejects at 200", B, F5),
    unread("f5 rejects, read in vain", B, F5),
    refused("wordfence limits at 503", B, 503, WORDFENCE, retry_after="3600"),
    quiet("wordfence limits at 200", B, WORDFENCE),
    quiet("anubis", B, ANUBIS),
    quiet("siteground captcha at 202", B, SITEGROUND, 202),
    unread("siteground captcha read in vain", B, SITEGROUND, 202),
    quiet("radware captcha", B, RADWARE),
    refused("mod_security", B, 406, MODSEC),
    quiet("vercel challenges", B, "", x_vercel_mitigated="challenge"),
    refused("vercel checkpoint", B, 429, page("Vercel Security Checkpoint", "<p>We're verifying your browser</p>")),
    refused("ddos-guard", B, 403, page("DDoS-Guard", "<h1>Checking your browser before accessing county.example</h1>")),
    refused("imunify360", B, 403, page("Captcha", "<p>Protected by Imunify360 bot-protection.</p>")),
    refused(
        "azure front door", B, 403, page("Service unavailable", "<h2>The request is blocked.</h2>"), x_azure_ref="2024"
    ),
]

CAPTCHA_PLAIN = page(
    "Verification required",
    '<h1>Please verify you are human</h1><form method="post"><div class="g-recaptcha" data-sitekey="6L"></div>'
    '<input type="submit" value="Continue"></form>',
)
CAPTCHA_PICTURE = page(
    "Robot Check",
    "<h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure you're not a robot.</p>"
    '<form action="/errors/validateCaptcha"><img src="/captcha/Captcha_x.jpg"><input id="captchacharacters"></form>',
)
CAPTCHA_COUNTY = page(
    "Property Search",
    '<h2>Are you a human?</h2><p>Our site has seen unusual traffic. Solve the captcha to go on.</p><img src="captcha.ashx">'
    '<input name="answer"><button>Go</button>',
)
UNUSUAL = page(
    "Sorry",
    "<p>Our systems have detected unusual traffic from your computer network. This page checks if it's really you "
    "sending the requests, and not a robot.</p><div class='h-captcha'></div>",
)
PLAIN = [
    quiet("plain captcha", B, CAPTCHA_PLAIN),
    unread("plain captcha read in vain", B, CAPTCHA_PLAIN),
    quiet("captcha of letters", B, CAPTCHA_PICTURE),
    refused("captcha of letters at 503", B, 503, CAPTCHA_PICTURE),
    unread("county's own captcha", B, CAPTCHA_COUNTY),
    quiet("unusual traffic", B, UNUSUAL),
    unread(
        "widget alone on an empty page",
        B,
        page("County", '<form><div class="h-captcha" data-sitekey="1"></div></form>'),
    ),
    unread(
        "funcaptcha alone",
        B,
        page("", '<script src="https://client-api.arkoselabs.com/v2/api.js"></script><p>Verify</p>'),
    ),
    unread(
        "automated access", B, page("Notice", "<p>Automated access to this site was detected and is not permitted.</p>")
    ),
    unread("bots are told in plain text", B, "Your IP address has been blocked. Contact webmaster@county.example."),
    refused("access denied in plain text", B, 403, "Bot detected. Access denied."),
]

WALLS: list[Case] = [
    *CLOUDFLARE, *AKAMAI, *IMPERVA, *DATADOME, *PERIMETERX, *AWS, *SUCURI, *KASADA, *OTHERS, *PLAIN,
]  # fmt: skip
