"""Host map: the host and site ids of pages, trusted hosts, and redirect targets."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from byway.core.model import Url
from byway.core.ports import LinkGraph
from byway.core.url import bare_host, site_of

log = logging.getLogger(__name__)

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class HostMap:
    """The known pages, hosts and sites by id. Id 0 is unused."""

    host_ids: Ints
    """The host of each page."""
    site_ids: Ints
    """The site of each host."""
    trusted_hosts: Flags
    """Whether each host is trusted."""
    redirect_targets: Ints
    """The final redirect target of each page; the page itself if it does not redirect."""

    @property
    def page_ids(self) -> Ints:
        """The id of each page; 0 for unused ids and redirects."""
        ids = np.arange(len(self.host_ids), dtype=np.int32)
        ids[(self.host_ids == 0) | (self.redirect_targets != ids)] = 0
        return ids


def load_host_map(graph: LinkGraph, trusted: Sequence[str]) -> HostMap:
    """The host map of a link graph; `trusted` lists host or site names."""
    host_ids = graph.host_ids()
    names = [""] * (int(host_ids.max(initial=0)) + 1)
    for id, name in graph.host_names().items():
        if id < len(names):  # else it was added after the pages were read
            names[id] = name
    sites = [site_of(Url(f"http://{name}/")) if name else "" for name in names]
    return HostMap(
        host_ids=host_ids,
        site_ids=_number_sites(sites),
        trusted_hosts=_find_trusted(names, sites, trusted),
        redirect_targets=_redirect_targets(graph, len(host_ids)),
    )


def _redirect_targets(graph: LinkGraph, size: int) -> Ints:
    """Redirect targets of the pages known when the hosts were read."""
    targets = np.arange(size, dtype=np.int32)
    found = graph.redirect_targets()[:size]
    known = found < size
    targets[: len(found)][known] = found[known]
    return targets


def _number_sites(sites: Sequence[str]) -> Ints:
    ids = {"": 0}
    return np.array([ids.setdefault(site, len(ids)) for site in sites], np.int32)


def _find_trusted(names: Sequence[str], sites: Sequence[str], wanted: Sequence[str]) -> Flags:
    flags = np.zeros(len(names), bool)
    for trusted in {name.lower().rstrip("/") for name in wanted}:
        matches = [
            trusted in (name, bare_host(name), site) if name else False
            for name, site in zip(names, sites, strict=True)
        ]
        if not any(matches):
            log.warning(
                "rank.trusted_sites: no page of %s is known; name a host, such as example.org",
                trusted,
            )
        flags |= matches
    return flags
