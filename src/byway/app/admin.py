"""Admin service: status, charts, and starting, pausing and stopping crawls from the web."""

import itertools
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from byway.app import crawl_control
from byway.app.processes.local_runner import LocalRunner
from byway.app.processes.process_memory import memory_bytes
from byway.app.processes.task_call import wait_for_message
from byway.app.processes.tasks import (
    CrawlTask,
    IndexerTask,
    RuleTrialTask,
    Task,
    process_spec,
)
from byway.app.processes.worker_memory import CrawlSample, LockName, WorkerMemory
from byway.app.removal import RemovalService, require_no_writer
from byway.app.search import SearchSession
from byway.app.weight_lab import WeightLab
from byway.core.errors import UsageError
from byway.core.messages import Reason, group_reasons
from byway.core.model import HostRecord, Job, ProcessSpec, ProcessState, Status, Url
from byway.core.model.url_state import PausedPattern
from byway.core.ports import Storage
from byway.core.settings.schema import Settings
from byway.crawl.scope import validate_job_name

if TYPE_CHECKING:  # fetching code is loaded on first use, so that searches do not wait
    from byway.app.preview.site_preview import SitePreview
    from byway.app.preview.trace import UrlTrace
    from byway.extract.site_rules.load import SiteRuleSet

SAMPLE_INTERVAL_SECONDS = 2.0
"""Seconds between two samples of the crawl's progress."""
RULE_TRIAL_TIMEOUT_SECONDS = 30.0
"""Time limit for trying a site rule on a page."""


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

    def __init__(
        self,
        storage: Storage,
        settings: Settings,
        session: SearchSession,
        workers: WorkerMemory | None = None,
    ) -> None:
        self._storage = storage
        self._settings = settings
        self._session = session
        self._workers = workers or WorkerMemory()
        self._runner = LocalRunner()
        self._trial_numbers = itertools.count(1)
        self.weight_lab = WeightLab(storage, settings, session, self._workers, self._runner)
        self.removal = RemovalService(storage, settings, session, self._runner)

    @property
    def _task_fields(self) -> dict[str, Any]:
        return {"path": str(self._storage.path), "settings": self._settings}

    # Status.

    def status(self) -> Status:
        """The status of the data folder."""
        return self._session.status()

    def processes(self) -> tuple[ProcessState, ...]:
        """The supervised processes of the data folder."""
        return self._storage.process_states().read()

    def sample(self) -> None:
        """Record the progress of the crawl, for the charts."""
        status = self.status()
        sample = CrawlSample(time.time(), status.pages, status.queued)
        self._workers.add_sample(sample, SAMPLE_INTERVAL_SECONDS * 0.9)

    def samples(self) -> list[CrawlSample]:
        """The progress of the crawl in the last minutes."""
        return self._workers.samples()

    def jobs(self) -> list[tuple[Job, bool]]:
        """The crawls that share the folder, and whether each is paused."""
        paused = self._storage.paused_jobs()
        return [(job, job.name in paused) for job in self._session.catalog.jobs()]

    def hosts(self, limit: int, name_contains: str = "") -> tuple[list[HostRecord], int]:
        """Hosts whose name contains this text, longest queue first, and their total number."""
        default_delay = self._settings.crawl.delay
        hosts = [
            replace(host, delay=host.delay or default_delay)
            for host in self._session.catalog.hosts(limit, name_contains)
        ]
        return hosts, self._session.catalog.host_count(name_contains)

    def failure_reasons(self) -> list[tuple[Reason, int]]:
        """Failure reasons with their URL counts, most frequent first."""
        return group_reasons(self._session.catalog.failure_reasons())

    def traps(self) -> list[PausedPattern]:
        """Paused URL patterns: suspected crawler traps."""
        return crawl_control.list_traps(self._storage.path, self._settings)

    def rules(self) -> "SiteRuleSet":
        """The site rules as currently on disk, and the errors in them."""
        from byway.extract.site_rules.load import load_rules_with_errors

        return load_rules_with_errors(self._storage.site_rules)

    def try_rule(self, name: str, url: Url) -> Mapping[str, Any]:
        """The result of a site rule on a page, which is fetched and not stored."""
        if name not in [rule.name for rule in self.rules().rules]:
            raise UsageError("app.unknown_rule", name=name)
        task = RuleTrialTask(**self._task_fields, rule=name, url=url)
        trial = process_spec(f"rule_trial-{next(self._trial_numbers)}", task)
        try:
            result: Mapping[str, Any] = wait_for_message(
                self._runner, trial, "result", RULE_TRIAL_TIMEOUT_SECONDS
            )
        except TimeoutError:
            seconds = RULE_TRIAL_TIMEOUT_SECONDS
            raise UsageError("app.rule_timeout", url=url, seconds=seconds) from None
        finally:
            self._runner.stop(trial.name, timeout=0)
        return result

    def resource_usage(self) -> ResourceUsage:
        """Disk space and memory, used and free."""
        disk = self._storage.disk_space()
        parts = self._storage.bytes_by_part()
        return ResourceUsage(disk.free, disk.total, parts, self._memory())

    def free_disk_and_memory(self) -> tuple[int, int]:
        """Free bytes on the disk, and bytes of memory used by all web workers."""
        return self._storage.disk_space().free, self._memory()

    def _memory(self) -> int:
        pids = {each.pid for each in self.processes() if each.name.startswith("web-")}
        return sum(memory_bytes(pid) for pid in pids - {0} or {os.getpid()})

    async def trace(self, url: Url) -> "UrlTrace":
        """The trace of a URL through every stage."""
        from byway.app.preview.trace import trace

        return await trace(url, self._storage, self._settings)

    async def preview_site(self, url: Url) -> "SitePreview":
        """The robots.txt and sitemaps of a site, and the time to crawl it."""
        from byway.app.preview.site_preview import preview_site

        return await preview_site(url, self._settings.crawl)

    # Actions.

    def start(self, options: CrawlOptions) -> None:
        """Start a crawl, and an indexer that follows it, as separate processes."""
        with self._workers.lock(LockName.START_CRAWL):
            require_no_writer(self._storage)
            self._storage.set_paused(False)
            with suppress(TimeoutError):  # it is still starting
                wait_for_message(self._runner, self._crawl(options), "snapshot", 10.0)
            if not self._storage.is_locked("index"):
                indexer = IndexerTask(**self._task_fields, until_crawl_ends=True)
                self._runner.start(self._detached("indexer", indexer))

    def set_paused(self, paused: bool, job: str = "") -> None:
        """Pause or resume the crawl, or one of its jobs."""
        crawl_control.set_paused(self._storage.path, self._settings, paused, job)

    def stop(self) -> None:
        """Stop the crawl; requests in flight are recorded first."""
        if crawl_control.request_stop(self._storage.path, self._settings) is None:
            raise UsageError("app.no_crawl_running", path=self._storage.path)

    def decide_trap(self, host: str, pattern: str, resume: bool) -> int:
        """Resume or drop a paused URL pattern; return the number of requeued URLs."""
        return crawl_control.decide_trap(self._storage.path, self._settings, host, pattern, resume)

    def _crawl(self, options: CrawlOptions) -> ProcessSpec:
        """The spec of the crawl process; the limits of a job apply only to that job."""
        settings, job = self._settings, None
        limits = _crawl_limits(options)
        if options.job:
            job = Job(validate_job_name(options.job), limits)
        else:
            settings = replace(settings, crawl=replace(settings.crawl, **limits))
        if not options.url:
            self._require_seeds(options.job)
        task = CrawlTask(
            path=str(self._storage.path),
            settings=settings,
            seeds=(options.url,) if options.url else (),
            due_by=time.time() if options.revisit else 0.0,
            job=job,
        )
        return self._detached("crawl", task)

    def _require_seeds(self, job: str) -> None:
        if not self._session.catalog.seeds():
            raise UsageError("app.no_seeds")
        crawl_control.require_job(self._storage.path, self._settings, job)

    def _detached(self, name: str, task: Task) -> ProcessSpec:
        """A process that outlives the web server."""
        log_path = str(self._storage.log_file(name))
        return process_spec(name, task, is_detached=True, log_path=log_path)


def _crawl_limits(options: CrawlOptions) -> dict[str, Any]:
    """The crawl settings that these options change."""
    limits = {
        "max_pages": options.max_pages or None,
        "max_depth": options.max_depth,
        "scope": options.scope or None,
    }
    return {name: value for name, value in limits.items() if value is not None}
