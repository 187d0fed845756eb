"""Load benchmark: the search page at 2 and 8 times its capacity, and with 1 and 2 web workers."""

import argparse
import asyncio
import os
import random

from bench.speed.load.load_generator import (
    LoadedServer,
    LoadResult,
    measure_capacity,
    open_loop_load,
    probe_health,
    run_server,
)
from bench.speed.load.worker_scaling import compare_workers

LOAD_FACTORS = (2, 8)
MIN_GOODPUT_SHARE, MAX_P99_SECONDS = 0.8, 1.0
ROUNDS = 5
"""Capacity and overload are measured in turn, since other load changes within minutes."""


def main() -> None:
    """Measure, print, and fail if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--work", type=float, default=25.0, help="milliseconds of one search")
    parser.add_argument("--part", choices=("overload", "workers"), help="run only this part")
    args = parser.parse_args()
    print(f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}")
    met = []
    if args.part != "workers":
        with run_server(args.work) as server:
            met += [_meets_targets(server, factor, args.seconds) for factor in LOAD_FACTORS]
    if args.part != "overload":
        met.append(compare_workers(args.seconds))
    raise SystemExit(0 if all(met) else 1)


def _meets_targets(server: LoadedServer, factor: int, seconds: float) -> bool:
    capacity, load, health = LoadResult(0), LoadResult(0), LoadResult(0)
    generator = random.Random(factor)
    for _ in range(ROUNDS):
        unloaded = asyncio.run(measure_capacity(server, seconds / ROUNDS))
        rate = unloaded.goodput * factor
        loaded, probes = asyncio.run(_load_and_probe(server, rate, seconds / ROUNDS, generator))
        capacity, load, health = capacity + unloaded, load + loaded, health + probes
    share, p99 = load.goodput / capacity.goodput, load.percentile(0.99)
    efficiency = load.goodput_per_cpu_second / capacity.goodput_per_cpu_second
    print(
        f"{factor} x of {capacity.goodput:.1f} a second: {load.requests:,} requests, "
        f"{len(load.accepted_seconds):,} answered ({share:.0%} of capacity; "
        f"{efficiency:.0%} per CPU second), "
        f"p50 {load.percentile(0.5):.3f} s, p99 {p99:.3f} s; "
        f"{len(load.rejected_seconds):,} refused with 503 and Retry-After, "
        f"p99 {load.percentile(0.99, load.rejected_seconds):.3f} s; "
        f"other outcomes: {dict(load.other_outcomes) or 'none'}; "
        f"health p99 {health.percentile(0.99):.3f} s, "
        f"other outcomes: {dict(health.other_outcomes) or 'none'}"
    )
    return (
        share >= MIN_GOODPUT_SHARE
        and p99 <= MAX_P99_SECONDS
        and not load.other_outcomes
        and not health.other_outcomes
    )


async def _load_and_probe(
    server: LoadedServer, rate: float, seconds: float, generator: random.Random
) -> tuple[LoadResult, LoadResult]:
    return await asyncio.gather(
        open_loop_load(server, rate, seconds, generator), probe_health(server.url, seconds)
    )


if __name__ == "__main__":
    main()
