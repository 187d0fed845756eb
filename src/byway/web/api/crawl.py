"""Crawl API: list, start, pause, resume and stop crawls. Needs an admin's API key."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from byway.app.admin import AdminService, CrawlOptions
from byway.core.url import parse_typed_url
from byway.web.api.status import ApiStatus, status_for_api
from byway.web.context import WebContext
from byway.web.problems import openapi_problems
from byway.web.router import Access, PageRouter, RoutePolicy


@dataclass(frozen=True, slots=True)
class ApiJob:
    """A crawl job of the data folder; the main one has no name."""

    name: str
    paused: bool
    kept: int
    queued: int
    seeds: list[str]


@dataclass(frozen=True, slots=True)
class CrawlsResponse:
    """The status of the crawl and its jobs."""

    status: ApiStatus
    jobs: list[ApiJob]


def _reject_text(value: object) -> object:
    """Reject strings and booleans; accept 10.0, which in JSON is the whole number 10."""
    if isinstance(value, str | bool):
        raise ValueError("not a number")
    return value


STRICT_NUMBER = BeforeValidator(_reject_text)
FORBID_EXTRA_FIELDS = ConfigDict(extra="forbid")
"""An unknown field is a typo and must not be ignored."""


@dataclass(frozen=True, slots=True)
class StartCrawlRequest:
    """A crawl to start; without a URL, the last one continues."""

    __pydantic_config__: ClassVar[ConfigDict] = FORBID_EXTRA_FIELDS

    url: Annotated[str, Field(max_length=2048)] = ""
    max_pages: Annotated[int, Field(ge=0, le=10**9), STRICT_NUMBER] = 0
    max_depth: Annotated[int, Field(ge=0, le=1000), STRICT_NUMBER] | None = None
    scope: Literal["", "host", "site", "any"] = ""
    job: Annotated[str, Field(max_length=40)] = ""
    recrawl: Annotated[bool, Field(strict=True)] = False


@dataclass(frozen=True, slots=True)
class JobSelection:
    """A job name; without one, the action applies to the whole crawl."""

    __pydantic_config__: ClassVar[ConfigDict] = FORBID_EXTRA_FIELDS

    job: Annotated[str, Field(max_length=40)] = ""


CHANGE_PROBLEMS = openapi_problems(400, 408, 409, 413, 422)


def routes(site: WebContext) -> PageRouter:
    """The routes of `/api/v1/crawl` and its actions."""
    router = PageRouter(RoutePolicy(Access.ADMIN), include_in_schema=True)
    admin = site.admin
    if site.accounts is None or admin is None:
        return router

    @router.get("/api/v1/crawl", responses=openapi_problems())
    def crawls() -> CrawlsResponse:
        """The crawl jobs of the data folder. Needs an admin's API key, like all routes below."""
        return _crawls(admin)

    @router.post("/api/v1/crawl", status_code=202, responses=CHANGE_PROBLEMS)
    def start(request: StartCrawlRequest) -> CrawlsResponse:
        """Start a crawl in its own process."""
        admin.start(
            CrawlOptions(
                parse_typed_url(request.url) if request.url else None,
                request.max_pages,
                request.max_depth,
                request.scope,
                request.job,
                request.recrawl,
            )
        )
        return _crawls(admin)

    @router.post("/api/v1/crawl/pause", responses=CHANGE_PROBLEMS)
    def pause(selection: JobSelection | None = None) -> CrawlsResponse:
        """Pause the crawl, or one of its jobs."""
        admin.set_paused(True, selection.job if selection else "")
        return _crawls(admin)

    @router.post("/api/v1/crawl/resume", responses=CHANGE_PROBLEMS)
    def resume(selection: JobSelection | None = None) -> CrawlsResponse:
        """Resume the crawl, or one of its jobs."""
        admin.set_paused(False, selection.job if selection else "")
        return _crawls(admin)

    @router.post("/api/v1/crawl/stop", responses=openapi_problems(400))
    def stop() -> CrawlsResponse:
        """Stop the crawl; running fetches are recorded first."""
        admin.stop()
        return _crawls(admin)

    return router


def _crawls(admin: AdminService) -> CrawlsResponse:
    jobs = [
        ApiJob(job.name, paused, job.kept_pages, job.queued_urls, list(job.seeds))
        for job, paused in admin.jobs()
    ]
    return CrawlsResponse(status_for_api(admin.status()), jobs)
