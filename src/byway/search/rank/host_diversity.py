"""Host diversity: limits the consecutive hits of one host."""

from collections import deque
from collections.abc import Sequence

MIN_SCORE_RATIO = 0.6
"""Minimum ratio of the score of a hit that moves up to that of the hit it overtakes. On
documentation and encyclopedia pages, a hit with half the score has one of two words and is not
useful."""


def diversify_hosts(
    hosts: Sequence[int], scores: Sequence[float], max_consecutive: int
) -> tuple[list[int], list[int]]:
    """A new order of hits, best first, and how many hits were demoted at each place.

    A hit beyond the limit of its host waits until a hit of another host has been placed; the number
    of waiting hits is reported at the last hit of the run. If no other host has a hit with a
    sufficient score, the waiting hits follow in order.
    """
    order: list[int] = []
    demoted: list[int] = []
    waiting: deque[int] = deque()  # all of one host
    next_hit = run_length = reported = 0
    last_host: int | None = None
    while next_hit < len(hosts) or waiting:
        crowded = run_length >= max_consecutive
        if crowded and (not waiting or hosts[waiting[0]] == last_host):
            while next_hit < len(hosts) and hosts[next_hit] == last_host:
                waiting.append(next_hit)
                next_hit += 1
            if waiting and (
                next_hit == len(hosts) or scores[next_hit] < MIN_SCORE_RATIO * scores[waiting[0]]
            ):
                crowded = False
            elif len(waiting) > reported:
                demoted[-1] = len(waiting) - reported
                reported = len(waiting)
        if waiting and not (crowded and hosts[waiting[0]] == last_host):
            chosen, reported = waiting.popleft(), max(0, reported - 1)
        else:
            chosen, next_hit = next_hit, next_hit + 1
        run_length = run_length + 1 if hosts[chosen] == last_host else 1
        last_host = hosts[chosen]
        order.append(chosen)
        demoted.append(0)
    return order, demoted
