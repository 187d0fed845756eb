"""The cache folder: worktrees, environments and results of comparisons."""

import fcntl
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.comparison.errors import ComparisonError

TAG_NAME = "CACHEDIR.TAG"
"""Backup programs skip a folder with this file, and `clean` removes no folder without it."""
TAG_TEXT = "Signature: 8a477f597d28d172789f06886806bc55\n# This is the cache of bench/compare.\n"


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder that can be removed at any time."""

    path: Path

    @property
    def trees(self) -> Path:
        """One git worktree per commit."""
        return self.path / "trees"

    @property
    def environments(self) -> Path:
        """One virtual environment per requirements.lock."""
        return self.path / "environments"

    @property
    def results(self) -> Path:
        """One folder per comparison."""
        return self.path / "results"

    def create(self) -> None:
        """Make the folder, unless it is there."""
        if self.path.exists() and not (self.path / TAG_NAME).exists() and any(self.path.iterdir()):
            raise ComparisonError(f"{self.path} is not a cache of bench/compare; name another")
        for folder in (self.path, self.trees, self.environments, self.results):
            folder.mkdir(parents=True, exist_ok=True)
        (self.path / TAG_NAME).write_text(TAG_TEXT)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other comparisons from making the same worktree or environment."""
        with (self.path / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def clean(self, repository: Path) -> bool:
        """Remove the folder and its worktrees; return False if there is none."""
        if not self.path.exists():
            return False
        if not (self.path / TAG_NAME).exists():
            raise ComparisonError(f"{self.path} is not a cache of bench/compare; it stays")
        shutil.rmtree(self.path)
        subprocess.run(["git", "-C", repository, "worktree", "prune"], check=True)
        return True
