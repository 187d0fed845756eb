"""Cost of processes and their children: time, CPU and memory."""

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

Command = Sequence[str | Path]


@dataclass(frozen=True, slots=True)
class ProcessCost:
    """The cost of some processes, from start to end."""

    started_at: float
    """Unix time of the start."""
    ended_at: float
    cpu_seconds: float
    """CPU seconds of all processes, including those that ended early."""
    peak_megabytes: float
    """Peak of the proportional set size, in which shared pages count once."""
    machine_cpu_seconds: float
    """CPU seconds of the whole machine meanwhile, to detect other load."""


class ProcessFailed(Exception):
    """A measured process failed."""


def measure_cost(
    commands: Sequence[Command], log: Path, is_done: Callable[[], bool] | None = None
) -> ProcessCost:
    """Run commands in parallel and wait; with `is_done`, terminate them when it returns true."""
    started, busy = time.time(), busy_seconds()
    with (
        _running(commands, log) as processes,
        _peak_memory([process.pid for process in processes]) as peak,
    ):
        ended = 0.0
        if is_done:
            while not is_done() and all(_is_running(process.pid) for process in processes):
                time.sleep(POLL_SECONDS)
            ended = time.time()
            for process in processes:
                os.kill(process.pid, signal.SIGTERM)
        cpu = sum(_wait(process, log) for process in processes)
    busy = busy_seconds() - busy
    return ProcessCost(
        started_at=started,
        ended_at=ended or time.time(),
        cpu_seconds=cpu,
        peak_megabytes=peak[0],
        machine_cpu_seconds=busy,
    )


def busy_seconds() -> float:
    """CPU seconds of this machine since boot, including time stolen by the hypervisor."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    user, nice, system, _idle, _waiting, hard, soft, stolen = fields[:8]
    return (user + nice + system + hard + soft + stolen) / CLOCK_TICKS_PER_SECOND


def process_cpu_seconds(pid: int) -> float:
    """CPU seconds of a process so far, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS_PER_SECOND


def process_tree(pid: int) -> Iterator[int]:
    """A process and its descendants."""
    yield pid
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from process_tree(int(child))


def memory_megabytes(pid: int | str, field: str = "Pss") -> float:
    """The memory of a process in megabytes; 0 if it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) / 1024
    return 0.0


@contextmanager
def _running(commands: Sequence[Command], log: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """The running processes; those that are left at the end are killed with their descendants."""
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
def _peak_memory(pids: Sequence[int]) -> Iterator[list[float]]:
    """Watch the memory of processes; the only item of the list is the peak so far."""
    peak, stopped = [0.0], threading.Event()

    def watch() -> None:
        while not stopped.wait(POLL_SECONDS):
            current = sum(memory_megabytes(each) for pid in pids for each in process_tree(pid))
            peak[0] = max(peak[0], current)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        stopped.set()
        watcher.join()


def _wait(process: subprocess.Popen[bytes], log: Path) -> float:
    """Wait for a process; return its CPU seconds with those of its children."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        lines = log.read_text(errors="replace").strip().splitlines()
        raise ProcessFailed(
            f"{process.args!r} ended with {process.returncode}: {lines[-1:]}; see {log}"
        )
    return used.ru_utime + used.ru_stime


def _is_running(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
