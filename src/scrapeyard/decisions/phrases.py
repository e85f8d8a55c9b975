"""How walls and notices are put in plain words, whoever wrote them.

A page of one sentence is written anew by every office, so here stand the turns of such sentences and not the
sentences. What tells them from a record's is whom they speak to (your browser, your network) and what of (searches
a day, the server, the session): a driveway can be blocked, too. All repetitions are bounded.
"""

import re
from typing import Final

_YOURS: Final = rb"your (?:ip|computer|network|browser|connection|device|address)"
_HERS: Final = rb"(?:site|website|web site|system|services?|search|portal|application|database|server)"


def _either(*turns: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"\b(?:" + rb"|".join(turns) + rb")")


SHUT_OUT: Final = _either(
    rb"(?:you|you've|your request|your visit|this request|automated (?:access|requests|queries|traffic))\b[^.]{0,40}"
    rb"\b(?:have|has|is|was|were|been)\b[^.]{0,30}\b(?:blocked|banned|detected|flagged|stopped)\b",
    rb"(?:your access|" + _YOURS + rb")\b[^.]{0,40}\b(?:have|has|is|was|were|been)\b[^.]{0,30}"
    rb"\b(?:blocked|banned|flagged|restricted|suspended|denied|limited)\b",
    rb"(?:blocked|banned) " + _YOURS,
    rb"(?:verif\w{1,6}|confirm\w{0,3}|check\w{0,3}|validat\w{1,3}|prov\w{1,3}|make sure)\b[^.]{0,30}"
    rb"\b(?:you're not|you are not|you're|you are) (?:a |an )?(?:human|robot|bot|automated)\b",
    rb"press (?:and|&) hold the button\b",
    rb"(?:verify|verifying|check|checking|validating) (?:if |whether )?(?:your|the site) (?:browser|connection)\b",
    rb"(?:ip|ip address|client ip|network)\b[^.]{0,20}\b(?:blacklisted|flagged|banned|blocked)\b",
    rb"access to this (?:resource|page|site|website|server|content)\b[^.]{0,20}\bblocked\b",
    rb"(?:site|website|page|content) is only (?:accessible|available) (?:from|in|to visitors)\b",
    rb"(?:complete|additional|pass|quick)\b[^.]{0,20}\bsecurity check\b|ddos (?:protection|mitigation)\b",
    rb"our (?:firewall|security system|security service|security software)\b",
    rb"(?:enter|type) the (?:text|code|letters|characters|numbers|words|two words)\b[^.]{0,30}"
    rb"\b(?:image|picture|shown|see)\b",
    rb"you (?:are|were|might be|may be|could be|seem to be|appear to be) (?:a |an )?(?:ro)?bot\b",
    rb"bad bot\b|no bots\b|bots? (?:is|are) (?:not|detected|denied|blocked)\b",
    rb"(?:suspicious|unusual|automated|malicious|abnormal|scraping)\b[^.]{0,50}\b" + _YOURS,
    rb"your (?:ip|computer|network|browser|connection|request|session|visit|traffic)\b[^.]{0,60}"
    rb"\b(?:automated|robots?|bots?|suspicious|malicious|unusual)\b",
    rb"(?:available|serve|allowed|permitted|accessible|access)\b[^.]{0,40}"
    rb"\b(?:in|from|to|of) your (?:country|region|location|state)\b",
    rb"verify to (?:continue|proceed)\b",
    rb"(?:keep|stop|prevent|block)\w{0,4}\b[^.]{0,20}\b(?:automated|bots|robots)\b",
    rb"(?:show|tell|prove|verify|confirm)\b[^.]{0,30}\b(?:you're|you are) (?:a )?(?:real |living )?(?:human|person)\b",
    rb"(?:vpns?|proxy|proxies|hosting provider)\b[^.]{0,40}\b(?:restricted|blocked|denied|not (?:allowed|permitted))\b",
    rb"not (?:available|accessible|permitted|allowed)\b[^.]{0,20}\boutside (?:of )?(?:the|our|this)\b",
)
"""The visitor is taken for a robot, or is not wanted where they come from."""

TOO_FAST: Final = _either(
    rb"too (?:fast|quickly|often|frequently)\b",
    rb"too many (?:requests|searches|queries|attempts|lookups|hits|page views|connections from)\b",
    rb"(?:searches|queries|requests|calls|lookups)\b[^.]{0,20}\b(?:per (?:minute|hour|day)|quota|exceeded)\b",
    rb"(?:exceeded|reached)\b[^.]{0,40}\b(?:lookups|searches|queries|requests)\b|request rate\b",
    rb"(?:high|large|excessive) (?:number|volume|amount) of (?:requests|searches|queries)\b",
    rb"(?:one|two|\d{1,3}) (?:search|searches|request|requests|query|queries|lookups?) (?:every|each|per)\b",
    rb"please wait (?:at least )?\d{1,4} seconds?\b|(?:try|retry)\b[^.]{0,30}\bin \d{1,4} (?:seconds|minutes)\b",
)
"""The visitor asks too much."""

CLOSED: Final = _either(
    rb"(?:scheduled|planned|system|nightly|weekly) (?:upgrade|outage|downtime|backup|processing)\b",
    _HERS + rb"\b[^.]{0,20}\b(?:temporarily|currently) (?:out of service|offline|down|unavailable|closed|suspended)\b",
    _HERS + rb"\b[^.]{0,20}\b(?:being (?:updated|upgraded)|getting an update)\b",
    _HERS + rb" (?:is|are) (?:only |not |un)?available (?:only )?(?:monday|daily|between|during|from)\b",
    rb"(?:we'll be right back|back online|check back (?:soon|later)|undergoing (?:planned|scheduled) work)\b",
)
"""The site is closed for a while."""

BROKEN: Final = _either(
    rb"server is (?:too )?busy\b",
    rb"(?:your|the) (?:search|request|query) could not be (?:completed|processed)\b",
    rb"unable to (?:complete|process) (?:your|the) (?:search|request|query)\b|unable to process request\b",
    rb"(?:unable|failed|could not|cannot) (?:to )?connect to (?:the )?(?:database|server)\b",
    rb"(?:system|internal|unexpected|unhandled|database|db|proxy|upstream connect) error\b|unexpected exception\b",
    rb"encountered an error\b|an error has occurred\b|an error occurred\b|no healthy upstream\b",
    rb"problem processing your request\b|error 5\d\d\b",
    rb"no (?:backend|available) servers?\b|failure of (?:the )?(?:web )?server\b",
    rb"error occurred in the application\b|something went wrong\b|technical difficulties\b",
)
"""The site tried, and could not."""

FORGOTTEN: Final = _either(
    rb"session\b[^.]{0,20}"
    rb"\b(?:is over|expired|ended|terminated|timed out|timeout|not be found|not found|no longer|lost)\b",
    rb"(?:session is|invalid) (?:invalid|session)\b",
    rb"you (?:have been|were) (?:signed|logged) (?:out|off)\b|due to inactivity\b",
    rb"(?:search|page|link) has expired\b|log ?in (?:has )?expired\b|page is no longer valid\b",
    rb"cookies (?:must be enabled|are required)\b|does not accept cookies\b",
)
"""The site does not know the visitor any more."""

GUARDED: Final = _either(rb"(?:please|must|need to|have to) (?:be )?(?:log(?:ged)? ?(?:in|on)|sign(?:ed)? ?in)\b")
"""The site wants to know who asks."""

BARRED: Final = _either(
    rb"(?:must|need to|have to) be (?:logged|signed) ?in\b[^.]{0,30}"
    rb"\b(?:to|before|in order to) (?:view|see|access|continue|use|search|open|download)",
)
"""The site shows nothing to strangers."""

STERN: Final = re.compile(
    rb"\b(?:bots?|robots?|crawlers?|scrapers?|automated|blocked|firewall|malicious|suspicious|captcha)\b|"
    rb"security (?:reasons|policy|rule)|unsafe operation|unusual activity"
)
"""What only a wall says where access was refused anyhow."""
