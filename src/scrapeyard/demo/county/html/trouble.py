"""What a county shows when it does not show the parcel: walls, notices, error pages.

The walls carry the marks that walls have (a challenge form, a reference number, a captcha box), in words of our own.
"""

BLOCKED = (
    """<!DOCTYPE html>
<html lang="en"><head><title>Just a moment...</title>
<meta name="robots" content="noindex,nofollow"><meta http-equiv="refresh" content="12">
<style>body{{font-family:Arial,sans-serif;margin:12% auto;max-width:560px}}.spin{{height:8px;background:#ddd}}</style>
</head><body><h1>Checking your browser before you enter</h1>
<p>This takes a few seconds and happens by itself. Your browser needs JavaScript and cookies switched on.</p>
<div class="spin"></div>
<form id="challenge-form" action="/_gate/verify?ray={mark}" method="POST">
<input type="hidden" name="answer" value=""><input type="hidden" name="token" value="{mark}{mark}"></form>
<noscript>Please enable JavaScript to continue.</noscript>
<script>(function(){{var t=0;setInterval(function(){{t+=1;if(t>4){{
document.getElementById('challenge-form').submit();}}}},1000);}}());</script>
<p>Ray ID: {mark}</p></body></html>
""",
    """<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY>
<H1>Access Denied</H1>
You have no permission to open this page on this server.<P>
Reference #18.{mark}.1714060800</P></BODY></HTML>
""",
    """<!DOCTYPE html>
<html><head><title>Please verify you are a human</title><script src="/_gate/captcha.js" async defer></script></head>
<body><section class="container"><h1>Please verify you are a human</h1>
<p>Access to this page has been denied because we believe you are using automation tools to browse the site.</p>
<div id="captcha" class="g-recaptcha" data-sitekey="{mark}"></div>
<p class="ref">Incident ID: {mark}</p></section></body></html>
""",
    """<!DOCTYPE html>
<html><head><title>Request unsuccessful</title></head><body>
<p>Request unsuccessful. Unusual traffic was noticed from your network, so this request was stopped.</p>
<p>Incident ID: {mark}-0-417</p><iframe src="/_gate/frame?incident={mark}" width="100%" height="0"></iframe>
</body></html>
""",
)

MAINTENANCE = """<h3 class="message">Scheduled Maintenance</h3>
<p id="maintenanceNotice">Online services are unavailable while our records are being updated. This happens every
Sunday from 2:00 AM to 6:00 AM and before the certification of the tax roll. We are sorry for the inconvenience. Please
try again later.</p>"""

SERVER_ERROR = """<!DOCTYPE html>
<html><head><title>{status} - {reason}</title><style>body{{font:13px Verdana;background:#eee}}</style></head>
<body><div id="header"><h1>Server Error</h1></div><div class="content-container"><fieldset>
<h2>{status} - {reason}</h2><h3>Runtime Error in the '/' application. The resource you are looking for cannot be shown
because the server met a condition it did not expect.</h3></fieldset></div></body></html>
"""

STATE_ERROR = """<!DOCTYPE html>
<html><head><title>{why}</title></head><body bgcolor="white"><span><h1>Server Error in '/' Application.<hr></h1>
<h2><i>{why}</i></h2></span><b>Description:</b> An unhandled exception occurred while the postback was read. Start again
from the search page and send all hidden fields of the last answer along.<hr></body></html>
"""

THROTTLED = """<!DOCTYPE html>
<html><head><title>429</title></head><body><center><h1>Too Many Requests</h1></center><hr></body></html>
"""


def no_records(number: str) -> str:
    """The message of a search that found nothing; the number must be escaped."""
    return (
        f'<div class="message" id="noResults"><p>No records found matching parcel <b>{number}</b>.</p>'
        "<p>Check the number, with its leading zeros, and search again.</p></div>"
    )
