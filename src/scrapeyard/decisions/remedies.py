"""What would change it? For every closed gate what a person can do, with the command to type where one does it."""

import shlex
from collections.abc import Callable

from scrapeyard.model.gate import GateName
from scrapeyard.model.job import Job
from scrapeyard.model.why import Remedy

_MOST_PRIORITY = 9
_WAIT = Remedy("Nothing needs to be done: it opens by itself.")


def remedies(gate: GateName, job: Job) -> tuple[Remedy, ...]:
    """What opens this gate of this job."""
    return _OF_GATE.get(gate, _look)(job, shlex.quote(job.name))


def _wait(_: Job, __: str) -> tuple[Remedy, ...]:
    return (_WAIT,)


def _look(_: Job, name: str) -> tuple[Remedy, ...]:
    """What is wrong is outside of us."""
    return (Remedy("See how its items end.", f"scrapeyard status {name}"),)


def _paused(_: Job, name: str) -> tuple[Remedy, ...]:
    return (Remedy("Let it go on.", f"scrapeyard resume {name}"),)


def _cancelled(_: Job, __: str) -> tuple[Remedy, ...]:
    return (Remedy("What is cancelled stays so: submit its list as a new job."),)


def _loading(job: Job, name: str) -> tuple[Remedy, ...]:
    given = f"{shlex.quote(job.scraper.name)} {shlex.quote(job.source or 'LIST')}"
    words = "Submit the list again; what is there already counts as duplicates."
    return (Remedy(words, f"scrapeyard submit {given} --name {name}"),)


def _site_rate(job: Job, name: str) -> tuple[Remedy, ...]:
    own = Remedy("Take back the job's own limit.", f"scrapeyard policy {name} --clear rate")
    return (*([own] if job.policy.rate is not None else []), _of_site(job, "rate"))


def _slowed(job: Job, name: str) -> tuple[Remedy, ...]:
    return (Remedy("Nothing needs to be done: the rate comes back while the site answers well."), *_look(job, name))


def _site_concurrency(job: Job, _: str) -> tuple[Remedy, ...]:
    return (_of_site(job, "concurrency"),)


def _held(job: Job, _: str) -> tuple[Remedy, ...]:
    return (Remedy("Let the site go.", f"scrapeyard sites release {shlex.quote(job.site.name)}"),)


def _of_site(job: Job, field: str) -> Remedy:
    return Remedy(f'If the site bears more, raise `{field}` under `[sites."{job.site.name}"]` in the settings.')


def _job_concurrency(job: Job, name: str) -> tuple[Remedy, ...]:
    more = 2 * (job.policy.concurrency or 1)
    return (Remedy("Let more of its items run at once.", f"scrapeyard policy {name} --concurrency {more}"),)


def _window(job: Job, name: str) -> tuple[Remedy, ...]:
    if job.policy.window is None:
        return (Remedy("Wait: these are the hours that the site allows."),)
    return (Remedy("Wait, or take back the job's own hours.", f"scrapeyard policy {name} --clear window"),)


def _capacity(_: Job, __: str) -> tuple[Remedy, ...]:
    return (
        Remedy("Start another worker, here or on another machine.", "scrapeyard worker"),
        Remedy("Or give this one more slots: `worker.concurrency` in the settings."),
    )


def _no_worker(_: Job, name: str) -> tuple[Remedy, ...]:
    return (
        Remedy("Start a worker that has this version of the scraper.", "scrapeyard worker"),
        Remedy("Or go on with the version that is there now.", f"scrapeyard retry {name} --version latest"),
    )


def _no_dispatcher(_: Job, __: str) -> tuple[Remedy, ...]:
    return (Remedy("Start one, with a worker beside it.", "scrapeyard up"),)


def _budget(job: Job, name: str) -> tuple[Remedy, ...]:
    policy = job.policy
    raised = [
        *([f"--stop-at-usd {2 * policy.stop_at_usd:g}"] if policy.stop_at_usd is not None else []),
        *([f"--stop-at-gb {2 * policy.stop_at_gb:g}"] if policy.stop_at_gb is not None else []),
    ]
    return (Remedy("Raise the budget.", f"scrapeyard policy {name} {' '.join(raised)}"),)


def _fair_share(job: Job, name: str) -> tuple[Remedy, ...]:
    if job.policy.priority >= _MOST_PRIORITY:
        return (_WAIT,)
    up = f"scrapeyard policy {name} --priority {job.policy.priority + 1}"
    return (Remedy("A step of priority doubles its share.", up),)


def _breaker(_: Job, name: str) -> tuple[Remedy, ...]:
    return (
        Remedy("See what failed, with sample items and their pages.", f"scrapeyard events {name}"),
        Remedy("It probes the site by itself. Or let it go on whatever fails.", f"scrapeyard policy {name} --trip 0"),
    )


def _canary(_: Job, name: str) -> tuple[Remedy, ...]:
    return (Remedy("Nothing needs to be done. Or do without a canary.", f"scrapeyard policy {name} --canary 0"),)


def _proxies(_: Job, __: str) -> tuple[Remedy, ...]:
    return (
        Remedy("See what is wrong with each of them.", "scrapeyard proxies --check"),
        Remedy("Mend the secret or the settings and start workers anew; or top up the balance and wait."),
    )


def _infra(_: Job, __: str) -> tuple[Remedy, ...]:
    return (Remedy("See what is wrong with storage and workers.", "scrapeyard doctor"), _WAIT)


_OF_GATE: dict[GateName, Callable[[Job, str], tuple[Remedy, ...]]] = {
    GateName.PAUSED: _paused,
    GateName.CANCELLED: _cancelled,
    GateName.LOADING: _loading,
    GateName.SITE_RATE: _site_rate,
    GateName.SITE_SLOWED: _slowed,
    GateName.SITE_WAIT: _wait,
    GateName.SITE_HELD: _held,
    GateName.SITE_CONCURRENCY: _site_concurrency,
    GateName.JOB_CONCURRENCY: _job_concurrency,
    GateName.WINDOW: _window,
    GateName.CAPACITY: _capacity,
    GateName.NO_WORKER: _no_worker,
    GateName.NO_DISPATCHER: _no_dispatcher,
    GateName.BUDGET: _budget,
    GateName.RETRY_WAIT: _wait,
    GateName.RETRY_BUDGET: _wait,
    GateName.FAIR_SHARE: _fair_share,
    GateName.CANARY: _canary,
    GateName.BREAKER: _breaker,
    GateName.PROBING: _breaker,
    GateName.SUSPECT: _wait,
    GateName.RAMP: _wait,
    GateName.PROXIES: _proxies,
    GateName.INFRA: _infra,
}
