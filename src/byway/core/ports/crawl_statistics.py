"""Crawl statistics port: the figures of a crawl report, from one snapshot."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from byway.core.model.crawl_report import PageFetch, UrlOutcome


class CrawlStatistics(Protocol):
    """Figures of a crawl. Long tables may be sampled reproducibly."""

    def url_outcomes(self, limit: int) -> Iterable[UrlOutcome]:
        """The outcome of each URL, or of a sample of about `limit`."""

    def page_fetches(self, limit: int) -> Iterable[PageFetch]:
        """Every stored fetch, or a sample of about `limit`."""

    def content_types(self, limit: int) -> Iterable[str]:
        """Content types of a sample of `limit` pages; empty for a page that cannot be read."""

    def largest_pages(self, limit: int) -> Sequence[tuple[str, int]]:
        """The pages that take up the most bytes in the store, largest first."""

    def page_count(self) -> int:
        """The number of page versions."""

    def retry_count(self) -> int:
        """The number of failed URLs that are scheduled for a retry."""

    def stored_bytes(self) -> int:
        """The total bytes of all page versions."""
