"""Crawl jobs: several crawls in one data folder, each with seeds, a scope and a page limit."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import fields, replace
from typing import Any

from byway.core.errors import UsageError
from byway.core.model import Job, Outcome, UrlState, Visit
from byway.core.settings.schema import CrawlSettings
from byway.crawl.scope import Scope

JOB_NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
JOB_SETTING_NAMES = frozenset(
    ("scope", "host_pattern", "path_pattern", "keep_pattern", "firewall", "max_depth", "max_pages")
)
"""The settings a job may override. Politeness is the same for all jobs."""


def validate_job_name(name: str) -> str:
    """Return `name` if it is a valid job name: it becomes part of a file name."""
    if not JOB_NAME_PATTERN.fullmatch(name):
        raise UsageError("crawl.bad_job_name", name=name[:60])
    return name


def job_settings(settings: CrawlSettings, job: Job) -> CrawlSettings:
    """The crawl settings with this job's overrides."""
    known = {item.name for item in fields(CrawlSettings)} & JOB_SETTING_NAMES
    overrides: dict[str, Any] = {
        name: value for name, value in job.overrides.items() if name in known
    }
    return replace(settings, **overrides)


def job_scopes(settings: CrawlSettings, jobs: Sequence[Job]) -> dict[str, Scope]:
    """The scope of each job."""
    return {job.name: Scope(job_settings(settings, job), job.seeds) for job in jobs}


class Jobs:
    """The jobs of one run, with their scopes and page limits."""

    def __init__(self, settings: CrawlSettings, jobs: Sequence[Job], only_job: str = "") -> None:
        """`only_job`: the only job to run; empty for all."""
        self._scopes = job_scopes(settings, jobs)
        # The crawl loop enforces the main job's limit, which applies to the whole crawl.
        self._page_limits = {
            job.name: int(str(job.overrides["max_pages"])) - job.kept_pages
            for job in jobs
            if job.name and job.overrides.get("max_pages")
        }
        self._reserved: Counter[str] = Counter()
        self._other_jobs = frozenset(self._scopes) - {only_job} if only_job else frozenset()

    def __getitem__(self, name: str) -> Scope:
        """The scope of a job."""
        return self._scopes[name]

    def reserve_page(self, visit: Visit) -> bool:
        """Count a page against the job's limit; False if that is used up. Revisits are free."""
        if visit.previous_fetch is not None:
            return True
        if self._is_at_limit(visit.job):
            return False
        self._reserved[visit.job] += 1
        return True

    def release_page(self, visit: Visit, outcome: Outcome | None) -> None:
        """Undo `reserve_page` unless the visit kept a new page."""
        kept = outcome is not None and outcome.state is UrlState.KEPT
        if visit.previous_fetch is None and not kept:
            self._reserved[visit.job] -= 1

    def inactive_jobs(self, paused: Collection[str]) -> frozenset[str]:
        """The jobs that may not start visits."""
        known = frozenset(paused) & frozenset(self._scopes)
        return self._other_jobs | known

    def paused_jobs(self, paused: Collection[str]) -> frozenset[str]:
        """The jobs of this run that are paused."""
        return frozenset(paused) & frozenset(self._scopes) - self.inactive_jobs(())

    def job_names(self) -> frozenset[str]:
        """The names of all jobs."""
        return frozenset(self._scopes)

    def jobs_at_limit(self) -> list[str]:
        """The jobs that have reached their page limit."""
        return sorted(filter(self._is_at_limit, self._page_limits))

    def _is_at_limit(self, name: str) -> bool:
        return name in self._page_limits and self._reserved[name] >= self._page_limits[name]
