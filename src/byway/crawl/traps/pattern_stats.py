"""Statistics of one URL pattern: duplicates, soft 404s and empty pages."""

from array import array
from dataclasses import dataclass, field

MAX_DUPLICATE_BITS = 3
"""Maximum Hamming distance between the 64-bit SimHashes of near-duplicates."""
MAX_REMEMBERED_SIMHASHES = 64
"""SimHashes to compare a page with: enough for the months and weekdays of a calendar."""


@dataclass(slots=True)
class PatternStats:
    """Counters for one URL pattern. All but `urls` and `highest_number` decay."""

    urls: int = 0
    recent_urls: int = 0
    duplicates: int = 0
    """Near-duplicates of another page, soft 404s included."""
    soft_404s: int = 0
    """Duplicates that are similar to the host's soft 404."""
    empty_pages: int = 0
    """URLs without text or without a page."""
    highest_number: int = -1
    redundant_run: int = 0
    """Redundant pages in a row, each with a higher number than any before."""
    simhashes: "array[int]" = field(default_factory=lambda: array("Q"))
    """Distinct SimHashes, oldest first, as unsigned 64-bit integers."""

    @property
    def redundant_share(self) -> float:
        """Share of pages that are duplicates or empty."""
        return (self.duplicates + self.empty_pages) / max(self.recent_urls, 1)

    def record(self, simhash: int, kept: bool, is_soft_404: bool, number: int) -> None:
        """Count a URL; `simhash=0` means no text, `kept=False` no page."""
        self.urls += 1
        self.recent_urls += 1
        is_new = False
        if not kept or not simhash:
            self.empty_pages += 1
        elif is_soft_404 or any(
            (simhash ^ other).bit_count() <= MAX_DUPLICATE_BITS for other in self.simhashes
        ):
            self.duplicates += 1
            self.soft_404s += is_soft_404
        else:
            is_new = True
            self.simhashes.append(simhash)
            del self.simhashes[:-MAX_REMEMBERED_SIMHASHES]
        if kept and number > self.highest_number:  # a 404 is the proper end of a list
            self.highest_number = number
            self.redundant_run = 0 if is_new else self.redundant_run + 1

    def decay(self) -> None:
        """Halve the counters, so that a trap is found even after thousands of good pages."""
        self.recent_urls //= 2
        self.duplicates //= 2
        self.soft_404s //= 2
        self.empty_pages //= 2

    def subtract(self, other: "PatternStats") -> None:
        """Subtract the counters of a narrower pattern."""
        self.recent_urls = max(self.recent_urls - other.recent_urls, 0)
        self.duplicates = max(self.duplicates - other.duplicates, 0)
        self.soft_404s = max(self.soft_404s - other.soft_404s, 0)
        self.empty_pages = max(self.empty_pages - other.empty_pages, 0)
