"""Control of the crawl in a data folder: its jobs and traps, pausing, resuming and stopping."""

import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from byway.app.processes.process_status import crawl_stop_target
from byway.app.storage import open_storage
from byway.core.errors import DataError, UsageError
from byway.core.model import Job
from byway.core.model.url_state import PausedPattern
from byway.core.settings.schema import CrawlSettings, Settings
from byway.crawl.scope import JOB_SETTING_NAMES, validate_job_name
from byway.crawl.traps.pattern_budget import PatternBudget

MAX_NAME_CHARS = 60


class JobList(NamedTuple):
    """The jobs of a data folder, the names of paused ones, and whether all are paused."""

    jobs: list[Job]
    paused: frozenset[str]
    all_paused: bool


class PauseChange(NamedTuple):
    """The result of pausing or resuming the crawl or one of its jobs."""

    was_paused: bool
    is_running: bool


class CrawlStop(NamedTuple):
    """The result of stopping: whether a crawl was running, and whether an indexer still is."""

    was_running: bool
    is_indexing: bool


def make_job(name: str, settings: CrawlSettings, given: Iterable[str]) -> Job:
    """The job with this name, and with those of the settings that a job may override."""
    overrides = {key: getattr(settings, key) for key in given if key in JOB_SETTING_NAMES}
    return Job(validate_job_name(name), overrides)


def list_jobs(path: Path, settings: Settings) -> JobList:
    """The crawl jobs of a data folder."""
    folder = open_storage(path, settings)
    folder.require_data()
    with folder.reader() as reader:
        return JobList(reader.catalog.jobs(), folder.paused_jobs(), folder.is_paused())


def require_job(path: Path, settings: Settings, name: str) -> None:
    """Raise unless the folder has a job with that name; the empty name is the main crawl."""
    names = [job.name for job in list_jobs(path, settings).jobs if job.name]
    if name and name not in names:
        code = "app.unknown_job" if names else "app.no_jobs"
        raise UsageError(code, name=name[:MAX_NAME_CHARS], data=path, jobs=names)


def set_paused(path: Path, settings: Settings, paused: bool, job: str = "") -> PauseChange:
    """Pause or resume the crawl, or only one of its jobs."""
    require_job(path, settings, job)
    folder = open_storage(path, settings)
    was_paused = folder.is_paused(job)
    folder.set_paused(paused, job)
    return PauseChange(was_paused, folder.crawler_pid() is not None)


def request_stop(path: Path, settings: Settings) -> int | None:
    """Ask the running crawl to stop; return its process id, or None if there is no crawl."""
    folder = open_storage(path, settings)
    folder.require_data()
    process = crawl_stop_target(folder)
    if process is not None:
        folder.set_paused(False)  # or the next crawl would start paused
        # SIGUSR1 ends the crawl only; SIGTERM would also end the search page of `byway up`.
        os.kill(process, signal.SIGUSR1)
    return process


def stop_crawl(path: Path, settings: Settings, timeout: float) -> CrawlStop:
    """Stop the running crawl and wait until its visits in progress are recorded."""
    folder = open_storage(path, settings)
    process = request_stop(path, settings)
    if process is None:
        return CrawlStop(False, folder.is_locked("index"))
    deadline = time.monotonic() + timeout
    while folder.is_locked("crawl"):
        if time.monotonic() > deadline:
            raise DataError("app.crawl_not_stopped", pid=process, seconds=timeout)
        time.sleep(0.1)
    return CrawlStop(True, folder.is_locked("index"))


def list_traps(path: Path, settings: Settings) -> list[PausedPattern]:
    """Paused URL patterns: suspected crawler traps."""
    folder = open_storage(path, settings)
    folder.require_data()
    with folder.reader() as reader:
        return PatternBudget(rows=reader.catalog.traps()).paused_patterns()


def decide_trap(path: Path, settings: Settings, host: str, pattern: str, resume: bool) -> int:
    """Resume or drop a paused URL pattern; return the number of requeued URLs."""
    folder = open_storage(path, settings)
    folder.require_data()
    with folder.write_lock("crawl"), folder.frontier() as frontier:
        budget = PatternBudget(rows=frontier.traps())
        (budget.resume if resume else budget.drop)(host, pattern)
        frontier.save_traps(budget.rows())
        return frontier.requeue_paused(host)
