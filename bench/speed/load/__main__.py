"""Does the search page stand a rush? At 2 and 8 times of what it can do: make bench-load"""

import argparse
import asyncio
import os
import random

from bench.speed.load.rush import Rush, Server, capacity, health, rush, served

TIMES = (2, 8)
LEAST_GOODPUT, SLOWEST = 0.8, 1.0
ROUNDS = 5
"""Capacity and rush take turns: on a machine that others use, a minute is not like the next."""


def main() -> None:
    """Measure, print, and fail where a promise is broken."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument("--work", type=float, default=25.0, help="milliseconds of one search")
    given = options.parse_args()
    print(f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}")
    with served(given.work) as server:
        kept = [_measured(server, times, given.seconds) for times in TIMES]
    raise SystemExit(0 if all(kept) else 1)


def _measured(server: Server, times: int, seconds: float) -> bool:
    alone, seen, well = Rush(0), Rush(0), Rush(0)
    chance = random.Random(times)
    for _ in range(ROUNDS):
        before = asyncio.run(capacity(server, seconds / ROUNDS))
        rate = before.goodput * times
        rushed, asked = asyncio.run(_both(server, rate, seconds / ROUNDS, chance))
        alone, seen, well = alone + before, seen + rushed, well + asked
    share, slow = seen.goodput / alone.goodput, seen.percentile(0.99)
    print(
        f"{times} x of {alone.goodput:.1f} a second: {seen.asked:,} asked, "
        f"{len(seen.accepted):,} answered ({share:.0%} of capacity; "
        f"{seen.per_cpu / alone.per_cpu:.0%} for each CPU second), "
        f"p50 {seen.percentile(0.5):.3f} s, p99 {slow:.3f} s; "
        f"{len(seen.refused):,} refused with 503 and Retry-After, "
        f"p99 {seen.percentile(0.99, seen.refused):.3f} s; else: {dict(seen.others) or 'nothing'}; "
        f"health p99 {well.percentile(0.99):.3f} s, else: {dict(well.others) or 'nothing'}"
    )
    return share >= LEAST_GOODPUT and slow <= SLOWEST and not seen.others and not well.others


async def _both(
    server: Server, rate: float, seconds: float, chance: random.Random
) -> tuple[Rush, Rush]:
    return await asyncio.gather(rush(server, rate, seconds, chance), health(server.url, seconds))


if __name__ == "__main__":
    main()
