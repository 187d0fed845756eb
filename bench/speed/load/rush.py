"""How does a site fare when too many people ask? An open-loop generator: nobody waits for others.

People come at random, as they do, and each opens a connection of their own. What a slow answer
keeps one of them from asking is asked all the same, or overload would hide itself.
"""

import asyncio
import math
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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

    @property
    def goodput(self) -> float:
        """Answers a second."""
        return len(self.accepted) / self.seconds

    def percentile(self, share: float, of: list[float] | None = None) -> float:
        """How long that share of the answers took at most."""
        took = sorted(self.accepted if of is None else of)
        return took[min(len(took) - 1, math.ceil(share * len(took)) - 1)] if took else math.nan


@contextmanager
def served(milliseconds: float) -> Iterator[str]:
    """A server of its own process, whose searches take that long."""
    command = [sys.executable, "-m", "bench.speed.load.server", str(milliseconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()
            server.wait(10)


async def capacity(url: str, seconds: float, people: int = 8) -> float:
    """Answers a second, when each of a few people asks again as soon as they have theirs."""
    seen, end = Rush(seconds), time.monotonic() + seconds

    async def ask_on() -> None:
        while time.monotonic() < end:
            await _ask(url, TARGET, seen)

    await asyncio.gather(*(ask_on() for _ in range(people)))
    return seen.goodput


async def rush(url: str, rate: float, seconds: float, chance: random.Random) -> Rush:
    """Ask `rate` times a second on average, at random moments."""
    seen, tasks = Rush(seconds), []
    start = due = time.monotonic()
    while due < start + seconds:
        await asyncio.sleep(max(0, due - time.monotonic()))
        seen.asked += 1
        tasks.append(asyncio.create_task(_ask(url, TARGET, seen)))
        due += chance.expovariate(rate)
    await asyncio.gather(*tasks)
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
