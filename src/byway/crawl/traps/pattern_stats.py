"""What came of the URLs of one pattern: did they say anything new?"""

from array import array
from dataclasses import dataclass, field

NEAR = 3
"""Bits of 64 in which the simhashes of pages that say the same may differ."""
REMEMBERED = 64
"""Contents that a page is compared with: enough for the months and weekdays of a calendar."""


@dataclass(slots=True)
class Tally:
    """What came of the URLs of one pattern. All but `urls` and `highest` fade with time."""

    urls: int = 0
    tried: int = 0
    near: int = 0
    """Said what another had said."""
    lost: int = 0
    """Of those, how many said what the host says when there is no such page."""
    empty: int = 0
    """Had no text, or were no page."""
    highest: int = -1
    in_a_row: int = 0
    """How many in a row had a higher number than any before, and nothing new."""
    contents: "array[int]" = field(default_factory=lambda: array("Q"))
    """The simhashes that were new, oldest first, each in 64 bits without a sign."""

    @property
    def share(self) -> float:
        """How many said nothing new."""
        return (self.near + self.empty) / max(self.tried, 1)

    def count(self, content: int, kept: bool, lost: bool, number: int) -> None:
        """One URL more; `content` 0 is no text, not `kept` no page."""
        self.urls += 1
        self.tried += 1
        new = False
        if not kept or not content:
            self.empty += 1
        elif lost or any((content ^ other).bit_count() <= NEAR for other in self.contents):
            self.near += 1
            self.lost += lost
        else:
            new = True
            self.contents.append(content)
            del self.contents[:-REMEMBERED]
        if kept and number > self.highest:  # a 404 is the end that a list should have
            self.highest = number
            self.in_a_row = 0 if new else self.in_a_row + 1

    def fade(self) -> None:
        """What is past counts half, so that a trap is seen even behind thousands of pages."""
        self.tried //= 2
        self.near //= 2
        self.lost //= 2
        self.empty //= 2

    def without(self, other: "Tally") -> None:
        """Forget what was counted both here and there."""
        self.tried = max(self.tried - other.tried, 0)
        self.near = max(self.near - other.near, 0)
        self.lost = max(self.lost - other.lost, 0)
        self.empty = max(self.empty - other.empty, 0)
