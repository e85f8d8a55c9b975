"""What `--json` prints: one shape per thing, with field names that stay, independent of how things are stored.

Times are ISO 8601 in UTC, money is dollars, durations are in milliseconds where the name says so.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from scrapeyard.cli.wording import stamp
from scrapeyard.decisions.progress import Forecast, outcomes
from scrapeyard.model import wire
from scrapeyard.model.access import ApiKey
from scrapeyard.model.alert import RuleView, Told
from scrapeyard.model.ask import ItemStory, JobStatus, Redriven
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.audit import Deed
from scrapeyard.model.capture import Capture
from scrapeyard.model.event import Event
from scrapeyard.model.failures import VERDICTS, Kind
from scrapeyard.model.fleet import WorkerReport
from scrapeyard.model.item import Item
from scrapeyard.model.job import Job, Tally
from scrapeyard.model.retention import Pruned
from scrapeyard.model.schedule import ScheduleView
from scrapeyard.model.span import Span
from scrapeyard.model.states import FINAL_VISITS, VisitState
from scrapeyard.model.why import Why

Shape = dict[str, Any]


def job_shape(job: Job) -> Shape:
    """A job as it was asked for."""
    return {
        "id": job.id,
        "name": job.name,
        "state": str(job.state),
        "reason": job.reason,
        "scraper": {"name": job.scraper.name, "version": job.scraper.version, "digest": job.scraper.digest},
        "site": job.site.name,
        "source": job.source,
        "total": job.total,
        "epoch": job.epoch,
        "created": stamp(job.created),
        "finished": _when(job.finished),
        "policy": msgspec.to_builtins(job.policy),
    }


def status_shape(status: JobStatus) -> Shape:
    """A job and how far it is."""
    tally = status.tally
    return {
        **job_shape(status.job),
        "at": stamp(status.at),
        "loaded": tally.loaded,
        "duplicates": tally.duplicates,
        "done": tally.count(*FINAL_VISITS),
        "waiting": tally.count(VisitState.WAITING, VisitState.OFFERED),
        "running": tally.count(VisitState.RUNNING),
        "outcomes": {str(state): tally.count(state) for state in VisitState if state in FINAL_VISITS},
        "failed_by_kind": dict(sorted(tally.failed.items())),
        "failed_by_fault": _by_fault(tally),
        "unreadable": tally.unreadable,
        "records": tally.records,
        "attempts": tally.attempts,
        "requests": tally.requests,
        "wire_bytes": tally.wire_bytes,
        "dollars": tally.cost_micros / 1e6,
        "later": status.later,
        "due": _when(status.due),
        "tiers": {
            name: {
                "tries": way.tries,
                "answered": way.good,
                "wire_bytes": way.wire_bytes,
                "dollars": way.cost_micros / 1e6,
            }
            for name, way in sorted(tally.tiers.items())
        },
        "ways": [
            {
                "name": way.name or None,
                "phase": str(way.phase),
                "since": stamp(way.since),
                "until": _when(way.until),
                "why": way.why or None,
            }
            for way in status.ways
        ],
        "dollars_per_answer": tally.cost_micros / 1e6 / tally.answered if tally.answered else None,
        "workers": status.workers,
        "gates": [{"gate": str(gate.gate), "reason": gate.reason, "until": _when(gate.until)} for gate in status.gates],
    }


def why_shape(why: Why) -> Shape:
    """Why a job goes as it goes, and what would change that."""
    return {
        "id": why.job,
        "name": why.name,
        "state": str(why.state),
        "at": stamp(why.at),
        "going": str(why.going),
        "answer": why.answer,
        "hindrances": [
            {
                "what": each.what,
                "words": each.words,
                "until": _when(each.until),
                "remedies": [{"words": one.words, "command": one.command or None} for one in each.remedies],
            }
            for each in why.hindrances
        ],
        "bounds": [
            {"what": each.what, "words": each.words, "per_second": each.per_second, "binds": each.binds}
            for each in why.bounds
        ],
        "later": why.later,
        "due": _when(why.due),
        "per_second": _span(why.per_second) if why.per_second else None,
        "seconds_left": _span(why.seconds_left) if why.seconds_left else None,
    }


def redriven_shape(job: Job, redriven: Redriven) -> Shape:
    """What a redrive put back, or would put back and take."""
    toll = redriven.toll
    return {
        "job": job.name,
        "id": job.id,
        "items": redriven.items,
        "dry_run": redriven.dry_run,
        "version": redriven.version or None,
        "along": redriven.along,
        "estimate": None
        if toll is None
        else {
            "tries": _span(toll.tries),
            "requests": _span(toll.requests),
            "wire_bytes": _span(toll.wire_bytes),
            "dollars": _span(toll.dollars),
            "hours": _span(toll.hours) if toll.hours else None,
        },
    }


def key_shape(key: ApiKey) -> Shape:
    """A key, without its hash."""
    return {
        "id": key.id,
        "name": key.name,
        "scopes": [str(scope) for scope in key.scopes],
        "created": stamp(key.created),
        "expires": _when(key.expires),
        "revoked": _when(key.revoked),
        "used": _when(key.used),
    }


def item_shape(item: Item) -> Shape:
    """An item as the ledger remembers it."""
    return {
        "key": item.key,
        "seq": item.seq,
        "state": str(item.state),
        "kind": item.kind,
        "reason": item.reason,
        "reading": str(item.reading),
        "attempts": item.attempts,
        "inputs": msgspec.json.decode(item.inputs),
        "not_before": _when(item.not_before or None),
        "changed": _when(item.changed or None),
        "records": dict(item.records.counts) if item.records else {},
        "captures": [capture_shape(capture) for capture in item.captures],
    }


def capture_shape(capture: Capture) -> Shape:
    """A kept page or file, and where its bytes lie."""
    return {
        "name": capture.name,
        "url": capture.url,
        "status": capture.status,
        "content_type": capture.content_type,
        "size": capture.size,
        "sha256": capture.sha256,
        "fetched": stamp(capture.fetched),
        "blob": capture.place.blob,
        "offset": capture.place.offset,
        "length": capture.place.length,
    }


def story_shape(job: Job, story: ItemStory) -> Shape:
    """An item with everything that was tried."""
    return {"job": job.name, **item_shape(story.item), "tries": [attempt_shape(each) for each in story.attempts]}


def event_shape(event: Event) -> Shape:
    """Something that happened, with what it rests on."""
    return {
        "id": event.id,
        "at": stamp(event.at),
        "name": event.name,
        "words": event.words,
        "job": event.job,
        "site": event.site,
        "evidence": msgspec.json.decode(event.evidence),
    }


def schedule_shape(view: ScheduleView) -> Shape:
    """A schedule, with what came of its latest due times."""
    plan = view.schedule
    return {
        "name": plan.name,
        "cron": plan.cron,
        "timezone": plan.timezone,
        "scraper": plan.scraper,
        "list": plan.list or plan.file or None,
        "items": None if plan.items is None else msgspec.json.decode(wire.written(plan.items)),
        "overlap": plan.overlap,
        "catch_up": plan.catch_up,
        "fresh": plan.fresh,
        "paused": view.paused,
        "upcoming": None if view.upcoming is None else stamp(view.upcoming),
        "waiting": [stamp(moment) for moment in view.waiting],
        "recent": [
            {"due": stamp(one.due), "at": stamp(one.at), "job": one.job, "words": one.words} for one in view.recent
        ],
    }


def rule_shape(view: RuleView) -> Shape:
    """A rule of alerts, with the alarms that stand."""
    return {
        **msgspec.json.decode(wire.written(view.rule)),
        "over": view.rule.limit,
        "made": stamp(view.made),
        "paused": view.paused,
        "raised": {subject: stamp(one.since) for subject, one in view.raised.items()},
        "waiting": len(view.pending) + sum(len(message.alarms) for message in view.messages),
    }


def told_shape(told: Told) -> Shape:
    """A message that was sent or given up."""
    return {**msgspec.json.decode(wire.written(told)), "at": stamp(told.at)}


def deed_shape(deed: Deed) -> Shape:
    """Who did what."""
    return {**msgspec.json.decode(wire.written(deed)), "at": stamp(deed.at)}


def pruned_shape(pruned: Pruned) -> Shape:
    """What was removed because of its age, or would be."""
    told = msgspec.json.decode(wire.written(pruned))
    jobs = [{**msgspec.json.decode(wire.written(one)), "finished": stamp(one.finished)} for one in pruned.jobs]
    return {**told, "size": pruned.size, "jobs": jobs}


def attempt_shape(attempt: Attempt) -> Shape:
    """One try."""
    return {
        "number": attempt.number,
        "epoch": attempt.epoch,
        "worker": attempt.worker,
        "tier": attempt.tier,
        "proxy": attempt.proxy or None,
        "session": attempt.session or None,
        "probe": attempt.probe,
        "started": stamp(attempt.started),
        "ms": attempt.ms,
        "outcome": attempt.outcome,
        "kind": attempt.kind,
        "status": attempt.status,
        "detail": attempt.detail,
        "rule": attempt.rule,
        "requests": attempt.requests,
        "wire_bytes": attempt.wire_bytes,
        "body_bytes": attempt.body_bytes,
        "dollars": attempt.cost_micros / 1e6,
        "steps": [{"name": step.name, "ms": step.ms, "failed": step.failed} for step in attempt.steps],
    }


def worker_shape(report: WorkerReport) -> Shape:
    """A worker as it last reported."""
    return {
        "worker": report.worker,
        "lane": report.lane,
        "slots": report.slots,
        "free": report.free,
        "draining": report.draining,
        "refusing": report.refusing,
        "running": [{"job": note.job, "key": note.key, "since": stamp(note.since)} for note in report.running],
    }


def forecast_shape(forecast: Forecast) -> Shape:
    """What the whole list would take, each figure with its span."""
    return {
        "items": forecast.items,
        "sample": forecast.sample,
        "hours": _span(forecast.hours),
        "wire_bytes": _span(forecast.wire_bytes),
        "dollars": _span(forecast.dollars),
        "outcomes": {
            each.outcome: {"share": _span(each.share), "items": _span(each.items)} for each in forecast.outcomes
        },
    }


def ended_well(status: JobStatus) -> bool:
    """Whether every item of the job has an answer that somebody can use."""
    bad = {name for name in outcomes(status.tally) if name not in {"succeeded", "absent"}}
    return not bad and not status.tally.unreadable


def line(shape: Mapping[str, Any]) -> str:
    """One shape on one line."""
    return msgspec.json.encode(shape).decode()


def _by_fault(tally: Tally) -> dict[str, int]:
    """Failed items by whose fault it was."""
    found: dict[str, int] = {}
    for kind, count in tally.failed.items():
        fault = str(VERDICTS[Kind(kind)].fault)
        found[fault] = found.get(fault, 0) + count
    return dict(sorted(found.items()))


def _span(span: Span) -> Shape:
    return {"mid": span.mid, "low": span.low, "high": span.high}


def _when(at: float | None) -> str | None:
    return None if at is None else stamp(at)
