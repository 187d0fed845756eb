"""The environment of the benchmarks: Debian packages, the peers' venv, the machine."""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from pathlib import Path

BENCH_FOLDER = Path(__file__).parent.parent


def require_packages(packages: Iterable[str]) -> None:
    """Install missing Debian packages, or exit with their names."""
    missing = [name for name in packages if not _is_installed(name)]
    if not missing:
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit(f"the benchmark needs Debian packages; install them: {' '.join(missing)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-qq", "-y", "--no-install-recommends", *missing],
    ):
        if subprocess.run(command, env=environment, stdout=subprocess.DEVNULL).returncode:
            sys.exit(f"`{' '.join(command[:2])}` failed; install by hand: {' '.join(missing)}")


def peers_python(folder: Path = BENCH_FOLDER) -> Path:
    """The Python of the peers' venv, which is made again when the lock file changes."""
    lock, venv_folder = folder / "requirements.lock", folder / ".venv"
    python, ready = venv_folder / "bin" / "python", venv_folder / ".ready"
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()
    if not (ready.exists() and ready.read_text() == digest):
        venv.create(venv_folder, clear=True, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        # The lock names everything; an older pip fails on two spellings of one extra in it.
        if subprocess.run([*pip, "--require-hashes", "--no-deps", "-r", str(lock)]).returncode:
            sys.exit(f"cannot install {lock} into {venv_folder}; check the network")
        ready.write_text(digest)
    return python


def describe_machine() -> str:
    """The machine in one line."""
    cores = os.cpu_count()
    loads = ", ".join(f"{load:.2f}" for load in os.getloadavg())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{_processor()}, {cores} cores, {memory:.0f} GiB, load {loads}, {sys.version.split()[0]}"
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return os.uname().machine


def _is_installed(package: str) -> bool:
    query = ["dpkg-query", "--show", "--showformat", "${db:Status-Status}", package]
    if not shutil.which("dpkg-query"):
        return False
    done = subprocess.run(query, capture_output=True, text=True)
    return done.stdout.startswith("installed")
