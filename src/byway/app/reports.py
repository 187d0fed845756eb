"""Crawl report of a data folder, read from one snapshot of its database."""

from pathlib import Path

from byway.app.storage import open_storage
from byway.core.model.crawl_report import Report
from byway.core.settings.schema import Settings
from byway.reports.crawl.summary import CrawlReportData, summarize_crawl
from byway.reports.crawl.timeline import MAX_BARS
from byway.storage.sqlite.crawl_db import crawl_stats

MAX_PAGES_SAMPLED = 200_000
"""URLs, and pages, that are read; of more, a sample (1 s per 200,000 on two cores)."""
MAX_MEDIA_TYPES_SAMPLED = 300
MAX_SEEDS_LISTED = 5
MAX_LARGEST_PAGES = 10


def build_report(path: Path, settings: Settings, now: float, max_bars: int = MAX_BARS) -> Report:
    """The report on a data folder, which another process may be writing to."""
    folder = open_storage(path, settings)
    folder.require_data()
    with crawl_stats.snapshot(folder.crawl_db) as db:
        return summarize_crawl(
            CrawlReportData(
                created_at=now,
                crawling=folder.crawler_pid() is not None,
                seeds=crawl_stats.first_seeds(db, MAX_SEEDS_LISTED),
                states=crawl_stats.urls_by_state(db),
                hosts=crawl_stats.host_count(db),
                pages=crawl_stats.page_count(db),
                bytes=sum(path.stat().st_size for path in folder.pages.glob("*.warc.gz")),
                retry_count=crawl_stats.retry_count(db),
                url_outcomes=crawl_stats.url_outcomes(db, MAX_PAGES_SAMPLED),
                page_fetches=crawl_stats.page_fetches(db, MAX_PAGES_SAMPLED),
                largest=crawl_stats.largest_pages(db, MAX_LARGEST_PAGES),
                content_types=crawl_stats.content_types(db, folder.pages, MAX_MEDIA_TYPES_SAMPLED),
            ),
            max_bars,
        )


def write_report_page(path: Path, settings: Settings, file: Path, now: float) -> None:
    """Write the report on a data folder as one HTML file with plots."""
    from byway.reports.crawl.html import as_html  # late: most reports need no templates

    file.write_bytes(as_html(build_report(path, settings, now)).encode("utf-8", "replace"))
