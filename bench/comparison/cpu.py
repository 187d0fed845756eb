"""CPU check: the ratio of CPU time of one command, new to old, with its spread."""

import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.comparison.commits import Checkout
from bench.comparison.errors import ComparisonError

COPY_PLACEHOLDER = "{copy}"
"""Stands for a fresh copy of a folder in the command."""
MIN_CPU_SECONDS = 1e-6
"""No command takes less, so that a ratio can always be formed."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of some figures, the least and the most."""

    median: float
    least: float
    most: float

    def shown(self, unit: str = "") -> str:
        """The spread as text."""
        return f"{self.median:.3f}{unit} ({self.least:.3f}–{self.most:.3f})"


def spread(figures: Sequence[float]) -> Spread:
    """The spread of some figures."""
    return Spread(statistics.median(figures), min(figures), max(figures))


@dataclass(frozen=True, slots=True)
class Work:
    """A command, and the folder of which each run gets a copy."""

    command: Sequence[str]
    copied: Path | None = None


def compare_cpu(
    old: Checkout, new: Checkout, work: Work, rounds: int, folder: Path
) -> list[tuple[float, float]]:
    """Run the command old, new, old, new …; return the CPU seconds of each round.

    One more round comes first and is not counted: it compiles modules and fills caches.
    """
    figures = []
    for number in range(rounds + 1):
        first, second = (cpu_seconds(side, work, folder) for side in (old, new))
        name = f"round {number}" if number else "warm-up"
        print(f"{name:9} {first:9.3f} s {second:9.3f} s {second / first:8.3f}", file=sys.stderr)
        if number:
            figures.append((first, second))
    return figures


def print_ratio(old: Checkout, new: Checkout, figures: Sequence[tuple[float, float]]) -> None:
    """Print both medians, and the median ratio of the rounds, each with its spread."""
    before, after = zip(*figures, strict=True)
    print(f"old {old.name:10}  median {spread(before).shown(' s')}")
    print(f"new {new.name:10}  median {spread(after).shown(' s')}")
    ratios = [second / first for first, second in figures]
    print(f"new/old         median {spread(ratios).shown()}, {len(figures)} rounds")


def cpu_seconds(side: Checkout, work: Work, folder: Path) -> float:
    """User and system seconds of one run of a command, with all processes it waited for."""
    folder.mkdir(parents=True, exist_ok=True)
    copy, log = folder / "copy", folder / f"{side.name}.log"
    if work.copied:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(work.copied, copy)
    command = [part.replace(COPY_PLACEHOLDER, str(copy)) for part in work.command]
    with log.open("w") as out:
        try:
            process = subprocess.Popen(
                command, cwd=side.tree, env=side.variables(), stdout=out, stderr=out
            )
        except OSError as error:
            raise ComparisonError(f"cannot run {command[0]}: {error.strerror}") from error
        try:
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
    process.returncode = os.waitstatus_to_exitcode(status)
    shutil.rmtree(copy, ignore_errors=True)
    if process.returncode:
        last = (log.read_text(errors="replace").strip().splitlines() or ["no output"])[-1]
        raise ComparisonError(f"{side.name} ended with {process.returncode}: {last}; see {log}")
    return max(used.ru_utime + used.ru_stime, MIN_CPU_SECONDS)
