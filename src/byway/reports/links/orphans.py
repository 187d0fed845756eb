"""Which kept pages does nothing link to? People named them, or a sitemap or a feed did."""

from dataclasses import dataclass

import numpy as np

from byway.core.model import Url, UrlId, UrlState
from byway.core.ports import LinkGraph
from byway.reports.links.hosts import site_page_mask


@dataclass(frozen=True, slots=True)
class Orphan:
    """A kept page that nothing links to."""

    url: Url
    is_seed: bool
    """Did a person name it, or did what a person named redirect to it?"""


@dataclass(frozen=True, slots=True)
class Orphans:
    """The orphans: how many in all, and the first of them."""

    total: int
    pages: tuple[Orphan, ...]


def orphans(graph: LinkGraph, site: str = "", limit: int = 0) -> Orphans:
    """The kept pages (of a site) that no known page links to, not even through a redirect."""
    linked = graph.in_degrees() > 0
    linked[graph.redirect_targets()[linked]] = True
    alone = graph.ids_in_state(
        UrlState.KEPT, among=np.flatnonzero(~linked & site_page_mask(graph, site))
    )
    first = graph.url_records(UrlId(id) for id in alone[: limit or None].tolist())
    found = sorted(first.values(), key=lambda record: record.id)
    return Orphans(len(alone), tuple(Orphan(record.url, record.seed) for record in found))
