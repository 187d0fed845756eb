"""Crawl scope and jobs: which URLs a crawl visits, by seeds, patterns, depth and page limits.

Several crawls (jobs) may share one data folder, each with seeds, a scope and a page limit.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

from byway.core.errors import UsageError
from byway.core.messages import NO_REASON, Reason
from byway.core.model import Job, Outcome, Url, UrlState, Visit
from byway.core.settings.schema import CrawlSettings
from byway.core.url import host_of, path_of, site_of

JOB_NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
JOB_SETTING_NAMES = frozenset(
    ("scope", "host_pattern", "path_pattern", "keep_pattern", "firewall", "max_depth", "max_pages")
)
"""The settings a job may override. Politeness is the same for all jobs."""


class Scope:
    """The scope of one job; seeds can be added but not removed."""

    def __init__(self, settings: CrawlSettings, seeds: Iterable[Url] = ()) -> None:
        self._settings = settings
        self.keep_pattern = settings.keep_pattern
        self._host = re.compile(settings.host_pattern) if settings.host_pattern else None
        self._path = re.compile(settings.path_pattern) if settings.path_pattern else None
        self._keep = re.compile(settings.keep_pattern) if settings.keep_pattern else None
        self._hosts: set[str] = set()
        self._sites: set[str] = set()
        for seed in seeds:
            self.add(seed)

    def add(self, seed: Url) -> None:
        """Add the host and site of a seed to the scope."""
        self._hosts.add(host_of(seed))
        self._sites.add(site_of(seed))

    def refusal(self, url: Url, depth: int = 0, source: Url | None = None) -> Reason:
        """The reason this URL, linked from `source`, is out of scope; empty if it is in scope."""
        settings = self._settings
        if depth > settings.max_depth:
            return Reason("too_deep", depth=depth, max_depth=settings.max_depth)
        if source and settings.firewall and site_of(url) != site_of(source):
            return Reason("other_site", site=site_of(source))
        if self._path and not self._path.search(path_of(url)):
            return Reason("path_mismatch", pattern=settings.path_pattern)
        return self._host_refusal(url)

    def keeps(self, url: Url) -> bool:
        """Whether the page itself is kept, not just its links."""
        return not self._keep or bool(self._keep.search(path_of(url)))

    def _host_refusal(self, url: Url) -> Reason:
        host, width = host_of(url), self._settings.scope
        if self._host:
            matches = self._host.search(host)
            pattern = self._settings.host_pattern
            return NO_REASON if matches else Reason("host_mismatch", host=host, pattern=pattern)
        if width == "host" and host not in self._hosts:
            return Reason("not_seed_host", host=host)
        if width == "site" and site_of(url) not in self._sites:
            return Reason("not_seed_site", site=site_of(url))
        return NO_REASON


def validate_job_name(name: str) -> str:
    """Return `name` if it is a valid job name; it becomes part of a file name."""
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
        """Count a page against the job's limit; False if none is left. Revisits do not count."""
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
