"""Admin service: status, charts, and starting, pausing and stopping crawls from the web."""

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
from byway.core.model.message import Reason
from byway.core.settings.schema import Settings
from byway.crawl.traps.pattern_budget import PausedPattern, pattern_budget_from_rows
from byway.reports.crawl.reason_groups import group_reasons
from byway.storage.data_folder import DataFolder

if TYPE_CHECKING:  # fetching code is loaded on first use, so that searches do not wait
    from byway.app.page_preview import SiteRuleSet
    from byway.app.site_preview import SitePreview
    from byway.app.trace import TraceStep

SAMPLE_INTERVAL_SECONDS = 2.0
"""Seconds between two samples of the crawl's progress."""
MAX_SAMPLES = 300
RULE_TRIAL_TIMEOUT_SECONDS = 30.0
"""Time limit for trying a site rule on a page."""
INHERITED_SECTIONS = ("crawl", "extract", "index", "rank")
"""Sections of settings that a crawl started here inherits."""


class CrawlSample(NamedTuple):
    """The progress of a crawl at one point in time."""

    at: float
    pages: int
    queued: int


@dataclass(frozen=True, slots=True)
class ResourceUsage:
    """Disk space, size of the data folder's parts, and memory, in bytes."""

    disk_free: int
    disk_total: int
    bytes_by_name: Mapping[str, int]
    memory_used: int


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """Options for starting a crawl."""

    url: Url | None
    """The seed; None continues where the last crawl stopped."""
    max_pages: int = 0
    max_depth: int | None = None
    scope: str = ""
    job: str = ""
    revisit: bool = False


class AdminService:
    """Administration of a data folder. Thread-safe."""

    def __init__(self, folder: DataFolder, settings: Settings, session: SearchSession) -> None:
        self._folder = folder
        self._settings = settings
        self._session = session
        self._samples: deque[CrawlSample] = deque(maxlen=MAX_SAMPLES)
        self._starting = threading.Lock()
        self.weight_lab = WeightLab(folder, settings, session)
        self.removal = RemovalService(folder, session, self._spawn, self._crawl_refusals)

    # Status.

    def status(self) -> Status:
        """The status of the data folder."""
        return self._session.status()

    def sample(self) -> None:
        """Record the progress of the crawl, for the charts."""
        status = self.status()
        self._samples.append(CrawlSample(time.time(), status.pages, status.queued))

    def samples(self) -> list[CrawlSample]:
        """The progress of the crawl in the last minutes."""
        return list(self._samples)

    def jobs(self) -> list[tuple[Job, bool]]:
        """The crawls that share the folder, and whether each is paused."""
        paused = self._folder.paused_jobs()
        return [(job, job.name in paused) for job in self._session.jobs()]

    def hosts(self, limit: int, name_contains: str = "") -> tuple[list[HostRecord], int]:
        """Hosts whose name contains this text, longest queue first, and their total number."""
        default_delay = self._settings.crawl.delay
        hosts = [
            replace(host, delay=host.delay or default_delay)
            for host in self._session.hosts(limit, name_contains)
        ]
        return hosts, self._session.host_count(name_contains)

    def failure_reasons(self) -> list[tuple[Reason, int]]:
        """Reasons why URLs failed, with counts, most frequent first."""
        return group_reasons(self._session.failure_reasons())

    def traps(self) -> list[PausedPattern]:
        """Paused URL patterns: suspected crawler traps."""
        return pattern_budget_from_rows(self._session.traps()).paused_patterns()

    def rules(self) -> "SiteRuleSet":
        """The site rules as currently on disk, and the errors in them."""
        from byway.app.page_preview import check_rules

        sites = self._folder.site_rules
        return check_rules(sites if sites.is_dir() else None)

    def try_rule(self, name: str, url: Url) -> Mapping[str, Any]:
        """The result of a site rule on a page, which is fetched and not stored."""
        if name not in [rule.name for rule in self.rules().rules]:
            raise UsageError("app.unknown_rule", name=name)
        # In a separate process: a page can be hostile, and a process can be killed.
        command = [*self._command_line("site"), "--json", "--", "test", name, url]
        try:
            process = subprocess.run(
                command, capture_output=True, timeout=RULE_TRIAL_TIMEOUT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise UsageError(
                "app.rule_timeout", url=url, seconds=RULE_TRIAL_TIMEOUT_SECONDS
            ) from None
        if not process.stdout.strip():
            last_line = process.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            detail = last_line.removeprefix("byway: ")
            raise UsageError("app.rule_failed", url=url, detail=detail)
        result: Mapping[str, Any] = json.loads(process.stdout)[0]
        return result

    def resource_usage(self) -> ResourceUsage:
        """Disk space and memory, used and free."""
        disk = shutil.disk_usage(self._folder.path)
        parts: Counter[str] = Counter()
        for path in sorted(self._folder.path.iterdir()):
            # The WAL and shared-memory files of SQLite are part of its database.
            if path.suffix not in (".lock", ".waiting"):
                parts[path.name.removesuffix("-wal").removesuffix("-shm")] += _size(path)
        return ResourceUsage(disk.free, disk.total, +parts, _memory())

    def free_disk_and_memory(self) -> tuple[int, int]:
        """Free bytes on the disk, and bytes of memory used by this process."""
        return shutil.disk_usage(self._folder.path).free, _memory()

    def find_url(self, url: Url) -> UrlRecord | None:
        """The record of a URL."""
        return self._session.find_url(url)

    async def trace(self, url: Url) -> "list[TraceStep]":
        """The trace of a URL through every stage."""
        from byway.app.trace import trace

        jobs = self._session.jobs()
        rules = self._folder.site_rules if self._folder.site_rules.is_dir() else None
        removed = self._session.removal_reason(url)
        steps = trace(url, jobs, self._settings, rules, removal_reason=removed)
        return [step async for step in steps]

    async def preview_site(self, url: Url) -> "SitePreview":
        """The robots.txt and sitemaps of a site, and the time to crawl it."""
        from byway.app.site_preview import preview_site

        return await preview_site(url, self._settings.crawl)

    # Actions.

    def start(self, options: CrawlOptions) -> None:
        """Start a crawl, and an indexer that follows it, as separate processes."""
        with self._starting:
            if self._folder.crawler_pid():
                raise DataLockedError("app.crawl_running")
            if self._folder.is_locked("crawl"):
                raise DataLockedError("app.rebuild_running")
            self._folder.set_paused(False)
            crawl = self._spawn("crawl", *_crawl_arguments(options))
            self._wait_until_crawling(crawl)
        indexer = None if self._folder.is_locked("index") else self._spawn("index", "--follow")
        for process in filter(None, (crawl, indexer)):
            # Waiting for a child keeps it from becoming a zombie.
            threading.Thread(target=process.wait, daemon=True).start()

    def set_paused(self, paused: bool, job: str = "") -> None:
        """Pause or resume the crawl, or one of its jobs."""
        if job and job not in [each.name for each in self._session.jobs()]:
            raise UsageError("app.unknown_job", name=job)
        self._folder.set_paused(paused, job)

    def stop(self) -> None:
        """Stop the crawl; requests in progress are recorded first."""
        process = self._folder.crawler_pid()
        if process is None:
            raise UsageError("app.no_crawl_running", path=self._folder.path)
        self._folder.set_paused(False)
        # Under `byway up` our parent crawls: on this signal it stops the crawl and keeps serving.
        os.kill(process, signal.SIGUSR1)

    def decide_trap(self, host: str, pattern: str, resume: bool) -> int:
        """Resume or drop a paused URL pattern; return how many URLs are queued again."""
        return Engine(self._folder.path, self._settings).decide_trap(host, pattern, resume)

    def _crawl_refusals(self, hosts: Sequence[str]) -> list[Reason]:
        from byway.crawl.http.ssrf_guard import refusals

        return refusals(hosts, self._settings.crawl.allow_private)

    def _spawn(self, command: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self._folder.path / f"{command}.log").open("wb") as log:
            return subprocess.Popen(
                [*self._command_line(command), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # it outlives the web server
            )

    def _command_line(self, command: str) -> list[str]:
        """The command line that runs a byway command on this folder, with our settings."""
        command_line = [sys.executable, "-m", "byway", command, "--data", str(self._folder.path)]
        return [*command_line, *_set_options(self._settings)]

    def _wait_until_crawling(self, process: subprocess.Popen[bytes], timeout: float = 10.0) -> None:
        """Wait until the crawl has started; raise its error if it could not."""
        end = time.monotonic() + timeout
        while not self._folder.is_locked("crawl") and time.monotonic() < end:
            if process.poll() is not None:
                text = (self._folder.path / "crawl.log").read_text("utf-8", "replace").strip()
                if process.returncode and text.startswith("byway: "):
                    raise UsageError(
                        "app.crawl_failed", detail=text.splitlines()[-1].removeprefix("byway: ")
                    )
                return
            time.sleep(0.05)


def _crawl_arguments(options: CrawlOptions) -> list[str]:
    """The options as command-line arguments."""
    flags: dict[str, object] = {
        "--pages": options.max_pages or None,
        "--depth": options.max_depth,
        "--scope": options.scope or None,
        "--job": options.job or None,
    }
    arguments = [f"{name}={value}" for name, value in flags.items() if value is not None]
    # After --, a URL that begins with a dash is not read as an option.
    return [
        *arguments,
        *(["--recrawl"] if options.revisit else []),
        "--",
        *filter(None, [options.url]),
    ]


def _set_options(settings: Settings) -> Sequence[str]:
    """`--set` options for the settings that differ from their defaults."""
    options: list[str] = []
    for section in INHERITED_SECTIONS:
        section_settings = getattr(settings, section)
        defaults = type(section_settings)()
        for item in fields(section_settings):
            value = getattr(section_settings, item.name)
            if value != getattr(defaults, item.name) and not isinstance(value, Mapping):
                text = ",".join(value) if isinstance(value, tuple) else value
                options += ["--set", f"{section}.{item.name}={text}"]
    return options


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _memory() -> int:
    """Resident memory of this process in bytes; its peak on systems without /proc."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
