"""What is a host worth to who asks? Its pages rise or sink after all signals, or are left out."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from byway.core.model import Boost, Signal
from byway.core.model.candidates import Floats, Ids
from byway.core.model.query import AnyOf, Filter, Not, ParsedQuery
from byway.core.url import url_hash
from byway.search.rank.signals import SignalScores

BOOST_SIGNAL_NAME = "personal"
"""What the reason is called beside those of the signals."""

SignalExplainer = Callable[[int], tuple[Signal, ...]]


def blocked_hosts(boosts: Mapping[str, Boost]) -> list[str]:
    """The hosts that are worth nothing."""
    return [host for host, boost in boosts.items() if boost.factor <= 0]


def exclude_hosts(query: ParsedQuery, hosts: Sequence[str]) -> ParsedQuery:
    """The same question, but for pages of these hosts."""
    return ParsedQuery((*query.clauses, *(Not(Filter("site", host)) for host in hosts)))


def restrict_to_hosts(query: ParsedQuery, hosts: Sequence[str]) -> ParsedQuery:
    """The same question, asked of these hosts alone."""
    return ParsedQuery((*query.clauses, AnyOf(tuple(Filter("site", host) for host in hosts))))


def apply_boosts(
    scored: SignalScores, hosts: Ids, boosts: Mapping[str, Boost]
) -> tuple[Floats, SignalExplainer]:
    """Every candidate's score with what its host is worth, and all reasons for it."""
    worth = {url_hash(name): boost for host, boost in boosts.items() for name in _names(host)}
    worth |= {url_hash(host): boost for host, boost in boosts.items()}
    rows = [worth.get(number) for number in hosts.tolist()] if worth else []
    if not any(rows):
        return scored.total, scored.explain
    factors = np.array([boost.factor if boost else 1.0 for boost in rows])
    # A share of its size, so that a boost never sinks a page whose score is below 0.
    size = np.abs(scored.total)

    def why(row: int) -> tuple[Signal, ...]:
        signals, boost = scored.explain(row), rows[row]
        if boost is None:
            return signals
        return (
            *signals,
            Signal(BOOST_SIGNAL_NAME, float(size[row]), boost.factor - 1, boost.sentence),
        )

    return scored.total + size * (factors - 1), why


def _names(host: str) -> tuple[str, str]:
    """A host with and without www, which people take for the same."""
    return host.removeprefix("www."), f"www.{host.removeprefix('www.')}"
