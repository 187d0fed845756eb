"""Open-loop load generator: requests come at random times, whatever the answers take.

Each request has a connection of its own. A closed loop would send less while answers are slow, and
so hide an overload.
"""

import asyncio
import math
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

REQUEST_TIMEOUT_SECONDS = 10.0
SEARCH_PATH = "/api/v1/search?q=words"


@dataclass(slots=True)
class LoadResult:
    """The outcomes of all requests."""

    seconds: float
    requests: int = 0
    accepted_seconds: list[float] = field(default_factory=list)
    """Latencies of answered requests."""
    rejected_seconds: list[float] = field(default_factory=list)
    """Latencies of requests refused with 503 and Retry-After."""
    other_outcomes: Counter[str] = field(default_factory=Counter)
    """Counts of all other outcomes."""
    server_cpu_seconds: float = 0.0
    """CPU seconds of the server."""

    def __add__(self, other: "LoadResult") -> "LoadResult":
        return LoadResult(
            seconds=self.seconds + other.seconds,
            requests=self.requests + other.requests,
            accepted_seconds=self.accepted_seconds + other.accepted_seconds,
            rejected_seconds=self.rejected_seconds + other.rejected_seconds,
            other_outcomes=self.other_outcomes + other.other_outcomes,
            server_cpu_seconds=self.server_cpu_seconds + other.server_cpu_seconds,
        )

    @property
    def goodput(self) -> float:
        """Answers a second."""
        return len(self.accepted_seconds) / self.seconds

    @property
    def goodput_per_cpu_second(self) -> float:
        """Answers for each CPU second of the server."""
        return len(self.accepted_seconds) / max(self.server_cpu_seconds, 0.001)

    def percentile(self, share: float, latencies: list[float] | None = None) -> float:
        """The latency that this share of the answers does not exceed."""
        values = sorted(self.accepted_seconds if latencies is None else latencies)
        return (
            values[min(len(values) - 1, math.ceil(share * len(values)) - 1)] if values else math.nan
        )


@dataclass(frozen=True, slots=True)
class LoadedServer:
    """The URL and the process id of the server."""

    url: str
    pid: int

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of the server so far; 0 where /proc is missing."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def run_server(search_milliseconds: float) -> Iterator[LoadedServer]:
    """A server in a process of its own, whose searches take that long."""
    command = [sys.executable, "-m", "bench.speed.load.server", str(search_milliseconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield LoadedServer(server.stdout.readline().strip(), server.pid)
        finally:
            server.terminate()
            server.wait(10)


async def measure_capacity(server: LoadedServer, seconds: float, clients: int = 8) -> LoadResult:
    """A closed loop: a few clients, each of which sends a request after each answer."""
    result, end, before = LoadResult(seconds), time.monotonic() + seconds, server.cpu_seconds

    async def run_client() -> None:
        while time.monotonic() < end:
            await _request(server.url, SEARCH_PATH, result)

    await asyncio.gather(*(run_client() for _ in range(clients)))
    result.server_cpu_seconds = server.cpu_seconds - before
    return result


async def open_loop_load(
    server: LoadedServer, rate: float, seconds: float, generator: random.Random
) -> LoadResult:
    """Send `rate` requests a second on average, at random times."""
    result, tasks, before = LoadResult(seconds), [], server.cpu_seconds
    start = due = time.monotonic()
    while due < start + seconds:
        await asyncio.sleep(max(0, due - time.monotonic()))
        result.requests += 1
        tasks.append(asyncio.create_task(_request(server.url, SEARCH_PATH, result)))
        due += generator.expovariate(rate)
    await asyncio.gather(*tasks)
    result.server_cpu_seconds = server.cpu_seconds - before
    return result


async def probe_health(url: str, seconds: float) -> LoadResult:
    """Request the health page ten times a second."""
    result = LoadResult(seconds)
    for _ in range(int(seconds * 10)):
        await _request(url, "/healthz", result)
        await asyncio.sleep(0.1)
    return result


async def _request(url: str, target: str, result: LoadResult) -> None:
    start = time.monotonic()
    try:
        async with asyncio.timeout(REQUEST_TIMEOUT_SECONDS):
            head = await _response(url, target)
    except (OSError, TimeoutError) as error:
        result.other_outcomes[type(error).__name__] += 1
        return
    latency, status = time.monotonic() - start, head[9:12].decode()
    if status == "200":
        result.accepted_seconds.append(latency)
    elif status == "503" and b"\r\nretry-after: " in head.lower():
        result.rejected_seconds.append(latency)
    else:
        result.other_outcomes[status or "no status"] += 1


async def _response(url: str, target: str) -> bytes:
    """The complete response, with its head."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        request = f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        writer.write(request.encode())
        return await reader.read()
    finally:
        writer.close()
