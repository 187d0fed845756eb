"""What may a program do to crawls? See, start, pause, resume and stop them, with an admin's key."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from fastapi import APIRouter
from pydantic import BeforeValidator, ConfigDict, Field

from byway.app.admin import AdminService, CrawlOptions
from byway.core.url import parse_typed_url
from byway.web.api.search import openapi_problems
from byway.web.api.status import ApiStatus, status_for_api
from byway.web.context import WebContext


@dataclass(frozen=True, slots=True)
class ApiJob:
    """One of the crawls that share the folder; the main one has no name."""

    name: str
    paused: bool
    kept: int
    queued: int
    seeds: list[str]


@dataclass(frozen=True, slots=True)
class CrawlsResponse:
    """How the crawls stand."""

    status: ApiStatus
    jobs: list[ApiJob]


def _a_number(value: object) -> object:
    """The value, but no text that looks like a number; 10.0 is the whole number 10 in JSON."""
    if isinstance(value, str | bool):
        raise ValueError("this is no number")
    return value


STRICT_NUMBER = BeforeValidator(_a_number)
FORBID_EXTRA_FIELDS = ConfigDict(extra="forbid")
"""A key that nobody knows is a slip of who wrote it, and not to be passed over in silence."""


@dataclass(frozen=True, slots=True)
class StartCrawlRequest:
    """A crawl to start; without a URL, the last one goes on."""

    __pydantic_config__: ClassVar[ConfigDict] = FORBID_EXTRA_FIELDS

    url: Annotated[str, Field(max_length=2048)] = ""
    max_pages: Annotated[int, Field(ge=0, le=10**9), STRICT_NUMBER] = 0
    max_depth: Annotated[int, Field(ge=0, le=1000), STRICT_NUMBER] | None = None
    scope: Literal["", "host", "site", "any"] = ""
    job: Annotated[str, Field(max_length=40)] = ""
    recrawl: Annotated[bool, Field(strict=True)] = False


@dataclass(frozen=True, slots=True)
class JobSelection:
    """A job by its name; without one, the whole crawl."""

    __pydantic_config__: ClassVar[ConfigDict] = FORBID_EXTRA_FIELDS

    job: Annotated[str, Field(max_length=40)] = ""


CHANGE_PROBLEMS = openapi_problems(400, 408, 409, 413, 422)


def routes(site: WebContext) -> APIRouter:
    """`/api/v1/crawl` and what is done to it"""
    router = APIRouter()
    control = site.admin
    if site.accounts is None or control is None:
        return router

    @router.get("/api/v1/crawl", responses=openapi_problems())
    def crawls() -> CrawlsResponse:
        """The crawls that share the folder. Needs an admin's key, as all below."""
        return _crawls(control)

    @router.post("/api/v1/crawl", status_code=202, responses=CHANGE_PROBLEMS)
    def start(order: StartCrawlRequest) -> CrawlsResponse:
        """Start a crawl as a process of its own."""
        url = parse_typed_url(order.url) if order.url else None
        control.start(
            CrawlOptions(
                url, order.max_pages, order.max_depth, order.scope, order.job, order.recrawl
            )
        )
        return _crawls(control)

    @router.post("/api/v1/crawl/pause", responses=CHANGE_PROBLEMS)
    def pause(which: JobSelection | None = None) -> CrawlsResponse:
        """Have the crawl, or one of its jobs, hold still."""
        control.set_paused(True, which.job if which else "")
        return _crawls(control)

    @router.post("/api/v1/crawl/resume", responses=CHANGE_PROBLEMS)
    def resume(which: JobSelection | None = None) -> CrawlsResponse:
        """Let it go on."""
        control.set_paused(False, which.job if which else "")
        return _crawls(control)

    @router.post("/api/v1/crawl/stop", responses=openapi_problems(400))
    def stop() -> CrawlsResponse:
        """End the crawl; what is under way is recorded first."""
        control.stop()
        return _crawls(control)

    return router


def _crawls(control: AdminService) -> CrawlsResponse:
    jobs = [
        ApiJob(job.name, paused, job.kept_pages, job.queued_urls, list(job.seeds))
        for job, paused in control.jobs()
    ]
    return CrawlsResponse(status_for_api(control.status()), jobs)
