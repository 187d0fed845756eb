"""Checkouts: each commit in a git worktree, with the environment of its requirements.lock."""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from bench import test_data
from bench.comparison.cache import Cache
from bench.comparison.errors import ComparisonError

WORK = "WORK"
WORKING_TREE_NAMES = (".", WORK)
"""Names of the working tree, with its uncommitted changes."""

BYWAY_SCRIPT = """\
#!{python}
import runpy

runpy.run_module("byway", run_name="__main__")
"""


@dataclass(frozen=True, slots=True)
class Checkout:
    """One state of the source that can be run."""

    name: str
    """The abbreviated commit, or WORK."""
    tree: Path
    python: Path

    def variables(self) -> dict[str, str]:
        """The environment variables of its processes.

        Settings of the caller (BYWAY_…) do not reach them. The hash seed is fixed, so that sets
        have the same order in every run.
        """
        dropped = ("BYWAY_", "PYTHON")
        kept = {name: text for name, text in os.environ.items() if not name.startswith(dropped)}
        # Commits without bench/test_data.py reject the variable and count parent folders instead.
        data = test_data.find_folder() if (self.tree / "bench" / "test_data.py").exists() else None
        return kept | {
            "PATH": f"{self.python.parent}{os.pathsep}{kept.get('PATH', os.defpath)}",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": f"{self.tree / 'src'}{os.pathsep}{self.tree}",
            "VIRTUAL_ENV": str(self.python.parent.parent),
            **({test_data.ENV_NAME: str(data)} if data else {}),
        }


def check_out(commit: str, repository: Path, cache: Cache) -> Checkout:
    """A commit, ready to run."""
    with cache.locked():
        tree = repository if commit == WORK else add_worktree(commit, repository, cache)
        _link_test_data(cache)
        checkout = Checkout(commit[:10], tree, _environment(tree, cache))
    _check_import(checkout)
    return checkout


def commit_of(name: str, repository: Path) -> str:
    """The full hash of a commit, or WORK."""
    if name in WORKING_TREE_NAMES:
        return WORK
    if not name.startswith("-"):
        found = _git(repository, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        if found.returncode == 0:
            return found.stdout.strip()
    raise ComparisonError(f"unknown commit {name!r}; name a commit, branch or tag, or WORK")


def add_worktree(commit: str, repository: Path, cache: Cache) -> Path:
    """The folder of a commit's worktree, which is made the first time."""
    tree = cache.trees / commit[:12]
    if not (tree / ".git").exists():
        shutil.rmtree(tree, ignore_errors=True)
        _git(repository, "worktree", "prune")
        added = _git(repository, "worktree", "add", "--detach", str(tree), commit)
        if added.returncode:
            raise ComparisonError(f"no worktree of {commit[:10]}: {_last_line(added.stderr)}")
    return tree


def _link_test_data(cache: Cache) -> None:
    """Put the test data where commits look for it that know no BYWAY_TEST_DATA."""
    link, data = cache.trees / "shared" / "data", test_data.find_folder()
    if data and not link.is_symlink():
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(data.resolve())


def _environment(tree: Path, cache: Cache) -> Path:
    """The Python with the libraries of a lock; byway itself comes from PYTHONPATH.

    byway is not installed there: a process that lost its PYTHONPATH must fail, not run other code.
    """
    lock = tree / "requirements.lock"
    place = cache.environments / hashlib.sha256(lock.read_bytes()).hexdigest()[:12]
    python, ready = place / "bin" / "python", place / ".ready"
    if not ready.exists():
        print(f"making the environment of {lock.parent.name}", file=sys.stderr)
        venv.create(place, clear=True, symlinks=True, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run(
            [*pip, "--require-hashes", "-r", str(lock)], capture_output=True, text=True
        )
        if done.returncode:
            raise ComparisonError(f"cannot install {lock}: {_last_line(done.stderr)}")
        program = place / "bin" / "byway"
        program.write_text(BYWAY_SCRIPT.format(python=python))
        program.chmod(0o755)
        ready.touch()
    return python


def _check_import(checkout: Checkout) -> None:
    """Make sure that processes of a checkout run its own code."""
    command = [str(checkout.python), "-P", "-c", "import byway; print(byway.__file__)"]
    done = subprocess.run(command, env=checkout.variables(), capture_output=True, text=True)
    if done.returncode:
        raise ComparisonError(f"{checkout.name} does not start: {_last_line(done.stderr)}")
    if not Path(done.stdout.strip()).is_relative_to(checkout.tree):
        raise ComparisonError(f"{checkout.name} imports byway from {done.stdout.strip()}")


def _git(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", "-C", repository, *arguments], capture_output=True, text=True)


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[-1]
