"""Link graph port: edges between URLs, by number."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from byway.core.model import Neighbour, Url, UrlId, UrlRecord, UrlState
from byway.core.model.candidates import Ids


class LinkGraph(Protocol):
    """Who links to whom, as numbers, and what the numbers stand for."""

    def edges(
        self, nofollow: bool = False
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Sources and targets of the links, in chunks; with `nofollow`, of those too.

        All of a page's are in one chunk.
        """

    def size(self) -> int:
        """One more than the highest URL number."""

    def host_ids(self) -> NDArray[np.int32]:
        """The host's number of every URL, by URL number; 0 where there is no URL."""

    def outlinks(self, id: UrlId) -> list[Neighbour]:
        """The pages that a page links to, in the order of its links."""

    def inlinks(self, id: UrlId) -> Iterator[Neighbour]:
        """The pages that link to a page, in the order of their numbers."""

    def edges_to(self, ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Sources and targets of every link to one of these, nofollow or not."""

    def edges_from(self, ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Sources and targets of the links on these pages, but for nofollow."""

    def redirect_targets(self) -> NDArray[np.int32]:
        """Where each URL leads in the end, by URL number: to itself, or along its redirects.

        Redirects that never arrive, or where we have not been, lead to themselves.
        """

    def in_degrees(self) -> NDArray[np.int32]:
        """How many pages link to each URL, nofollow or not, by URL number."""

    def all_outlinks(self) -> Iterator[tuple[UrlId, list[Neighbour]]]:
        """Every page that has links, with them, in the order of the pages' numbers."""

    def url_records(self, ids: Iterable[UrlId]) -> Mapping[UrlId, UrlRecord]:
        """What is known of these URLs, but for when they were fetched."""

    def ids_in_state(self, *states: UrlState, among: Ids | None = None) -> Ids:
        """The numbers of the URLs (of all, or of those) in one of these states, in order."""

    def find_url(self, url: Url) -> UrlRecord | None:
        """What became of this URL; None if we never heard of it."""

    def host_names(self) -> Mapping[int, str]:
        """The name of every host, port included, by host number."""
