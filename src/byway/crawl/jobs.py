"""How far does each crawl go? Several share a folder: each has seeds, a scope and a budget."""

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
"""The settings that a job may have of its own. What we owe to hosts is the same for all."""


def validate_job_name(name: str) -> str:
    """The name of a job, if it can be one: it becomes part of a file's name."""
    if not JOB_NAME_PATTERN.fullmatch(name):
        raise UsageError(
            f"{name!r:.60} cannot name a job; use small letters, digits, - and _, as docs-2"
        )
    return name


def job_settings(settings: CrawlSettings, job: Job) -> CrawlSettings:
    """The settings as this job has them."""
    known = {item.name for item in fields(CrawlSettings)} & JOB_SETTING_NAMES
    own: dict[str, Any] = {name: value for name, value in job.overrides.items() if name in known}
    return replace(settings, **own)


def job_scopes(settings: CrawlSettings, jobs: Sequence[Job]) -> dict[str, Scope]:
    """Where each job may go."""
    return {job.name: Scope(job_settings(settings, job), job.seeds) for job in jobs}


class Jobs:
    """The crawls of one run. A job of a limited number of pages has a place for each."""

    def __init__(self, settings: CrawlSettings, jobs: Sequence[Job], only_job: str = "") -> None:
        """`only_job`: the job to work on; without a name, all of them."""
        self._scopes = job_scopes(settings, jobs)
        # The main job's budget is the crawl's, which the crawl loop keeps.
        self._places = {
            job.name: int(str(job.overrides["max_pages"])) - job.kept_pages
            for job in jobs
            if job.name and job.overrides.get("max_pages")
        }
        self._taken: Counter[str] = Counter()
        self._others = frozenset(self._scopes) - {only_job} if only_job else frozenset()

    def __getitem__(self, name: str) -> Scope:
        """Where a job may go."""
        return self._scopes[name]

    def reserve_page(self, visit: Visit) -> bool:
        """Take one of the job's places; False when all are taken. Pages we have keep theirs."""
        if visit.previous_fetch is not None:
            return True
        if self._full(visit.job):
            return False
        self._taken[visit.job] += 1
        return True

    def release_page(self, visit: Visit, outcome: Outcome | None) -> None:
        """Give the place back, unless there is a new page in it."""
        kept = outcome is not None and outcome.state is UrlState.KEPT
        if visit.previous_fetch is None and not kept:
            self._taken[visit.job] -= 1

    def inactive_jobs(self, paused: Collection[str]) -> frozenset[str]:
        """The jobs that nothing may be started for now."""
        known = frozenset(paused) & frozenset(self._scopes)
        return self._others | known

    def paused_jobs(self, paused: Collection[str]) -> frozenset[str]:
        """The jobs that would go on, were they not paused."""
        return frozenset(paused) & frozenset(self._scopes) - self.inactive_jobs(())

    def job_names(self) -> frozenset[str]:
        """The names of all jobs."""
        return frozenset(self._scopes)

    def jobs_at_limit(self) -> list[str]:
        """The jobs that have all the pages they may have."""
        return sorted(filter(self._full, self._places))

    def _full(self, name: str) -> bool:
        return name in self._places and self._taken[name] >= self._places[name]
