"""Personal boosts: host factors applied after all signals; blocked hosts are excluded."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from byway.core.model import Boost, Signal
from byway.core.model.candidates import Floats, Ids
from byway.core.model.query import AnyOf, Filter, Not, ParsedQuery
from byway.core.url import url_hash
from byway.search.rank.signals import SignalScores

BOOST_SIGNAL_NAME = "personal"
"""The name of a boost among the signals of a hit."""

SignalExplainer = Callable[[int], tuple[Signal, ...]]


def blocked_hosts(boosts: Mapping[str, Boost]) -> list[str]:
    """The hosts that the user has blocked."""
    return [host for host, boost in boosts.items() if boost.factor <= 0]


def exclude_hosts(query: ParsedQuery, hosts: Sequence[str]) -> ParsedQuery:
    """The query without the pages of these hosts."""
    return ParsedQuery((*query.clauses, *(Not(Filter("site", host)) for host in hosts)))


def restrict_to_hosts(query: ParsedQuery, hosts: Sequence[str]) -> ParsedQuery:
    """The query over the pages of these hosts only."""
    return ParsedQuery((*query.clauses, AnyOf(tuple(Filter("site", host) for host in hosts))))


def apply_boosts(
    scored: SignalScores, hosts: Ids, boosts: Mapping[str, Boost]
) -> tuple[Floats, SignalExplainer]:
    """The boosted score of every candidate, and a function that explains one."""
    boost_by_hash = {
        url_hash(name): boost for host, boost in boosts.items() for name in _host_names(host)
    }
    boost_by_hash |= {url_hash(host): boost for host, boost in boosts.items()}
    rows = [boost_by_hash.get(number) for number in hosts.tolist()] if boost_by_hash else []
    if not any(rows):
        return scored.total, scored.explain
    factors = np.array([boost.factor if boost else 1.0 for boost in rows])
    # A share of its size, so that a boost never lowers a page whose score is below 0.
    size = np.abs(scored.total)

    def explain(row: int) -> tuple[Signal, ...]:
        signals, boost = scored.explain(row), rows[row]
        if boost is None:
            return signals
        boosted = Signal(BOOST_SIGNAL_NAME, float(size[row]), boost.factor - 1, boost.reason)
        return (*signals, boosted)

    return scored.total + size * (factors - 1), explain


def _host_names(host: str) -> tuple[str, str]:
    """The host without and with www, which are the same site to a user."""
    return host.removeprefix("www."), f"www.{host.removeprefix('www.')}"
