"""Anchor store port: anchor texts and outgoing links of pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from byway.core.model import UrlId
from byway.core.url import url_hash


@dataclass(frozen=True, slots=True)
class PageLinks:
    """The anchor texts of a page's inlinks, and the targets of its outlinks."""

    anchors: tuple[tuple[str, int], ...] = ()
    """Anchor texts from other pages with their counts, most frequent first."""
    target_hashes: tuple[int, ...] = ()
    """The hashes of the URLs that the page links to."""

    @property
    def anchors_hash(self) -> int:
        """A 64-bit hash of the anchor texts and their counts."""
        return url_hash("\n".join(f"{links} {text}" for text, links in self.anchors))


class AnchorStore(Protocol):
    """Anchor texts by target page. Derived from the link graph."""

    def update_sources(
        self, sequence: int, sources: Iterable[UrlId], removed: Iterable[UrlId] = ()
    ) -> None:
        """Replace the links of these sources, and delete the links of removed ones.

        Does nothing if the store is already current up to this sequence number.
        """

    def anchors_for(self, ids: Sequence[UrlId]) -> Mapping[UrlId, PageLinks]:
        """The anchor texts and link targets of these pages."""

    def mark_indexed(self, anchors_hashes: Mapping[UrlId, int]) -> None:
        """Record that these pages were indexed with the anchor texts that have these hashes."""

    def commit_changes(self) -> None:
        """Commit, and assign the anchor texts of redirects to their final targets."""

    def pages_with_changed_anchors(self, limit: int) -> list[UrlId]:
        """Pages whose anchor texts have changed since they were indexed."""
