"""Host diversity: limits the consecutive hits of one host."""

from collections.abc import Sequence

MIN_SCORE_RATIO = 0.6
"""Minimum ratio of the score of a hit that moves up to that of the hit it overtakes. On
documentation and encyclopedia pages, a hit with half the score has one of two words and is not
useful."""


def diversify_hosts(
    hosts: Sequence[int], scores: Sequence[float], max_consecutive: int
) -> tuple[list[int], list[int]]:
    """A new order of hits, best first, and how many hits were demoted at each position.

    A hit beyond the limit of its host waits until a hit of another host has been placed; the number
    of waiting hits is reported at the last hit of the run. If no other host has a hit with a
    sufficient score, the waiting hits follow in order.
    """
    order = list(range(len(hosts)))
    demoted = [0] * len(hosts)
    reported = 0  # hits before this one have been reported as demoted
    next_other = run_length = 0
    for place, hit in enumerate(order):
        same_host = place > 0 and hosts[hit] == hosts[order[place - 1]]
        run_length = run_length + 1 if same_host else 1
        if run_length <= max_consecutive:
            continue
        next_other = max(next_other, place + 1)
        while next_other < len(order) and hosts[order[next_other]] == hosts[hit]:
            next_other += 1
        if next_other == len(order):
            break
        if scores[order[next_other]] >= MIN_SCORE_RATIO * scores[hit]:
            demoted[place - 1] = sum(one >= reported for one in order[place:next_other])
            reported = max(reported, order[next_other])
            order.insert(place, order.pop(next_other))
            run_length = 1
    return order, demoted
