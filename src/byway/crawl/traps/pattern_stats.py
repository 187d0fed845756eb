"""What came of the URLs of one pattern: did they say anything new?"""

from array import array
from dataclasses import dataclass, field

MAX_DUPLICATE_BITS = 3
"""Bits of 64 in which the simhashes of pages that say the same may differ."""
MAX_REMEMBERED_SIMHASHES = 64
"""Contents that a page is compared with: enough for the months and weekdays of a calendar."""


@dataclass(slots=True)
class PatternStats:
    """What came of the URLs of one pattern. All but `urls` and `highest_number` fade with time."""

    urls: int = 0
    recent_urls: int = 0
    duplicates: int = 0
    """Said what another had said."""
    soft_404s: int = 0
    """Of those, how many said what the host says when there is no such page."""
    empty_pages: int = 0
    """Had no text, or were no page."""
    highest_number: int = -1
    redundant_run: int = 0
    """How many in a row had a higher number than any before, and nothing new."""
    simhashes: "array[int]" = field(default_factory=lambda: array("Q"))
    """The simhashes that were new, oldest first, each in 64 bits without a sign."""

    @property
    def redundant_share(self) -> float:
        """How many said nothing new."""
        return (self.duplicates + self.empty_pages) / max(self.recent_urls, 1)

    def record(self, simhash: int, kept: bool, is_soft_404: bool, number: int) -> None:
        """One URL more; `simhash` 0 is no text, not `kept` no page."""
        self.urls += 1
        self.recent_urls += 1
        new = False
        if not kept or not simhash:
            self.empty_pages += 1
        elif is_soft_404 or any(
            (simhash ^ other).bit_count() <= MAX_DUPLICATE_BITS for other in self.simhashes
        ):
            self.duplicates += 1
            self.soft_404s += is_soft_404
        else:
            new = True
            self.simhashes.append(simhash)
            del self.simhashes[:-MAX_REMEMBERED_SIMHASHES]
        if kept and number > self.highest_number:  # a 404 is the end that a list should have
            self.highest_number = number
            self.redundant_run = 0 if new else self.redundant_run + 1

    def decay(self) -> None:
        """What is past counts half, so that a trap is seen even behind thousands of pages."""
        self.recent_urls //= 2
        self.duplicates //= 2
        self.soft_404s //= 2
        self.empty_pages //= 2

    def subtract(self, other: "PatternStats") -> None:
        """Forget what was counted both here and there."""
        self.recent_urls = max(self.recent_urls - other.recent_urls, 0)
        self.duplicates = max(self.duplicates - other.duplicates, 0)
        self.soft_404s = max(self.soft_404s - other.soft_404s, 0)
        self.empty_pages = max(self.empty_pages - other.empty_pages, 0)
