"""Pruning over HTTP: it says before it does, and only an administrator may."""

from scrapeyard.model.access import Scope


async def test_nothing_is_removed_unless_that_is_said(site):
    admin = site.call.with_key(await site.key())
    assert (await admin("POST", "/v1/prune", {})).json == {"dry_run": True, "jobs": [], "deeds": 0, "told": 0}
    done = await admin("POST", "/v1/prune", {"dry_run": False})
    assert (done.status, done.json["dry_run"]) == (200, False)
    ops = site.call.with_key(await site.key(Scope.OPERATE))
    assert (await ops("POST", "/v1/prune", {})).status == 403
    deeds = (await admin("GET", "/v1/audit")).json["deeds"]
    assert [one["verb"] for one in deeds].count("retention.prune") == 1
