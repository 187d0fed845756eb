"""Memory shared by all web workers: numbers of each worker, crawl samples and ranking weights.

The supervisor creates it and each worker inherits it, so that it survives the death of a worker.
"""

import fcntl
import json
import math
import mmap
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from tempfile import TemporaryFile
from typing import NamedTuple, TypeAlias

Numbers: TypeAlias = "memoryview[float]"
"""Numbers in shared memory."""
NUMBER_BYTES = 8
WORKER_NUMBERS = 4096
"""Numbers of one worker: its heartbeat, its connections and its request metrics."""
HEARTBEAT, CONNECTIONS, FIRST_METRIC = 0, 1, 2
"""Positions in the numbers of a worker."""
HEARTBEAT_TIMEOUT_SECONDS = 2.0
"""Without a heartbeat for so long, a worker is dead or stuck."""
MAX_SAMPLES = 300
SAMPLE_COUNT, WEIGHTS_VERSION, WEIGHTS_LENGTH, FIRST_SAMPLE = 0, 1, 2, 3
"""Positions in the numbers that belong to no worker."""
COMMON_NUMBERS = 1024
MAX_WEIGHTS_BYTES = 16_384


class LockName(IntEnum):
    """What only one thread of one worker may do at a time; the value is a position in the file."""

    START_CRAWL = 0
    SAVE_WEIGHTS = 1
    JUDGE = 2
    SAMPLE = 3
    WEIGHTS = 4
    MEASURE = 5


class CrawlSample(NamedTuple):
    """The progress of a crawl at one point in time."""

    at: float
    pages: int
    queued: int


@contextmanager
def worker_memory_file(workers: int) -> Iterator[int]:
    """The file descriptor of new memory for that many workers, filled with zeros."""
    size = _size(workers)
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("byway-web")
        try:
            os.ftruncate(descriptor, size)
            yield descriptor
        finally:
            os.close(descriptor)
    else:
        with TemporaryFile() as file:
            file.truncate(size)
            yield file.fileno()


class WorkerMemory:
    """The memory as one worker sees it. Thread-safe, except for the numbers of the worker."""

    def __init__(self, number: int = 1, workers: int = 1, descriptor: int | None = None) -> None:
        """`number`: of this worker, from 1. Without a descriptor, nothing is shared."""
        self.number, self.workers = number, workers
        self._descriptor = descriptor
        memory = memoryview(mmap.mmap(-1 if descriptor is None else descriptor, _size(workers)))
        end = workers * WORKER_NUMBERS * NUMBER_BYTES
        weights = end + COMMON_NUMBERS * NUMBER_BYTES
        self._by_worker = memory[:end].cast("d")
        self._common = memory[end:weights].cast("d")
        self._weights = memory[weights:]
        self._locks = {name: threading.Lock() for name in LockName}
        self.numbers = self._numbers_of(number)
        """The numbers of this worker, which no other writes."""

    @contextmanager
    def lock(self, name: LockName) -> Iterator[None]:
        """Wait for all other threads and workers that hold this lock."""
        with self._locks[name]:
            if self._descriptor is None:
                yield
                return
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX, 1, name)
            try:
                yield
            finally:
                fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, name)

    def beat(self, connections: int) -> None:
        """Tell the other workers that this one is alive, and how many connections it has."""
        self.numbers[HEARTBEAT] = time.monotonic()
        self.numbers[CONNECTIONS] = connections

    def least_connections(self) -> float:
        """The connections of the live worker that has fewest, not counting this one."""
        return min((each[CONNECTIONS] for each in self.other_live_numbers()), default=math.inf)

    def all_numbers(self) -> list[Numbers]:
        """The numbers of every worker; those of a dead worker are kept."""
        return [self._numbers_of(number) for number in range(1, self.workers + 1)]

    def live_numbers(self) -> list[Numbers]:
        """The numbers of every worker with a recent heartbeat."""
        return [numbers for numbers in self.all_numbers() if _is_alive(numbers)]

    def other_live_numbers(self) -> list[Numbers]:
        """The same without this worker."""
        others = (number for number in range(1, self.workers + 1) if number != self.number)
        return [numbers for numbers in map(self._numbers_of, others) if _is_alive(numbers)]

    # Samples of the crawl.

    def add_sample(self, sample: CrawlSample, interval: float) -> None:
        """Add a sample, unless another worker has added one in the last `interval` seconds."""
        with self.lock(LockName.SAMPLE):
            count = int(self._common[SAMPLE_COUNT])
            if count and sample.at - self._sample(count - 1).at < interval:
                return
            start = FIRST_SAMPLE + 3 * (count % MAX_SAMPLES)
            for offset, value in enumerate(sample):
                self._common[start + offset] = value
            self._common[SAMPLE_COUNT] = count + 1

    def samples(self) -> list[CrawlSample]:
        """The last samples, oldest first."""
        with self.lock(LockName.SAMPLE):
            count = int(self._common[SAMPLE_COUNT])
            return [self._sample(number) for number in range(max(0, count - MAX_SAMPLES), count)]

    def _sample(self, number: int) -> CrawlSample:
        start = FIRST_SAMPLE + 3 * (number % MAX_SAMPLES)
        at, pages, queued = self._common[start : start + 3]
        return CrawlSample(at, int(pages), int(queued))

    # Ranking weights.

    @property
    def weights_version(self) -> float:
        """How often weights were published; 0 while all workers use those of the settings."""
        return self._common[WEIGHTS_VERSION]

    def read_weights(self) -> tuple[float, Mapping[str, float]]:
        """The version and the weights published last."""
        with self.lock(LockName.WEIGHTS):
            length = int(self._common[WEIGHTS_LENGTH])
            return self.weights_version, json.loads(bytes(self._weights[:length]) or b"{}")

    def publish_weights(self, weights: Mapping[str, float]) -> None:
        """Have all workers use these weights, also those that start later."""
        text = json.dumps(dict(weights)).encode()
        with self.lock(LockName.WEIGHTS):
            self._weights[: len(text)] = text
            self._common[WEIGHTS_LENGTH] = len(text)
            self._common[WEIGHTS_VERSION] += 1

    def _numbers_of(self, number: int) -> Numbers:
        return self._by_worker[(number - 1) * WORKER_NUMBERS : number * WORKER_NUMBERS]


def _is_alive(numbers: Numbers) -> bool:
    return numbers[HEARTBEAT] > time.monotonic() - HEARTBEAT_TIMEOUT_SECONDS


def _size(workers: int) -> int:
    numbers = workers * WORKER_NUMBERS + COMMON_NUMBERS
    return numbers * NUMBER_BYTES + MAX_WEIGHTS_BYTES
