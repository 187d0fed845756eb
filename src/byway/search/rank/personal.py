"""What is a host worth to who asks? Its pages rise or sink after all signals, or are left out."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from byway.core.model import Boost, Signal
from byway.core.model.candidates import Floats, Ids
from byway.core.model.query import AnyOf, Filter, Not, Question
from byway.core.url import hash_of
from byway.search.rank.signals import Scored

NAME = "personal"
"""What the reason is called beside those of the signals."""

Why = Callable[[int], tuple[Signal, ...]]


def blocked_of(boosts: Mapping[str, Boost]) -> list[str]:
    """The hosts that are worth nothing."""
    return [host for host, boost in boosts.items() if boost.factor <= 0]


def without(question: Question, hosts: Sequence[str]) -> Question:
    """The same question, but for pages of these hosts."""
    return Question((*question.parts, *(Not(Filter("site", host)) for host in hosts)))


def only(question: Question, hosts: Sequence[str]) -> Question:
    """The same question, asked of these hosts alone."""
    return Question((*question.parts, AnyOf(tuple(Filter("site", host) for host in hosts))))


def raised(scored: Scored, hosts: Ids, boosts: Mapping[str, Boost]) -> tuple[Floats, Why]:
    """Every candidate's score with what its host is worth, and all reasons for it."""
    worth = {hash_of(name): boost for host, boost in boosts.items() for name in _names(host)}
    worth |= {hash_of(host): boost for host, boost in boosts.items()}
    rows = [worth.get(number) for number in hosts.tolist()] if worth else []
    if not any(rows):
        return scored.total, scored.why
    factors = np.array([boost.factor if boost else 1.0 for boost in rows])
    # A share of its size, so that a boost never sinks a page whose score is below 0.
    size = np.abs(scored.total)

    def why(row: int) -> tuple[Signal, ...]:
        signals, boost = scored.why(row), rows[row]
        if boost is None:
            return signals
        return (*signals, Signal(NAME, float(size[row]), boost.factor - 1, boost.sentence))

    return scored.total + size * (factors - 1), why


def _names(host: str) -> tuple[str, str]:
    """A host with and without www, which people take for the same."""
    return host.removeprefix("www."), f"www.{host.removeprefix('www.')}"
