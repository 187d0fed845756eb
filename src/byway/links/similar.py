"""Which hosts are like this one? Those that the same pages link to."""

from dataclasses import dataclass

import numpy as np

from byway.links.hosts import known_edges
from byway.links.site import hosts_of
from byway.ports import LinkGraph


@dataclass(frozen=True, slots=True)
class Similar:
    """A host, and how much its in-links are those of the one that was asked about."""

    host: str
    likeness: float
    """The cosine: 1 when the same pages link to both, 0 when none does."""
    shared: int
    """How many pages link to both."""
    links: int
    """How many pages of other hosts link to it."""


@dataclass(frozen=True, slots=True)
class Likes:
    """What is like a site: how many pages of others link to it, and the most similar hosts."""

    site: str
    links: int
    total: int
    """How many hosts share at least one in-link with it."""
    hosts: tuple[Similar, ...]


def similar(graph: LinkGraph, site: str, limit: int = 20) -> Likes:
    """The hosts that pages link to which also link to this site, by cosine of their in-links.

    A page counts once however many links it has, and not for its own host; nor do the site's own.
    """
    host_of, names = graph.hosts(), graph.host_names()
    size = int(host_of.max(initial=0)) + 1
    ours = np.zeros(size, bool)
    ours[list(hosts_of(graph, site))] = True
    shared, links, about_us = np.zeros(size, np.int64), np.zeros(size, np.int64), 0
    # All links of a page are in one chunk, so each chunk can be counted by itself.
    for sources, targets in known_edges(graph, host_of):
        one, other = host_of[sources], host_of[targets]
        away = (one != other) & ~ours[one]
        pairs = np.unique(sources[away].astype(np.int64) << 32 | other[away])
        pages, hosts = pairs >> 32, pairs & 0xFFFFFFFF
        links += np.bincount(hosts, minlength=size)
        citing = np.unique(pages[ours[hosts]])
        about_us += len(citing)
        shared += np.bincount(hosts[np.isin(pages, citing)], minlength=size)
    shared[ours] = 0
    likeness = shared / np.sqrt(np.maximum(1, links * about_us))
    best = np.lexsort((-shared, -likeness))
    best = best[shared[best] > 0]
    found = (
        Similar(names[host], float(likeness[host]), int(shared[host]), int(links[host]))
        for host in best[: limit or None].tolist()
    )
    return Likes(site, about_us, len(best), tuple(found))
