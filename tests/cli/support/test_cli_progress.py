"""While a crawl goes on: what a person sees of it."""

from collections import Counter

from cli.called import byway
from cli.conftest import CrawledSite

from byway.cli.support.progress import progress_text
from byway.core.model.message import Reason
from byway.crawl.recorder import CrawlProgress


def test_it_says_how_fast_it_is_what_waits_and_how_long_it_will_take() -> None:
    now = CrawlProgress(kept=1200, last_url="http://a.org/x")
    shown = progress_text(now, 10.0, [("a.org", 5000), ("b.org", 1000)], None)
    assert shown.splitlines() == [
        "1,200 pages kept, 6,000 URLs wait, 10.0/s, 10 min left  http://a.org/x",
        "  queues: a.org 5,000, b.org 1,000",
    ]


def test_a_budget_ends_it_sooner() -> None:
    shown = progress_text(CrawlProgress(), 10.0, [("a.org", 5000)], 50)
    assert "5 s left" in shown


def test_failures_are_told_by_cause() -> None:
    causes = Counter(
        {
            Reason("http_status", status=404, phrase="Not Found"): 9,
            Reason("no_such_host", host="a.org"): 1,
            Reason("no_such_host", host="b.org"): 2,
        }
    )
    shown = progress_text(CrawlProgress(failed=12, failure_reasons=causes), 1.0, [], None)
    assert shown.splitlines()[1] == "  12 failed: answered 404 Not Found 9, no such host: … 3"


def test_a_url_cannot_move_the_cursor() -> None:
    assert "\x1b" not in progress_text(
        CrawlProgress(last_url="http://a.org/\x1b[2J"), 1.0, [], None
    )


def test_status_lists_what_waits(crawled_site: CrawledSite) -> None:
    assert "waiting by host" in byway("status", "--data", crawled_site.data).stdout
