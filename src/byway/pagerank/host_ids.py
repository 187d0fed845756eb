"""Whose page is it? Hosts and sites by number, and which of them are trusted."""

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
    """The pages, hosts and sites that are known. Number 0 is nobody's."""

    host_ids: Ints
    """The host of each page."""
    site_ids: Ints
    """The site of each host."""
    trusted_hosts: Flags
    """Which hosts are."""
    redirect_targets: Ints
    """Where each page leads in the end: to itself, unless it redirects."""

    @property
    def page_ids(self) -> Ints:
        """The number of each page: its own, or 0 where there is none, but a redirect."""
        numbers = np.arange(len(self.host_ids), dtype=np.int32)
        numbers[(self.host_ids == 0) | (self.redirect_targets != numbers)] = 0
        return numbers


def load_host_map(graph: LinkGraph, trusted: Sequence[str]) -> HostMap:
    """Who is there, by number; `trusted` are names of hosts or sites."""
    host_of = graph.host_ids()
    names = [""] * (int(host_of.max(initial=0)) + 1)
    for number, name in graph.host_names().items():
        if number < len(names):  # else it came after the pages were read
            names[number] = name
    sites = [site_of(Url(f"http://{name}/")) if name else "" for name in names]
    ends = _ends(graph, len(host_of))
    return HostMap(host_of, _numbered(sites), _trusted(names, sites, trusted), ends)


def _ends(graph: LinkGraph, size: int) -> Ints:
    """The ends of redirects, as far as they were there when the hosts were read."""
    ends = np.arange(size, dtype=np.int32)
    found = graph.redirect_targets()[:size]
    known = found < size
    ends[: len(found)][known] = found[known]
    return ends


def _numbered(sites: Sequence[str]) -> Ints:
    numbers = {"": 0}
    return np.array([numbers.setdefault(site, len(numbers)) for site in sites], np.int32)


def _trusted(names: Sequence[str], sites: Sequence[str], wanted: Sequence[str]) -> Flags:
    flags = np.zeros(len(names), bool)
    for one in {name.lower().rstrip("/") for name in wanted}:
        matches = [
            one in (name, bare_host(name), site) if name else False
            for name, site in zip(names, sites, strict=True)
        ]
        if not any(matches):
            log.warning(
                "rank.trusted_sites: no page of %s is known; write a host, as example.org", one
            )
        flags |= matches
    return flags
