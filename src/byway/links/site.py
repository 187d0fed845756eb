"""Which pages are meant by the name of a site? Those of the host, and of the hosts below it."""

import numpy as np
from numpy.typing import NDArray

from byway.errors import UsageError
from byway.ports import LinkGraph
from byway.url import bare_host, guess, host_of


def hosts_of(graph: LinkGraph, site: str) -> set[int]:
    """The numbers of a site's hosts: the one that is named, and all below it.

    A name without a port means every port, as `site:` does in a search.
    """
    name = host_of(guess(site))
    found = {number for number, host in graph.host_names().items() if _is_of(host, name)}
    if not found:
        raise UsageError(f"no page of {name} is known; `byway links --top hosts` lists who is")
    return found


def pages_of(graph: LinkGraph, site: str) -> NDArray[np.bool_]:
    """By URL number: is it one of the site's? Without a name, every number is."""
    if not site:
        return np.ones(graph.size(), bool)
    ours: NDArray[np.bool_] = np.isin(graph.hosts(), list(hosts_of(graph, site)))
    return ours


def _is_of(host: str, name: str) -> bool:
    bare = bare_host(host)
    return host == name or bare == name or bare.endswith("." + name)
