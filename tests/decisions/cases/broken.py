# ruff: noqa: E501 - the lines of a page stand as they come
"""What county software says when it breaks, forgets, closes or is asked too fast; most of it with status 200."""

from decisions.cases.case import Case, page, quiet, refused, unread
from scrapeyard.model.failures import Kind

S5, X, R, M = Kind.SITE_5XX, Kind.SESSION_EXPIRED, Kind.RATE_LIMITED, Kind.MAINTENANCE
AUTH, HTTP = Kind.AUTH_REQUIRED, Kind.HTTP_STATUS

SERVERS = [
    quiet("iis error at 200", S5, page("500 - Internal server error.", "<h2>500 - Internal server error.</h2><h3>There is a problem with the resource you are looking for, and it cannot be displayed.</h3>")),
    unread("apache error at 200", S5, page("500 Internal Server Error", "<h1>Internal Server Error</h1><p>The server encountered an internal error or misconfiguration.</p>")),
    unread("apache overloaded at 200", S5, page("503 Service Temporarily Unavailable", "<h1>Service Temporarily Unavailable</h1><p>The server is temporarily unable to service your request due to maintenance downtime or capacity problems.</p>")),
    refused("iis out of service", S5, 503, page("Service Unavailable", "<h2>Service Unavailable</h2><hr><p>HTTP Error 503. The service is unavailable.</p>")),
    quiet("gateway time-out at 200", S5, page("504 Gateway Time-out", "<center><h1>504 Gateway Time-out</h1></center><hr><center>nginx</center>")),
    unread("asp.net null reference", S5, page("Object reference not set to an instance of an object.", "<h1>Server Error in '/PropertySearch' Application.</h1><h2><i>Object reference not set to an instance of an object.</i></h2>")),
    unread("asp.net in plain text", S5, "Object reference not set to an instance of an object."),
    unread("time-out of a database", S5, page("Error", "<p>Timeout expired. The timeout period elapsed prior to completion of the operation or the server is not responding.</p>")),
    unread("classic asp", S5, "Microsoft OLE DB Provider for SQL Server error '80004005'<br>Login failed for user 'web'. /search.asp, line 12"),
    unread("classic asp of access", S5, "<font face='Arial'>ADODB.Connection</font> error '800a0e7a'<br>Provider cannot be found."),
    unread("vbscript", S5, "Microsoft VBScript runtime error '800a000d' Type mismatch: 'parcel' /detail.asp, line 44"),
    unread("coldfusion", S5, page("Error Occurred While Processing Request", "<h1>Error Occurred While Processing Request</h1><p>Error Executing Database Query.</p>")),
    unread("php and postgresql", S5, "<b>Warning</b>: pg_connect(): Unable to connect to PostgreSQL server in /srv/www/db.php on line 9"),
    unread("php runs out of memory", S5, "<b>Fatal error</b>: Allowed memory size of 134217728 bytes exhausted in /srv/www/list.php on line 9"),
    unread("php runs out of time", S5, "<b>Fatal error</b>: Maximum execution time of 30 seconds exceeded in /srv/www/list.php on line 9"),
    unread("pdo", S5, page("Search", "<p>SQLSTATE[HY000] [2002] Connection refused</p>")),
    quiet("wordpress without its database", S5, page("Database Error", "<h1>Error establishing a database connection</h1>")),
    quiet("wordpress in trouble", S5, page("WordPress &rsaquo; Error", "<p>There has been a critical error on this website. Please check your site admin email inbox.</p>")),
    unread("spring", S5, page("Error", "<h1>Whitelabel Error Page</h1><p>There was an unexpected error (type=Internal Server Error, status=500).</p>")),
    unread("rails", S5, page("We're sorry, but something went wrong (500)", "<h1>We're sorry, but something went wrong.</h1>")),
    unread("django", S5, "<h1>Server Error (500)</h1>"),
    unread("symfony", S5, page("An Error Occurred: Internal Server Error", '<h1>Oops! An Error Occurred</h1><h2>The server returned a "500 Internal Server Error".</h2>')),
    unread("heroku", S5, page("Application error", "<p>An error occurred in the application and your page could not be served.</p>")),
    unread("oracle's application server", S5, page("Apex", "<p>ERR-7620 Could not determine workspace for application (:) on application accept.</p>")),
    unread("apex and its database", S5, page("Search", "<p>ORA-04068: existing state of packages has been discarded</p>")),
    unread("a tax portal sorry for an error", S5, page("Error", "<h2>We're sorry, an error has occurred.</h2><p>Please try again or contact the help desk.</p>")),
    unread("a public access portal", S5, page("Public Access", "<p>An unexpected error has occurred in the application. The administrator has been notified.</p>")),
    unread("technical difficulties", S5, page("Clerk of Court", "<p>We are experiencing technical difficulties. Please try again later.</p>")),
    unread("error while processing", S5, page("Error", "<p>An error occurred while processing your request.</p><p>Reference&#32;&#35;97.7</p>")),
    refused("varnish", S5, 503, page("503 Backend fetch failed", "<h1>Error 503 Backend fetch failed</h1><h3>Guru Meditation:</h3>")),
    refused("cloudfront cannot connect", S5, 502, page("ERROR: The request could not be satisfied", "<h1>502 ERROR</h1><p>CloudFront wasn't able to connect to the origin.</p><pre>Generated by cloudfront (CloudFront)</pre>")),
    refused("azure front door cannot connect", S5, 503, page("Service unavailable", "<h2>Our services aren't available right now</h2><p>We're working to restore all services as soon as possible.</p>")),
    refused("cloudflare has no tunnel", S5, 530, "error code: 1033"),
    unread("soap fault at 200", S5, "<soap:Envelope><soap:Body><soap:Fault><faultcode>soap:Server</faultcode><faultstring>Server was unable to process request.</faultstring></soap:Fault></soap:Body></soap:Envelope>"),
    unread("an empty server", S5, page("Welcome to nginx!", "<h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and working.</p>")),
    unread("an empty windows server", S5, page("IIS Windows Server", '<a href="http://go.microsoft.com/fwlink/"><img src="iisstart.png"></a>')),
]  # fmt: skip

FORGOTTEN = [
    unread("event validation", X, page("Error", "<h1>Server Error in '/' Application.</h1><h2>Invalid postback or callback argument. Event validation is enabled.</h2>")),
    refused("view state at 500", X, 500, page("Validation of viewstate MAC failed.", "<h1>Server Error in '/' Application.</h1><h2>Validation of viewstate MAC failed.</h2>")),
    unread("state of the page", X, page("Error", "<p>The state information is invalid for this page and might be corrupted.</p>")),
    refused("jsf's view", X, 500, page("Error", "<p>javax.faces.application.ViewExpiredException: viewId:/search.xhtml - View /search.xhtml could not be restored.</p>")),
    unread("inactivity", X, page("Recorder", "<p>You have been logged out due to inactivity.</p>")),
    unread("a session timed out", X, page("Recorder", "<h2>Your session timed out</h2><p>Start over.</p>")),
    unread("apex session", X, page("Session Expired", "<p>Your session has ended. <a href='f?p=100'>Sign In Again</a></p>")),
    unread("apex checksum", X, page("Error", "<p>Session state protection violation: This may be caused by manual alteration of protected page item.</p>")),
    unread("an invalid session", X, page("Treasurer", "<p>Invalid session. Please return to the search page.</p>")),
    unread("a search that is over", X, page("Results", "<p>This search has expired. Please search again.</p>")),
    unread("a page that expired", X, page("Results", "<p>The page has expired. Please go back to the home page.</p>")),
    refused("django's token", X, 403, page("403 Forbidden", "<h1>Forbidden (403)</h1><p>CSRF verification failed. Request aborted.</p>")),
    refused("asp.net's token", X, 500, page("Error", '<p>The required anti-forgery cookie "__RequestVerificationToken" is not present.</p>')),
    refused("rails' token", X, 422, page("The change you wanted was rejected (422)", "<h1>The change you wanted was rejected.</h1>")),
    unread("cookies are wanted", X, page("Search", "<p>Cookies must be enabled in your browser to use this site.</p>")),
    unread("a disclaimer in place of the record", X, page("Disclaimer", "<h1>Disclaimer</h1><p>The information is provided as is, without warranty of any kind. By using this site you accept these terms.</p><form><input type='submit' value='I Agree'></form>")),
    unread("terms in place of the record", X, page("County Records", "<h1>Terms of Use</h1><p>The data may not be current.</p><button>Accept</button><button>Decline</button>")),
    unread("a token of a map service", X, '{"error":{"code":498,"message":"Invalid Token","details":[]}}', content_type="application/json"),
    unread("json says that the session is over", X, '{"success":false,"message":"Session expired"}', content_type="application/json"),
]  # fmt: skip

ANSWERS = [
    unread("a map service fails", S5, '{"error":{"code":500,"message":"Unable to complete operation.","details":[]}}'),
    unread("a map service is asked too fast", R, '{"error":{"code":429,"message":"Unable to perform query. Too many requests."}}'),
    unread("a map service wants a token", AUTH, '{"error":{"code":499,"message":"Token Required","details":[]}}'),
    unread("json says 401", AUTH, '{"status":401,"error":"Unauthorized"}'),
    unread("json says 403", Kind.FORBIDDEN, '{"statusCode":403,"error":"Forbidden","message":"Forbidden"}'),
    unread("json says 429", R, '{"error":{"status":429}}'),
    unread("json says 500", S5, '{"timestamp":"2026-01-01","status":500,"error":"Internal Server Error","path":"/api/parcels/7"}'),
    unread("json says 503", S5, '{"errors":[{"status":"503","title":"Backend unavailable"}]}'),
    refused("an interface says forbidden", Kind.FORBIDDEN, 403, '{"message":"Forbidden"}'),
    refused("an interface says limit exceeded", R, 429, '{"message":"Limit Exceeded"}'),
    unread("json without the field", Kind.PARSE_EMPTY, '{"parcel":"7","landUse":{"code":440},"owner":null,"error":null}'),
    unread("an empty list", Kind.PARSE_EMPTY, "[]"),
    unread("not found at 200", HTTP, page("404 - File or directory not found.", "<h2>404 - File or directory not found.</h2>")),
    unread("page not found at 200", HTTP, page("Page Not Found | County", "<h1>Page not found</h1><p>Use the search above.</p>")),
]  # fmt: skip

FAST = [
    unread("a daily limit", R, page("Search", "<p>You have exceeded your daily search limit. Please try again tomorrow.</p>")),
    unread("a quota", R, '{"error":"quota exceeded"}'),
    unread("a wait between searches", R, page("Search", "<p>Please wait 10 seconds between searches.</p>")),
    unread("throttled", R, '{"detail":"Request was throttled. Expected available in 26 seconds."}'),
    refused("slow down of a store", R, 503, "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"),
    quiet("a waiting room", R, page("Waiting Room", "<h1>You are now in line.</h1><p>Your estimated wait time is 3 minutes.</p>")),
    unread("another waiting room", R, page("Queue-it", "<p>You are now in line. When it is your turn, you will have 10 minutes to enter.</p>")),
    refused("too many connections", R, 503, page("Error", "<p>Too many connections from your address. Please try again later.</p>")),
    quiet("a bare limit at 429", R, "", 429),
    quiet("a bare refusal that nobody raised", Kind.FORBIDDEN, "", 403),
    quiet("a broken server that nobody raised", S5, "", 500),
    quiet("a missing page that nobody raised", HTTP, "", 404),
    refused("reddit's limit", R, 429, "", x_ratelimit_remaining="0.0", x_ratelimit_reset="247"),
]  # fmt: skip

HOURS = [
    unread("outside of its hours", M, page("Treasurer", "<p>Online services are available Monday through Friday from 7 am to 9 pm. Please come back during those hours.</p>")),
    unread("hours of operation", M, page("Clerk", "<h2>System hours</h2><p>The system is not available at this time. Hours of operation: 6 am - 11 pm.</p>")),
    unread("an upgrade", M, page("Assessor", "<p>We are upgrading our system. The site will be back on Monday.</p>")),
    unread("down for an update", M, page("Assessor", "<p>The property search is temporarily down while data is being updated.</p>")),
    unread("an application that is switched off", M, page("Error", "<p>Application 101 is currently unavailable at this time.</p>")),
    quiet("a maintenance page of drupal", M, page("Site under maintenance", "<h1>Site under maintenance</h1><p>County is currently under maintenance. We should be back shortly.</p>")),
]  # fmt: skip

BROKEN: list[Case] = [*SERVERS, *FORGOTTEN, *ANSWERS, *FAST, *HOURS]
