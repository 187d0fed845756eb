"""Does the search page stand a rush? At 2 and 8 times of what it can do: make bench-load"""

import argparse
import asyncio
import os
import random

from bench.speed.load.rush import (
    LoadedServer,
    LoadResult,
    measure_capacity,
    open_loop_load,
    probe_health,
    run_server,
)

LOAD_FACTORS = (2, 8)
MIN_GOODPUT_SHARE, MAX_P99_SECONDS = 0.8, 1.0
ROUNDS = 5
"""Capacity and rush take turns: on a machine that others use, a minute is not like the next."""


def main() -> None:
    """Measure, print, and fail where a promise is broken."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument("--work", type=float, default=25.0, help="milliseconds of one search")
    given = options.parse_args()
    print(f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}")
    with run_server(given.work) as server:
        kept = [_measured(server, times, given.seconds) for times in LOAD_FACTORS]
    raise SystemExit(0 if all(kept) else 1)


def _measured(server: LoadedServer, times: int, seconds: float) -> bool:
    alone, seen, well = LoadResult(0), LoadResult(0), LoadResult(0)
    chance = random.Random(times)
    for _ in range(ROUNDS):
        before = asyncio.run(measure_capacity(server, seconds / ROUNDS))
        rate = before.goodput * times
        rushed, asked = asyncio.run(_both(server, rate, seconds / ROUNDS, chance))
        alone, seen, well = alone + before, seen + rushed, well + asked
    share, slow = seen.goodput / alone.goodput, seen.percentile(0.99)
    print(
        f"{times} x of {alone.goodput:.1f} a second: {seen.requests:,} asked, "
        f"{len(seen.accepted_seconds):,} answered ({share:.0%} of capacity; "
        f"{seen.goodput_per_cpu_second / alone.goodput_per_cpu_second:.0%} for each CPU second), "
        f"p50 {seen.percentile(0.5):.3f} s, p99 {slow:.3f} s; "
        f"{len(seen.rejected_seconds):,} refused with 503 and Retry-After, "
        f"p99 {seen.percentile(0.99, seen.rejected_seconds):.3f} s; "
        f"else: {dict(seen.other_outcomes) or 'nothing'}; "
        f"health p99 {well.percentile(0.99):.3f} s, else: {dict(well.other_outcomes) or 'nothing'}"
    )
    return (
        share >= MIN_GOODPUT_SHARE
        and slow <= MAX_P99_SECONDS
        and not seen.other_outcomes
        and not well.other_outcomes
    )


async def _both(
    server: LoadedServer, rate: float, seconds: float, chance: random.Random
) -> tuple[LoadResult, LoadResult]:
    return await asyncio.gather(
        open_loop_load(server, rate, seconds, chance), probe_health(server.url, seconds)
    )


if __name__ == "__main__":
    main()
