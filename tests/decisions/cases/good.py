# ruff: noqa: E501 - the lines of a page stand as they come
"""Ordinary pages that carry the names, cookies, widgets and words of defences. Calling one of them a wall costs money."""

from decisions.cases.case import Case, long, page, parcel, quiet

CSP = "script-src 'self' https://www.google.com/recaptcha/ https://geo.captcha-delivery.com https://challenges.cloudflare.com"
FIELDS = '<input name="name"><input type="email" name="email"><textarea name="text"></textarea>'
SHORT = page("Parcel 7", "<h1>Parcel 7</h1><p>Owner: J. DOE</p>")

GOOD: list[Case] = [
    quiet("a parcel page", None, parcel()),
    quiet("a short parcel page", None, SHORT),
    quiet("a captcha in a contact form", None, page("Contact us", f'<form>{FIELDS}<div class="g-recaptcha"></div></form>')),
    quiet("a contact form that asks to verify", None,
          page("Contact", f'<form>{FIELDS}<label>Please verify you are human</label><div class="g-recaptcha"></div></form>')),
    quiet("turnstile in a comment form", None, parcel(f'<form>{FIELDS}<div class="cf-turnstile"></div></form>')),
    quiet("hcaptcha beside a short record", None, page("Parcel", SHORT + f'<form>{FIELDS}<div class="h-captcha"></div></form>')),
    quiet("akamai's cookie", None, SHORT, set_cookie="_abck=77~-1~YAAQ; Path=/", akamai_grn="0.ab"),
    quiet("akamai's sensor script", None, parcel("<script>bmak.startTs=1;</script>")),
    quiet("a policy that names captcha hosts", None, SHORT, content_security_policy=CSP),
    quiet("cloudflare's headers", None, SHORT, server="cloudflare", cf_ray="8f", cf_cache_status="DYNAMIC"),
    quiet("cloudflare's script for every page", None,
          parcel("<script>window.__CF$cv$params={r:'8f'};a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'</script>")),
    quiet("cloudflare's mail shield", None, parcel('<a href="/cdn-cgi/l/email-protection">[email protected]</a>')),
    quiet("incapsula's script on a good page", None, parcel('<script src="/_Incapsula_Resource?SWJIYLWA=719d"></script>')),
    quiet("incapsula's cookies", None, SHORT, set_cookie="visid_incap_1=a; incap_ses_2=b; reese84=c", x_iinfo="9-1", x_cdn="Incapsula"),
    quiet("datadome's tag", None, parcel('<script src="https://js.datadome.co/tags.js"></script>'), x_datadome="protected"),
    quiet("datadome's cookie", None, SHORT, set_cookie="datadome=ab; Path=/"),
    quiet("perimeterx's tag", None, parcel("<script>window._pxAppId='PXab12';</script>"), set_cookie="_px3=1; _pxhd=2"),
    quiet("aws waf's token", None, parcel('<script src="https://ab.token.awswaf.com/challenge.js"></script>'), set_cookie="aws-waf-token=1"),
    quiet("sucuri's headers", None, SHORT, x_sucuri_id="11005", x_sucuri_cache="HIT", server="Sucuri/Cloudproxy"),
    quiet("kasada's header", None, SHORT, x_kpsdk_ct="0ab"),
    quiet("a road department", None, page("Road Maintenance | County", "<h1>Road Maintenance</h1>" + long(times=20))),
    quiet("a maintenance district on a bill", None, parcel("<p>Special assessment: Landscape Maintenance District 4, $112.00</p>")),
    quiet("a notice of coming maintenance", None, parcel('<div class="alert">Scheduled maintenance on Sunday from 2 am.</div>')),
    quiet("a parcel named for access", None, page("Access Denied Road 12", SHORT)),
    quiet("a page about captchas", None, page("Help", "<h1>Help</h1><p>Why is there a captcha?</p>" + long(times=40))),
    quiet("frequent questions", None, page("Questions", "<p>What does 'Too many requests' mean?</p>" + long(times=40))),
    quiet("a long page that names everything", None,
          page("Security", long(times=900) + '<div id="px-captcha">verify you are human captcha incapsula incident id</div>')),
    quiet("a login box in the header", None, parcel('<form><input type="password" name="p"><button>Log in</button></form>')),
    quiet("session words in a script", None, parcel("<script>var warn='Your session has expired';</script>")),
    quiet("no records", None, page("Results", "<h1>Search results</h1><p>No records found.</p>")),
    quiet("a record in json", None, '{"parcel":"7","owner":"J. DOE","note":"captcha"}', content_type="application/json"),
    quiet("an owner with a telling name", None, page("Parcel 9", "<h1>Parcel 9</h1><p>Owner: CLOUDFLARE INC</p><p>Zone: 429</p>")),
    quiet("a bill about an error", None, parcel("<p>Corrected for a runtime error in the 2019 roll; request blocked by clerk.</p>")),
    quiet("a page made by a script", None, page("Parcel viewer", '<div id="root"></div><script src="/app.js"></script>')),
    quiet("a frame set", None, "<html><head><title>Search</title></head><frameset><frame src='a.asp'></frameset></html>"),
    quiet("an empty answer", None, ""),
    quiet("a redirecting script of the county", None,
          "<html><head><title>Redirecting</title><script>location.href='/detail?id=7'</script></head></html>"),
    quiet("a pdf", None, "%PDF-1.7 captcha access denied", content_type="application/pdf"),
    quiet("accepted at 202", None, page("Search", "<p>Your search is queued.</p>"), 202),
    quiet("a tax page of a company under attack", None, parcel("<p>Owner: JUST A MOMENT... LLC</p>")),
]  # fmt: skip
