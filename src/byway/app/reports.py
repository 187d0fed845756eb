"""Crawl report of a data folder, read from one snapshot of its database."""

from pathlib import Path

from byway.app.storage import open_storage
from byway.core.model.crawl_report import Report
from byway.core.ports.storage import CrawlReader
from byway.core.settings.schema import Settings
from byway.reports.crawl.summary import MAX_BARS, CrawlReportData, summarize_crawl

MAX_PAGES_SAMPLED = 200_000
"""Maximum URLs and pages to read; if there are more, a sample (1 s per 200,000 on two cores)."""
MAX_MEDIA_TYPES_SAMPLED = 300
MAX_SEEDS_LISTED = 5
MAX_LARGEST_PAGES = 10


def build_report(path: Path, settings: Settings, now: float, max_bars: int = MAX_BARS) -> Report:
    """The report on a data folder, which another process may be writing to."""
    storage = open_storage(path, settings)
    storage.require_data()
    with storage.reader(snapshot=True) as reader:
        data = _report_data(reader, now, crawling=storage.crawler_pid() is not None)
        return summarize_crawl(data, max_bars)


def _report_data(reader: CrawlReader, now: float, crawling: bool) -> CrawlReportData:
    catalog, statistics = reader.catalog, reader.statistics
    return CrawlReportData(
        created_at=now,
        crawling=crawling,
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
    )


def write_report_page(path: Path, settings: Settings, file: Path, now: float) -> None:
    """Write the report on a data folder as one HTML file with plots."""
    from byway.reports.crawl.html import as_html  # lazy: most reports need no templates

    file.write_bytes(as_html(build_report(path, settings, now)).encode("utf-8", "replace"))
