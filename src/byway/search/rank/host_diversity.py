"""Does one host crowd out the others? No more than so many of its hits stand in a row."""

from collections import deque
from collections.abc import Sequence

MIN_SCORE_RATIO = 0.6
"""The share of a hit's score from which on another host's may come before it. Over documentation
and encyclopaedia pages, what has half the score has but one of two words, and is of no use."""


def diversify_hosts(
    hosts: Sequence[int], scores: Sequence[float], max_consecutive: int
) -> tuple[list[int], list[int]]:
    """A new order for hits of these hosts, best first, and how many each place put off.

    A hit that would be one too many of its host waits until another host's stands before it; the
    last one of the row is told how many wait there. When no other host is left that has something
    to say, all come in turn.
    """
    order: list[int] = []
    put_off: list[int] = []
    waiting: deque[int] = deque()  # all of one host
    here = row = told = 0
    last: int | None = None
    while here < len(hosts) or waiting:
        crowded = row >= max_consecutive
        if crowded and (not waiting or hosts[waiting[0]] == last):
            while here < len(hosts) and hosts[here] == last:
                waiting.append(here)
                here += 1
            if waiting and (
                here == len(hosts) or scores[here] < MIN_SCORE_RATIO * scores[waiting[0]]
            ):
                crowded = False
            elif len(waiting) > told:
                put_off[-1] = len(waiting) - told
                told = len(waiting)
        if waiting and not (crowded and hosts[waiting[0]] == last):
            chosen, told = waiting.popleft(), max(0, told - 1)
        else:
            chosen, here = here, here + 1
        row = row + 1 if hosts[chosen] == last else 1
        last = hosts[chosen]
        order.append(chosen)
        put_off.append(0)
    return order, put_off
