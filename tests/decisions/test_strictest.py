"""What a job may do to a site: settings, defaults and the job's own wish put together."""

from scrapeyard.decisions.strictest import SiteLimits, limits, site_limits, site_policy
from scrapeyard.model.policy import Policy, SitePolicy, Window

NIGHT = Window("America/New_York", start="20:00", end="06:00")
MORNING = Window("UTC", start="00:00", end="12:00")
SITE = SitePolicy("tax.example", rate=5.0, concurrency=8, window=NIGHT)


def test_what_the_settings_say_replaces_the_default_and_what_they_leave_out_stays() -> None:
    said = site_policy(SITE, SitePolicy("tax.example", rate=20.0, concurrency=None))
    assert (said.rate, said.concurrency, said.window) == (20.0, 8, NIGHT)
    assert site_policy(SITE, None) == SITE


def test_the_windows_of_site_and_job_must_both_be_open() -> None:
    assert limits(SITE, None, Policy(window=MORNING)).windows == (NIGHT, MORNING)
    assert limits(SITE, None, Policy(window=NIGHT)).windows == (NIGHT,)


def test_a_job_asks_for_less_than_its_site_allows_never_for_more() -> None:
    assert site_limits(None, [(SITE, Policy(rate=50.0))]).rate == 5.0
    assert site_limits(None, [(SITE, Policy(rate=1.0))]).rate == 1.0


def test_the_wishes_of_several_jobs_add_up_to_the_sites_rate_at_most() -> None:
    slow, slower, free = Policy(rate=1.0), Policy(rate=0.5), Policy()
    assert site_limits(None, [(SITE, slow), (SITE, slower)]).rate == 1.5
    assert site_limits(None, [(SITE, slow), (SITE, free)]).rate == 5.0


def test_of_several_scrapers_for_one_site_the_strictest_holds() -> None:
    bold = SitePolicy("tax.example", rate=None, concurrency=None)
    assert site_limits(None, [(SITE, Policy()), (bold, Policy())]) == SiteLimits(5.0, 8)
    assert site_limits(None, [(bold, Policy())]) == SiteLimits(None, None)
