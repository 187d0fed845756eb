"""Link graph port: edges between URLs, by id."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from byway.core.model import Neighbour, Url, UrlId, UrlRecord, UrlState
from byway.core.model.candidates import Ids


class LinkGraph(Protocol):
    """The link graph: edges between URL ids, and the records of the URLs."""

    def edges(
        self, nofollow: bool = False
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Sources and targets of the links, in chunks; `nofollow` includes nofollow links.

        All links of a page are in one chunk.
        """

    def size(self) -> int:
        """One more than the highest URL id."""

    def host_ids(self) -> NDArray[np.int32]:
        """The host id of every URL, by URL id; 0 if no URL has that id."""

    def outlinks(self, id: UrlId) -> list[Neighbour]:
        """The outlinks of a page, in page order."""

    def target_hashes(self, id: UrlId) -> tuple[int, ...]:
        """The hashes of the URLs that a page links to, in order of URL id."""

    def inlinks(self, id: UrlId) -> Iterator[Neighbour]:
        """The inlinks of a page, in order of URL id."""

    def edges_to(self, ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Sources and targets of all links to these URLs, including nofollow."""

    def edges_from(self, ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Sources and targets of the links on these pages, without nofollow."""

    def redirect_targets(self) -> NDArray[np.int32]:
        """The final redirect target of each URL, by URL id; the URL itself if it has none.

        Redirect loops and redirects to unvisited URLs are ignored.
        """

    def in_degrees(self) -> NDArray[np.int32]:
        """The number of pages that link to each URL, including nofollow, by URL id."""

    def all_outlinks(self) -> Iterator[tuple[UrlId, list[Neighbour]]]:
        """Every page that has outlinks, with its outlinks, in order of URL id."""

    def url_records(self, ids: Iterable[UrlId]) -> Mapping[UrlId, UrlRecord]:
        """The records of these URLs, without their fetch times."""

    def ids_in_state(self, *states: UrlState, among: Ids | None = None) -> Ids:
        """The sorted ids of URLs in any of these states; only those in `among` if given."""

    def find_url(self, url: Url) -> UrlRecord | None:
        """The record of this URL; None if it is unknown."""

    def host_names(self) -> Mapping[int, str]:
        """The name of every host, including its port, by host id."""
