"""What did it cost? The time, CPU and memory of processes and of all that they start."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

CLOCK_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
POLL_SECONDS = 0.25
"""Seconds between two looks at memory."""

Command = Sequence[str | Path]


@dataclass(frozen=True, slots=True)
class ProcessCost:
    """What some processes took, from start to end."""

    started_at: float
    """When they were started, and when they were done, as the time of day."""
    ended_at: float
    cpu_seconds: float
    """Seconds of CPU, of all processes together, those that ended on the way included."""
    peak_megabytes: float
    """The most megabytes they had at once: proportional sets, so shared pages count once."""
    machine_cpu_seconds: float
    """Seconds of CPU that the whole machine was busy meanwhile: who else was at work?"""


class ProcessFailed(Exception):
    """A process that was to be measured did not end well."""


def measure_cost(
    commands: Sequence[Command], log: Path, is_done: Callable[[], bool] | None = None
) -> ProcessCost:
    """Run these side by side and wait; when `is_done` says so, they are told to end instead."""
    started, busy = time.time(), busy_seconds()
    with _running(commands, log) as processes, _memory([one.pid for one in processes]) as peak:
        ended = 0.0
        if is_done:
            while not is_done() and all(_is_running(one.pid) for one in processes):
                time.sleep(POLL_SECONDS)
            ended = time.time()
            for process in processes:
                os.kill(process.pid, signal.SIGTERM)
        cpu = sum(_wait(process, log) for process in processes)
    busy = busy_seconds() - busy
    return ProcessCost(started, ended or time.time(), cpu, peak[0], busy)


def busy_seconds() -> float:
    """Seconds of CPU that this machine has worked since it was started, or was kept from us."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    user, nice, system, _idle, _waiting, hard, soft, stolen = fields[:8]
    return (user + nice + system + hard + soft + stolen) / CLOCK_TICKS_PER_SECOND


def process_cpu_seconds(pid: int) -> float:
    """Seconds of CPU a process has used so far, its children not counted."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS_PER_SECOND


def process_tree(pid: int) -> Iterator[int]:
    """A process and all that descend from it."""
    yield pid
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from process_tree(int(child))


def memory_megabytes(pid: int | str, field: str = "Pss") -> float:
    """Megabytes of memory a process has now; 0 when it is gone."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) / 1024
    return 0.0


@contextmanager
def _running(commands: Sequence[Command], log: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """The processes; whatever is left of them at the end is killed, one by one."""
    processes: list[subprocess.Popen[bytes]] = []
    try:
        with log.open("ab") as out:
            processes.extend(
                subprocess.Popen(command, stdout=out, stderr=out) for command in commands
            )
        yield processes
    finally:
        for process in processes:
            if process.returncode is None:
                for pid in list(process_tree(process.pid)):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                process.wait()


@contextmanager
def _memory(pids: Sequence[int]) -> Iterator[list[float]]:
    """Watches how much memory they have; the list's one number is the most so far."""
    peak, over = [0.0], threading.Event()

    def watch() -> None:
        while not over.wait(POLL_SECONDS):
            now = sum(memory_megabytes(each) for pid in pids for each in process_tree(pid))
            peak[0] = max(peak[0], now)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        over.set()
        watcher.join()


def _wait(process: subprocess.Popen[bytes], log: Path) -> float:
    """Wait for a process; return the CPU seconds it used, with all it started and waited for."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        said = log.read_text(errors="replace").strip().splitlines()
        raise ProcessFailed(
            f"{process.args!r} ended with {process.returncode}: {said[-1:]}; see {log}"
        )
    return used.ru_utime + used.ru_stime


def _is_running(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
