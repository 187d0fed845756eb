"""What can an admin do to a data folder from the web? Start, hold, stop; and see how it goes."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from byway.app.engine import Engine
from byway.app.removal import Removing
from byway.app.search import Reading
from byway.app.weight_lab import Lab
from byway.core.errors import Locked, UsageError
from byway.core.model import HostRecord, Job, Status, Url, UrlRecord
from byway.core.settings.schema import Settings
from byway.crawl.traps.pattern_budget import Paused, traps_of
from byway.reports.crawl.reason_groups import folded
from byway.storage.data_folder import Folder

if TYPE_CHECKING:  # what fetches is loaded when first used: answers do not wait for it
    from byway.app.page_preview import RulesNow
    from byway.app.site_preview import Preview
    from byway.app.trace import Step

EVERY = 2.0
"""Seconds between two samples of how the crawl comes along."""
SAMPLES = 300
TRIAL = 30.0
"""Seconds that a rule may be tried on a page."""
PASSED_ON = ("crawl", "extract", "index", "rank")
"""Sections of settings that a crawl started here gets from us."""


class Sample(NamedTuple):
    """How far a crawl was at one moment."""

    at: float
    pages: int
    queued: int


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes: free and in all on the disk, taken by the data folder's parts, and memory."""

    free: int
    disk: int
    parts: Mapping[str, int]
    memory: int


@dataclass(frozen=True, slots=True)
class Order:
    """A crawl to start."""

    url: Url | None
    """Nothing: go on where the last one stopped."""
    pages: int = 0
    depth: int | None = None
    scope: str = ""
    job: str = ""
    again: bool = False


class Control:
    """The data folder as an admin has it before them. Threads may share it."""

    def __init__(self, folder: Folder, settings: Settings, reading: Reading) -> None:
        self._folder = folder
        self._settings = settings
        self._reading = reading
        self._samples: deque[Sample] = deque(maxlen=SAMPLES)
        self._starting = threading.Lock()
        self.lab = Lab(folder, settings, reading)
        self.removing = Removing(folder, reading, self._spawn, self._closed)

    # Seeing.

    def status(self) -> Status:
        """How things stand."""
        return self._reading.status()

    def sample(self) -> None:
        """Note how far the crawl is, for the charts."""
        status = self.status()
        self._samples.append(Sample(time.time(), status.pages, status.queued))

    def samples(self) -> list[Sample]:
        """How the crawl came along in the last minutes."""
        return list(self._samples)

    def jobs(self) -> list[tuple[Job, bool]]:
        """The crawls that share the folder, and whether each is paused."""
        paused = self._folder.paused_jobs()
        return [(job, job.name in paused) for job in self._reading.jobs()]

    def hosts(self, most: int, part: str = "") -> tuple[list[HostRecord], int]:
        """How hosts stand, those with the longest queues first, and how many there are.

        `part`: only of those with this in their name.
        """
        rest = self._settings.crawl.delay
        found = [replace(one, rest=one.rest or rest) for one in self._reading.hosts(most, part)]
        return found, self._reading.host_count(part)

    def causes(self) -> list[tuple[str, int]]:
        """Why URLs gave no page, the most frequent first."""
        return folded(self._reading.causes())

    def traps(self) -> list[Paused]:
        """Parts of sites that are not visited for now."""
        return traps_of(self._reading.traps()).paused()

    def rules(self) -> "RulesNow":
        """The rules for particular sites as their files are now, and what is wrong with some."""
        from byway.app.page_preview import rules_now

        sites = self._folder.sites
        return rules_now(sites if sites.is_dir() else None)

    def try_rule(self, name: str, url: Url) -> Mapping[str, Any]:
        """What a rule makes of a page, which is fetched and not kept."""
        if name not in [rule.name for rule in self.rules().rules]:
            raise UsageError(f"there is no rule {name!r:.60}")
        # In a process of its own: a page can be hostile, and a process can be ended.
        typed = [*self._typed("site"), "--json", "--", "test", name, url]
        try:
            told = subprocess.run(typed, capture_output=True, timeout=TRIAL, check=False)
        except subprocess.TimeoutExpired:
            raise UsageError(f"{url} took more than {TRIAL:.0f} seconds") from None
        if not told.stdout.strip():
            said = told.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise UsageError(said.removeprefix("byway: ") or f"{url} could not be tried")
        found: Mapping[str, Any] = json.loads(told.stdout)[0]
        return found

    def room(self) -> Room:
        """What is taken and what is left."""
        disk = shutil.disk_usage(self._folder.path)
        parts: Counter[str] = Counter()
        for path in sorted(self._folder.path.iterdir()):
            # What SQLite has beside a database is part of it.
            if path.suffix not in (".lock", ".waiting"):
                parts[path.name.removesuffix("-wal").removesuffix("-shm")] += _size(path)
        return Room(disk.free, disk.total, +parts, _memory())

    def room_left(self) -> tuple[int, int]:
        """Bytes free on the disk, and bytes of memory that we have."""
        return shutil.disk_usage(self._folder.path).free, _memory()

    def look_up(self, url: Url) -> UrlRecord | None:
        """What became of a URL."""
        return self._reading.look_up(url)

    async def trace(self, url: Url) -> "list[Step]":
        """What every stage says of a URL."""
        from byway.app.trace import trace

        jobs = self._reading.jobs()
        rules = self._folder.sites if self._folder.sites.is_dir() else None
        removed = self._reading.removed(url)
        steps = trace(url, jobs, self._settings, rules, removed=removed)
        return [step async for step in steps]

    async def preview(self, url: Url) -> "Preview":
        """What a crawl of this site would meet."""
        from byway.app.site_preview import preview

        return await preview(url, self._settings.crawl)

    # Doing.

    def start(self, order: Order) -> None:
        """Start a crawl, and an indexer that follows it, as processes of their own."""
        with self._starting:
            if self._folder.crawler():
                raise Locked("a crawl is running already; stop it first, or wait until it ends")
            if self._folder.is_writing("crawl"):
                raise Locked("the index is being built anew; wait until that is done")
            self._folder.pause(False)
            crawl = self._spawn("crawl", *_words(order))
            self._until_it_crawls(crawl)
        indexer = None if self._folder.is_writing("index") else self._spawn("index", "--follow")
        for process in filter(None, (crawl, indexer)):
            # Somebody must ask how a child ended, or it stays as a zombie.
            threading.Thread(target=process.wait, daemon=True).start()

    def pause(self, paused: bool, job: str = "") -> None:
        """Have the crawl, or one of its jobs, hold still or go on."""
        if job and job not in [each.name for each in self._reading.jobs()]:
            raise UsageError(f"there is no job {job!r:.60}")
        self._folder.pause(paused, job)

    def stop(self) -> None:
        """End the crawl; what is under way is recorded first."""
        process = self._folder.crawler()
        if process is None:
            raise UsageError("no crawl is running")
        self._folder.pause(False)
        # Under `byway up` our parent crawls. It takes this as word to stop that, and to serve on.
        os.kill(process, signal.SIGUSR1)

    def decide_trap(self, host: str, pattern: str, resume: bool) -> int:
        """Visit a paused pattern after all, or never; return how many URLs are queued again."""
        return Engine(self._folder.path, self._settings).decide_trap(host, pattern, resume)

    def _closed(self, hosts: Sequence[str]) -> list[str]:
        from byway.crawl.http.ssrf_guard import refusals

        return refusals(hosts, self._settings.crawl.allow_private)

    def _spawn(self, command: str, *words: str) -> subprocess.Popen[bytes]:
        with (self._folder.path / f"{command}.log").open("wb") as log:
            return subprocess.Popen(
                [*self._typed(command), *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # it outlives us, as a crawl should
            )

    def _typed(self, command: str) -> list[str]:
        """A command of ours on this folder, with our settings, as it would be typed."""
        typed = [sys.executable, "-m", "byway", command, "--data", str(self._folder.path)]
        return [*typed, *_settings(self._settings)]

    def _until_it_crawls(self, process: subprocess.Popen[bytes], patience: float = 10.0) -> None:
        """Wait until it has begun; or say why it could not."""
        end = time.monotonic() + patience
        while not self._folder.is_writing("crawl") and time.monotonic() < end:
            if process.poll() is not None:
                text = (self._folder.path / "crawl.log").read_text("utf-8", "replace").strip()
                if process.returncode and text.startswith("byway: "):
                    raise UsageError(text.splitlines()[-1].removeprefix("byway: "))
                return
            time.sleep(0.05)


def _words(order: Order) -> list[str]:
    """The order as it would be typed."""
    options: dict[str, object] = {
        "--pages": order.pages or None,
        "--depth": order.depth,
        "--scope": order.scope or None,
        "--job": order.job or None,
    }
    words = [f"{name}={value}" for name, value in options.items() if value is not None]
    # After --, nothing that a URL begins with can be read as an option.
    return [*words, *(["--again"] if order.again else []), "--", *filter(None, [order.url])]


def _settings(settings: Settings) -> Sequence[str]:
    """Those that differ from what they would be anyway, as --set has them."""
    words: list[str] = []
    for section in PASSED_ON:
        ours = getattr(settings, section)
        for item in fields(ours):
            value = getattr(ours, item.name)
            if value != getattr(type(ours)(), item.name) and not isinstance(value, Mapping):
                text = ",".join(value) if isinstance(value, tuple) else value
                words += ["--set", f"{section}.{item.name}={text}"]
    return words


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _memory() -> int:
    """Bytes of memory this process has, or where that is not told, the most it ever had."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
