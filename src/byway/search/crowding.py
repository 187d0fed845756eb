"""Does one host crowd out the others? No more than so many of its hits stand in a row."""

from collections import deque
from collections.abc import Sequence


def spread(hosts: Sequence[int], in_a_row: int) -> tuple[list[int], list[int]]:
    """A new order for hits of these hosts, best first, and how many each place put off.

    A hit that would be one too many of its host waits until another host's stands before it; the
    last one of the row is told how many wait there. When no other host is left, all come in turn.
    """
    order: list[int] = []
    put_off: list[int] = []
    waiting: deque[int] = deque()
    here = row = 0
    last: int | None = None
    while here < len(hosts) or waiting:
        crowded = row >= in_a_row
        if waiting and not (crowded and hosts[waiting[0]] == last):
            chosen = waiting.popleft()
        else:
            begun = len(waiting)
            while crowded and here < len(hosts) and hosts[here] == last:
                waiting.append(here)
                here += 1
            if here < len(hosts):
                chosen, here = here, here + 1
            else:
                chosen = waiting.popleft()
            if len(waiting) > begun and order and hosts[chosen] != last:
                put_off[-1] = len(waiting) - begun
        row = row + 1 if hosts[chosen] == last else 1
        last = hosts[chosen]
        order.append(chosen)
        put_off.append(0)
    return order, put_off
