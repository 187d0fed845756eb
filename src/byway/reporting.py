"""What did the crawl do? A data folder's history, read in one go and handed to the report."""

from byway.backends.embedded import history
from byway.backends.embedded.folder import Folder
from byway.report.figures import Report
from byway.report.gather import Told, gather
from byway.report.timeline import MOST_BARS

MOST_READ = 200_000
"""URLs, and pages, that are read; of more, a sample (1 s for each 200,000 on two cores)."""
MOST_TYPES_READ = 300
MOST_SEEDS = 5
MOST_LARGE = 10


def report_of(folder: Folder, now: float, most_bars: int = MOST_BARS) -> Report:
    """The report on a data folder, which another process may be writing to."""
    folder.require()
    with history.snapshot(folder.crawl_db) as db:
        return gather(
            Told(
                made_at=now,
                crawling=folder.crawler() is not None,
                seeds=history.first_seeds(db, MOST_SEEDS),
                states=history.states(db),
                hosts=history.host_count(db),
                pages=history.page_count(db),
                bytes=sum(path.stat().st_size for path in folder.pages.glob("*.warc.gz")),
                to_try_again=history.to_try_again(db),
                fates=history.fates(db, MOST_READ),
                arrivals=history.arrivals(db, MOST_READ),
                largest=history.largest(db, MOST_LARGE),
                content_types=history.content_types(db, folder.pages, MOST_TYPES_READ),
            ),
            most_bars,
        )
