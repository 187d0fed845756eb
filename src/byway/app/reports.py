"""Crawl report of a collection, read from one snapshot of its storage."""

from typing import TYPE_CHECKING

from byway.reports.crawl.report import Report
from byway.reports.crawl.summary import CrawlReportData, summarize_crawl
from byway.reports.crawl.timeline import MAX_BARS

if TYPE_CHECKING:  # ports import numpy, which a report does not need
    from byway.core.ports import Storage

MAX_PAGES_SAMPLED = 200_000
"""URLs, and pages, that are read; of more, a sample (1 s per 200,000 on two cores)."""
MAX_MEDIA_TYPES_SAMPLED = 300
MAX_SEEDS_LISTED = 5
MAX_LARGEST_PAGES = 10


def build_report(storage: "Storage", now: float, max_bars: int = MAX_BARS) -> Report:
    """The report on a collection, which another process may be writing to."""
    storage.require_data()
    with storage.reader(snapshot=True) as reader:
        catalog, statistics = reader.catalog, reader.statistics
        return summarize_crawl(
            CrawlReportData(
                created_at=now,
                crawling=storage.crawler_pid() is not None,
                seeds=catalog.seeds()[:MAX_SEEDS_LISTED],
                states=catalog.state_counts(),
                hosts=catalog.host_count(),
                pages=statistics.page_count(),
                bytes=statistics.stored_bytes(),
                retry_count=statistics.retry_count(),
                url_outcomes=statistics.url_outcomes(MAX_PAGES_SAMPLED),
                page_fetches=statistics.page_fetches(MAX_PAGES_SAMPLED),
                largest=statistics.largest_pages(MAX_LARGEST_PAGES),
                content_types=statistics.content_types(MAX_MEDIA_TYPES_SAMPLED),
            ),
            max_bars,
        )
