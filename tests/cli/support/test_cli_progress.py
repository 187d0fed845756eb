"""The progress lines of crawling and indexing."""

from collections import Counter

from cli.conftest import CrawledSite
from cli.runner import byway

from byway.app.index import IndexingProgress
from byway.app.processes.crawl_progress import CrawlSnapshot
from byway.cli.support.progress import indexing_text, progress_text
from byway.core.messages import Reason
from byway.core.model.crawl_progress import CrawlProgress


def test_it_shows_the_rate_the_queues_and_the_time_left() -> None:
    now = CrawlProgress(kept=1200, last_url="http://a.org/x")
    shown = progress_text(CrawlSnapshot(now, 10.0, [("a.org", 5000), ("b.org", 1000)], None))
    assert shown.splitlines() == [
        "1,200 pages kept, 6,000 URLs queued, 10.0/s, 10 min left  http://a.org/x",
        "  queues: a.org 5,000, b.org 1,000",
    ]


def test_hosts_that_are_not_listed_count_too() -> None:
    queues = [(f"h{number}.org", 10) for number in range(10)]
    shown = progress_text(CrawlSnapshot(CrawlProgress(), 1.0, queues, None, (), 90, 900))
    assert "1,000 URLs queued" in shown
    assert shown.endswith("  queues: h0.org 10, h1.org 10, h2.org 10 and 97 more")


def test_a_budget_ends_it_sooner() -> None:
    shown = progress_text(CrawlSnapshot(CrawlProgress(), 10.0, [("a.org", 5000)], 50))
    assert "5 s left" in shown


def test_failures_are_told_by_cause() -> None:
    causes = Counter(
        {
            Reason("http_status", status=404, phrase="Not Found"): 9,
            Reason("no_such_host", host="a.org"): 1,
            Reason("no_such_host", host="b.org"): 2,
        }
    )
    shown = progress_text(
        CrawlSnapshot(CrawlProgress(failed=12, failure_reasons=causes), 1.0, [], None)
    )
    assert shown.splitlines()[1] == "  12 failed: HTTP 404 Not Found 9, no such host: … 3"


def test_a_url_cannot_move_the_cursor() -> None:
    assert "\x1b" not in progress_text(
        CrawlSnapshot(CrawlProgress(last_url="http://a.org/\x1b[2J"), 1.0, [], None)
    )


def test_status_lists_the_queues(crawled_site: CrawledSite) -> None:
    assert "queued by host" in byway("status", "--data", crawled_site.data).stdout


def test_indexing_shows_the_total_the_rate_and_the_time_left() -> None:
    shown = indexing_text(IndexingProgress("index", 3000, 12000), 2.0)
    assert shown == "3,000 of 12,000 documents indexed, 1500/s, 6 s left"
    shown = indexing_text(IndexingProgress("extract", 100, 60100), 1.0)
    assert shown == "100 of 60,100 pages extracted, 100/s, 10 min left"


def test_indexing_may_find_more_documents_than_there_were_at_the_start() -> None:
    shown = indexing_text(IndexingProgress("index", 12, 10), 1.0)
    assert shown == "12 of 12 documents indexed, 12/s"
    assert indexing_text(IndexingProgress("index", 0, 0), 0.0).startswith("0 of 0 documents")
