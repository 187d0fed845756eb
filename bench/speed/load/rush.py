"""How does a site fare when too many people ask? An open-loop generator: nobody waits for others.

People come at random, as they do, and each opens a connection of their own. What a slow answer
keeps one of them from asking is asked all the same, or overload would hide itself.
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
    """What came of all that was asked."""

    seconds: float
    requests: int = 0
    accepted_seconds: list[float] = field(default_factory=list)
    """How long each took that was answered."""
    rejected_seconds: list[float] = field(default_factory=list)
    """How long each took that was told to come back, and when."""
    other_outcomes: Counter[str] = field(default_factory=Counter)
    """Everything else, by what it was."""
    server_cpu_seconds: float = 0.0
    """CPU seconds that the server took."""

    def __add__(self, other: "LoadResult") -> "LoadResult":
        return LoadResult(
            self.seconds + other.seconds,
            self.requests + other.requests,
            self.accepted_seconds + other.accepted_seconds,
            self.rejected_seconds + other.rejected_seconds,
            self.other_outcomes + other.other_outcomes,
            self.server_cpu_seconds + other.server_cpu_seconds,
        )

    @property
    def goodput(self) -> float:
        """Answers a second."""
        return len(self.accepted_seconds) / self.seconds

    @property
    def goodput_per_cpu_second(self) -> float:
        """Answers for each second that the server worked."""
        return len(self.accepted_seconds) / max(self.server_cpu_seconds, 0.001)

    def percentile(self, share: float, latencies: list[float] | None = None) -> float:
        """How long that share of the answers took at most."""
        took = sorted(self.accepted_seconds if latencies is None else latencies)
        return took[min(len(took) - 1, math.ceil(share * len(took)) - 1)] if took else math.nan


@dataclass(frozen=True, slots=True)
class LoadedServer:
    """Where it is, and the number of its process."""

    url: str
    pid: int

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds that it has taken so far; 0 where nobody tells."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def run_server(search_milliseconds: float) -> Iterator[LoadedServer]:
    """A server of its own process, whose searches take that long."""
    command = [sys.executable, "-m", "bench.speed.load.server", str(search_milliseconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield LoadedServer(server.stdout.readline().strip(), server.pid)
        finally:
            server.terminate()
            server.wait(10)


async def measure_capacity(server: LoadedServer, seconds: float, clients: int = 8) -> LoadResult:
    """What comes of it when each of a few people asks again as soon as they have their answer."""
    seen, end, before = LoadResult(seconds), time.monotonic() + seconds, server.cpu_seconds

    async def ask_on() -> None:
        while time.monotonic() < end:
            await _ask(server.url, SEARCH_PATH, seen)

    await asyncio.gather(*(ask_on() for _ in range(clients)))
    seen.server_cpu_seconds = server.cpu_seconds - before
    return seen


async def open_loop_load(
    server: LoadedServer, rate: float, seconds: float, chance: random.Random
) -> LoadResult:
    """Ask `rate` times a second on average, at random moments."""
    seen, tasks, before = LoadResult(seconds), [], server.cpu_seconds
    start = due = time.monotonic()
    while due < start + seconds:
        await asyncio.sleep(max(0, due - time.monotonic()))
        seen.requests += 1
        tasks.append(asyncio.create_task(_ask(server.url, SEARCH_PATH, seen)))
        due += chance.expovariate(rate)
    await asyncio.gather(*tasks)
    seen.server_cpu_seconds = server.cpu_seconds - before
    return seen


async def probe_health(url: str, seconds: float) -> LoadResult:
    """Ask how the server is, ten times a second."""
    seen = LoadResult(seconds)
    for _ in range(int(seconds * 10)):
        await _ask(url, "/healthz", seen)
        await asyncio.sleep(0.1)
    return seen


async def _ask(url: str, target: str, seen: LoadResult) -> None:
    start = time.monotonic()
    try:
        async with asyncio.timeout(REQUEST_TIMEOUT_SECONDS):
            head = await _head(url, target)
    except (OSError, TimeoutError) as error:
        seen.other_outcomes[type(error).__name__] += 1
        return
    took, status = time.monotonic() - start, head[9:12].decode()
    if status == "200":
        seen.accepted_seconds.append(took)
    elif status == "503" and b"\r\nretry-after: " in head.lower():
        seen.rejected_seconds.append(took)
    else:
        seen.other_outcomes[status or "nothing"] += 1


async def _head(url: str, target: str) -> bytes:
    """The whole answer, of which the beginning is of interest."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        head = f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        return await reader.read()
    finally:
        writer.close()
