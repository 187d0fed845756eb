"""Anchor store port: anchor texts and outgoing links of pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from byway.core.model import UrlId


@dataclass(frozen=True, slots=True)
class PageLinks:
    """What links say of a page: those that lead to it, and where its own lead."""

    anchors: tuple[tuple[str, int], ...] = ()
    """What other pages call it, and how often, the most frequent first."""
    target_ids: tuple[int, ...] = ()


class AnchorStore(Protocol):
    """What links say of pages, by the page they lead to. Derived from the link graph."""

    def update_sources(
        self, sequence: int, sources: Iterable[UrlId], removed: Iterable[UrlId] = ()
    ) -> None:
        """Take in the links of these pages, in place of what they were; those of others are gone.

        Unless it was done up to that sequence number.
        """

    def anchors_for(self, ids: Sequence[UrlId]) -> Mapping[UrlId, PageLinks]:
        """What is known of these pages."""

    def mark_indexed(self, page_links: Mapping[UrlId, PageLinks]) -> None:
        """These pages can be found by this now."""

    def commit_changes(self) -> None:
        """Give what links call a redirect to the page it leads to, as far as that is known."""

    def pages_with_changed_anchors(self, limit: int) -> list[UrlId]:
        """Indexed pages that others call otherwise than they did then."""
