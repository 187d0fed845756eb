"""Snapshots of a crawl travel as JSON."""

import json
from collections import Counter

from byway.app.processes.crawl_progress import CrawlSnapshot
from byway.core.messages import Reason
from byway.core.model.crawl_progress import CrawlProgress


def test_a_snapshot_is_the_same_after_its_way_through_json() -> None:
    refused = Reason("connection_refused", address="a.org:80")
    progress = CrawlProgress(
        kept=3,
        last_url="http://a.org/",
        nobody_answered=True,
        wait_reason=Reason("note.waiting", cause=refused, seconds=5),
        failure_reasons=Counter({Reason("http_status", status=404, phrase="Not Found"): 2}),
    )
    notes = [Reason("note.seeds_continued", count=1, seeds=("http://b.org/",))]
    snapshot = CrawlSnapshot(progress, 1.5, [("a.org", 7)], None, notes)
    assert CrawlSnapshot.from_plain(json.loads(json.dumps(snapshot.to_plain()))) == snapshot
