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
from byway.app.removal import RemovalService
from byway.app.search import SearchSession
from byway.app.weight_lab import WeightLab
from byway.core.errors import DataLockedError, UsageError
from byway.core.model import HostRecord, Job, Status, Url, UrlRecord
from byway.core.settings.schema import Settings
from byway.crawl.traps.pattern_budget import PausedPattern, pattern_budget_from_rows
from byway.reports.crawl.reason_groups import group_reasons
from byway.storage.data_folder import DataFolder

if TYPE_CHECKING:  # what fetches is loaded when first used: answers do not wait for it
    from byway.app.page_preview import SiteRuleSet
    from byway.app.site_preview import SitePreview
    from byway.app.trace import TraceStep

SAMPLE_INTERVAL_SECONDS = 2.0
"""Seconds between two samples of how the crawl comes along."""
MAX_SAMPLES = 300
RULE_TRIAL_TIMEOUT_SECONDS = 30.0
"""Seconds that a rule may be tried on a page."""
INHERITED_SECTIONS = ("crawl", "extract", "index", "rank")
"""Sections of settings that a crawl started here gets from us."""


class CrawlSample(NamedTuple):
    """How far a crawl was at one moment."""

    at: float
    pages: int
    queued: int


@dataclass(frozen=True, slots=True)
class ResourceUsage:
    """Bytes: free and in all on the disk, taken by the data folder's parts, and memory."""

    disk_free: int
    disk_total: int
    bytes_by_name: Mapping[str, int]
    memory_used: int


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """A crawl to start."""

    url: Url | None
    """Nothing: go on where the last one stopped."""
    max_pages: int = 0
    max_depth: int | None = None
    scope: str = ""
    job: str = ""
    revisit: bool = False


class AdminService:
    """The data folder as an admin has it before them. Threads may share it."""

    def __init__(self, folder: DataFolder, settings: Settings, session: SearchSession) -> None:
        self._folder = folder
        self._settings = settings
        self._reading = session
        self._samples: deque[CrawlSample] = deque(maxlen=MAX_SAMPLES)
        self._starting = threading.Lock()
        self.weight_lab = WeightLab(folder, settings, session)
        self.removal = RemovalService(folder, session, self._spawn, self._closed)

    # Seeing.

    def status(self) -> Status:
        """How things stand."""
        return self._reading.status()

    def sample(self) -> None:
        """Note how far the crawl is, for the charts."""
        status = self.status()
        self._samples.append(CrawlSample(time.time(), status.pages, status.queued))

    def samples(self) -> list[CrawlSample]:
        """How the crawl came along in the last minutes."""
        return list(self._samples)

    def jobs(self) -> list[tuple[Job, bool]]:
        """The crawls that share the folder, and whether each is paused."""
        paused = self._folder.paused_jobs()
        return [(job, job.name in paused) for job in self._reading.jobs()]

    def hosts(self, limit: int, name_contains: str = "") -> tuple[list[HostRecord], int]:
        """How hosts stand, those with the longest queues first, and how many there are.

        `name_contains`: only of those with this in their name.
        """
        rest = self._settings.crawl.delay
        found = [
            replace(one, delay=one.delay or rest)
            for one in self._reading.hosts(limit, name_contains)
        ]
        return found, self._reading.host_count(name_contains)

    def failure_reasons(self) -> list[tuple[str, int]]:
        """Why URLs gave no page, the most frequent first."""
        return group_reasons(self._reading.failure_reasons())

    def traps(self) -> list[PausedPattern]:
        """Parts of sites that are not visited for now."""
        return pattern_budget_from_rows(self._reading.traps()).paused_patterns()

    def rules(self) -> "SiteRuleSet":
        """The rules for particular sites as their files are now, and what is wrong with some."""
        from byway.app.page_preview import check_rules

        sites = self._folder.site_rules
        return check_rules(sites if sites.is_dir() else None)

    def try_rule(self, name: str, url: Url) -> Mapping[str, Any]:
        """What a rule makes of a page, which is fetched and not kept."""
        if name not in [rule.name for rule in self.rules().rules]:
            raise UsageError(f"there is no rule {name!r:.60}")
        # In a process of its own: a page can be hostile, and a process can be ended.
        typed = [*self._typed("site"), "--json", "--", "test", name, url]
        try:
            told = subprocess.run(
                typed, capture_output=True, timeout=RULE_TRIAL_TIMEOUT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise UsageError(
                f"{url} took more than {RULE_TRIAL_TIMEOUT_SECONDS:.0f} seconds"
            ) from None
        if not told.stdout.strip():
            said = told.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise UsageError(said.removeprefix("byway: ") or f"{url} could not be tried")
        found: Mapping[str, Any] = json.loads(told.stdout)[0]
        return found

    def resource_usage(self) -> ResourceUsage:
        """What is taken and what is left."""
        disk = shutil.disk_usage(self._folder.path)
        parts: Counter[str] = Counter()
        for path in sorted(self._folder.path.iterdir()):
            # What SQLite has beside a database is part of it.
            if path.suffix not in (".lock", ".waiting"):
                parts[path.name.removesuffix("-wal").removesuffix("-shm")] += _size(path)
        return ResourceUsage(disk.free, disk.total, +parts, _memory())

    def free_disk_and_memory(self) -> tuple[int, int]:
        """Bytes free on the disk, and bytes of memory that we have."""
        return shutil.disk_usage(self._folder.path).free, _memory()

    def find_url(self, url: Url) -> UrlRecord | None:
        """What became of a URL."""
        return self._reading.find_url(url)

    async def trace(self, url: Url) -> "list[TraceStep]":
        """What every stage says of a URL."""
        from byway.app.trace import trace

        jobs = self._reading.jobs()
        rules = self._folder.site_rules if self._folder.site_rules.is_dir() else None
        removed = self._reading.removal_reason(url)
        steps = trace(url, jobs, self._settings, rules, removal_reason=removed)
        return [step async for step in steps]

    async def preview_site(self, url: Url) -> "SitePreview":
        """What a crawl of this site would meet."""
        from byway.app.site_preview import preview_site

        return await preview_site(url, self._settings.crawl)

    # Doing.

    def start(self, options: CrawlOptions) -> None:
        """Start a crawl, and an indexer that follows it, as processes of their own."""
        with self._starting:
            if self._folder.crawler_pid():
                raise DataLockedError(
                    "a crawl is running already; stop it first, or wait until it ends"
                )
            if self._folder.is_locked("crawl"):
                raise DataLockedError("the index is being built anew; wait until that is done")
            self._folder.set_paused(False)
            crawl = self._spawn("crawl", *_words(options))
            self._until_it_crawls(crawl)
        indexer = None if self._folder.is_locked("index") else self._spawn("index", "--follow")
        for process in filter(None, (crawl, indexer)):
            # Somebody must ask how a child ended, or it stays as a zombie.
            threading.Thread(target=process.wait, daemon=True).start()

    def set_paused(self, paused: bool, job: str = "") -> None:
        """Have the crawl, or one of its jobs, hold still or go on."""
        if job and job not in [each.name for each in self._reading.jobs()]:
            raise UsageError(f"there is no job {job!r:.60}")
        self._folder.set_paused(paused, job)

    def stop(self) -> None:
        """End the crawl; what is under way is recorded first."""
        process = self._folder.crawler_pid()
        if process is None:
            raise UsageError("no crawl is running")
        self._folder.set_paused(False)
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
        while not self._folder.is_locked("crawl") and time.monotonic() < end:
            if process.poll() is not None:
                text = (self._folder.path / "crawl.log").read_text("utf-8", "replace").strip()
                if process.returncode and text.startswith("byway: "):
                    raise UsageError(text.splitlines()[-1].removeprefix("byway: "))
                return
            time.sleep(0.05)


def _words(order: CrawlOptions) -> list[str]:
    """The order as it would be typed."""
    options: dict[str, object] = {
        "--pages": order.max_pages or None,
        "--depth": order.max_depth,
        "--scope": order.scope or None,
        "--job": order.job or None,
    }
    words = [f"{name}={value}" for name, value in options.items() if value is not None]
    # After --, nothing that a URL begins with can be read as an option.
    return [*words, *(["--recrawl"] if order.revisit else []), "--", *filter(None, [order.url])]


def _settings(settings: Settings) -> Sequence[str]:
    """Those that differ from what they would be anyway, as --set has them."""
    words: list[str] = []
    for section in INHERITED_SECTIONS:
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
