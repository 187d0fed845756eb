"""Orphans: kept pages without inlinks, found as seeds or in a sitemap or feed."""

from dataclasses import dataclass

import numpy as np

from byway.core.model import Url, UrlId, UrlState
from byway.core.ports import LinkGraph
from byway.reports.links.hosts import site_page_mask


@dataclass(frozen=True, slots=True)
class Orphan:
    """A kept page without inlinks."""

    url: Url
    is_seed: bool
    """Whether it is a seed, or a seed redirected to it."""


@dataclass(frozen=True, slots=True)
class Orphans:
    """The number of orphans, and the first few of them."""

    total: int
    pages: tuple[Orphan, ...]


def orphans(graph: LinkGraph, site: str = "", limit: int = 0) -> Orphans:
    """The kept pages (of a site) that no page links to, not even through a redirect."""
    linked = graph.in_degrees() > 0
    linked[graph.redirect_targets()[linked]] = True
    orphan_ids = graph.ids_in_state(
        UrlState.KEPT, among=np.flatnonzero(~linked & site_page_mask(graph, site))
    )
    first = graph.url_records(UrlId(id) for id in orphan_ids[: limit or None].tolist())
    found = sorted(first.values(), key=lambda record: record.id)
    return Orphans(len(orphan_ids), tuple(Orphan(record.url, record.seed) for record in found))
