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

PATIENCE = 10.0
TARGET = "/api/v1/search?q=words"


@dataclass(slots=True)
class Rush:
    """What came of all that was asked."""

    seconds: float
    asked: int = 0
    accepted: list[float] = field(default_factory=list)
    """How long each took that was answered."""
    refused: list[float] = field(default_factory=list)
    """How long each took that was told to come back, and when."""
    others: Counter[str] = field(default_factory=Counter)
    """Everything else, by what it was."""
    cpu: float = 0.0
    """CPU seconds that the server took."""

    def __add__(self, other: "Rush") -> "Rush":
        return Rush(
            self.seconds + other.seconds,
            self.asked + other.asked,
            self.accepted + other.accepted,
            self.refused + other.refused,
            self.others + other.others,
            self.cpu + other.cpu,
        )

    @property
    def goodput(self) -> float:
        """Answers a second."""
        return len(self.accepted) / self.seconds

    @property
    def per_cpu(self) -> float:
        """Answers for each second that the server worked."""
        return len(self.accepted) / max(self.cpu, 0.001)

    def percentile(self, share: float, of: list[float] | None = None) -> float:
        """How long that share of the answers took at most."""
        took = sorted(self.accepted if of is None else of)
        return took[min(len(took) - 1, math.ceil(share * len(took)) - 1)] if took else math.nan


@dataclass(frozen=True, slots=True)
class Server:
    """Where it is, and the number of its process."""

    url: str
    process: int

    @property
    def cpu(self) -> float:
        """CPU seconds that it has taken so far; 0 where nobody tells."""
        try:
            fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(milliseconds: float) -> Iterator[Server]:
    """A server of its own process, whose searches take that long."""
    command = [sys.executable, "-m", "bench.speed.load.server", str(milliseconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield Server(server.stdout.readline().strip(), server.pid)
        finally:
            server.terminate()
            server.wait(10)


async def capacity(server: Server, seconds: float, people: int = 8) -> Rush:
    """What comes of it when each of a few people asks again as soon as they have their answer."""
    seen, end, before = Rush(seconds), time.monotonic() + seconds, server.cpu

    async def ask_on() -> None:
        while time.monotonic() < end:
            await _ask(server.url, TARGET, seen)

    await asyncio.gather(*(ask_on() for _ in range(people)))
    seen.cpu = server.cpu - before
    return seen


async def rush(server: Server, rate: float, seconds: float, chance: random.Random) -> Rush:
    """Ask `rate` times a second on average, at random moments."""
    seen, tasks, before = Rush(seconds), [], server.cpu
    start = due = time.monotonic()
    while due < start + seconds:
        await asyncio.sleep(max(0, due - time.monotonic()))
        seen.asked += 1
        tasks.append(asyncio.create_task(_ask(server.url, TARGET, seen)))
        due += chance.expovariate(rate)
    await asyncio.gather(*tasks)
    seen.cpu = server.cpu - before
    return seen


async def health(url: str, seconds: float) -> Rush:
    """Ask how the server is, ten times a second."""
    seen = Rush(seconds)
    for _ in range(int(seconds * 10)):
        await _ask(url, "/healthz", seen)
        await asyncio.sleep(0.1)
    return seen


async def _ask(url: str, target: str, seen: Rush) -> None:
    start = time.monotonic()
    try:
        async with asyncio.timeout(PATIENCE):
            head = await _head(url, target)
    except (OSError, TimeoutError) as error:
        seen.others[type(error).__name__] += 1
        return
    took, status = time.monotonic() - start, head[9:12].decode()
    if status == "200":
        seen.accepted.append(took)
    elif status == "503" and b"\r\nretry-after: " in head.lower():
        seen.refused.append(took)
    else:
        seen.others[status or "nothing"] += 1


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
