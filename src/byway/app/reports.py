"""What did the crawl do? A data folder's history, read in one go and handed to the report."""

from byway.reports.crawl.report import Report
from byway.reports.crawl.summary import Told, gather
from byway.reports.crawl.timeline import MOST_BARS
from byway.storage.data_folder import Folder
from byway.storage.sqlite.crawl_db import crawl_stats

MOST_READ = 200_000
"""URLs, and pages, that are read; of more, a sample (1 s for each 200,000 on two cores)."""
MOST_TYPES_READ = 300
MOST_SEEDS = 5
MOST_LARGE = 10


def report_of(folder: Folder, now: float, most_bars: int = MOST_BARS) -> Report:
    """The report on a data folder, which another process may be writing to."""
    folder.require()
    with crawl_stats.snapshot(folder.crawl_db) as db:
        return gather(
            Told(
                made_at=now,
                crawling=folder.crawler() is not None,
                seeds=crawl_stats.first_seeds(db, MOST_SEEDS),
                states=crawl_stats.states(db),
                hosts=crawl_stats.host_count(db),
                pages=crawl_stats.page_count(db),
                bytes=sum(path.stat().st_size for path in folder.pages.glob("*.warc.gz")),
                to_try_again=crawl_stats.to_try_again(db),
                fates=crawl_stats.fates(db, MOST_READ),
                arrivals=crawl_stats.arrivals(db, MOST_READ),
                largest=crawl_stats.largest(db, MOST_LARGE),
                content_types=crawl_stats.content_types(db, folder.pages, MOST_TYPES_READ),
            ),
            most_bars,
        )
