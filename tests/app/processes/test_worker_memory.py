"""Memory that web workers share: each sees what the others write."""

import os
import subprocess
import sys
from collections.abc import Iterator
from math import inf
from pathlib import Path

import pytest
from pace import WAIT_TIMEOUT_SECONDS

from byway.app.processes.process_memory import memory_bytes
from byway.app.processes.worker_memory import (
    MAX_SAMPLES,
    WORKER_NUMBERS,
    CrawlSample,
    LockName,
    WorkerMemory,
    worker_memory_file,
)
from byway.web.api.metrics import CLASS_NUMBERS
from byway.web.router import RequestClass

COUNTER = """
import sys
from byway.app.processes.worker_memory import LockName, WorkerMemory
memory = WorkerMemory(int(sys.argv[2]), 2, int(sys.argv[1]))
for _ in range(2000):
    with memory.lock(LockName.WEIGHTS):
        memory._common[900] += 1
"""


@pytest.fixture
def descriptor() -> Iterator[int]:
    with worker_memory_file(2) as descriptor:
        yield descriptor


def test_weights_published_by_one_worker_are_read_by_all(descriptor: int) -> None:
    one, two = (WorkerMemory(number, 2, descriptor) for number in (1, 2))
    assert two.weights_version == 0
    one.publish_weights({"bm25": 2.0, "title_coverage": 0.5})
    one.publish_weights({"bm25": 3.0})
    assert two.read_weights() == (2, {"bm25": 3.0})


def test_samples_of_all_workers_are_one_series(descriptor: int) -> None:
    one, two = (WorkerMemory(number, 2, descriptor) for number in (1, 2))
    for second in range(MAX_SAMPLES + 10):
        one.add_sample(CrawlSample(float(second), second, 1), interval=0.9)
        two.add_sample(CrawlSample(second + 0.5, second, 1), interval=0.9)
    assert two.samples() == [CrawlSample(float(at), at, 1) for at in range(10, MAX_SAMPLES + 10)]
    assert one.samples() == two.samples()


def test_a_worker_without_a_heartbeat_has_no_connections(descriptor: int) -> None:
    one, two = (WorkerMemory(number, 2, descriptor) for number in (1, 2))
    one.beat(connections=5)
    assert one.least_connections() == inf
    two.beat(connections=3)
    assert (one.least_connections(), two.least_connections()) == (3, 5)
    two.numbers[0] -= 60
    assert one.least_connections() == inf
    assert len(one.live_numbers()) == 1 and len(one.all_numbers()) == 2


def test_a_lock_excludes_other_processes(descriptor: int) -> None:
    command = [sys.executable, "-c", COUNTER, str(descriptor)]
    counting = [
        subprocess.Popen([*command, number], pass_fds=(descriptor,)) for number in ("1", "2")
    ]
    assert [one.wait(WAIT_TIMEOUT_SECONDS) for one in counting] == [0, 0]
    assert WorkerMemory(1, 2, descriptor)._common[900] == 4000


def test_memory_of_a_single_process_needs_no_file() -> None:
    memory = WorkerMemory()
    with memory.lock(LockName.START_CRAWL):
        memory.publish_weights({"bm25": 1.5})
    assert memory.read_weights()[1] == {"bm25": 1.5}
    assert memory.least_connections() == inf


def test_all_request_metrics_have_a_place() -> None:
    assert len(RequestClass) * CLASS_NUMBERS < WORKER_NUMBERS


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="not Linux")
def test_the_memory_of_a_process_is_its_share() -> None:
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    assert 0 < memory_bytes(os.getpid()) <= resident * 1.1
    assert memory_bytes(2**22 + 1) == 0
