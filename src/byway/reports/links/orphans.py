"""Orphans: kept pages without inlinks, found as seeds or in a sitemap or feed."""

import numpy as np

from byway.core.model import UrlId, UrlState
from byway.core.model.link_report import Orphan, Orphans
from byway.core.ports import LinkGraph
from byway.reports.links.hosts import site_page_mask


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
