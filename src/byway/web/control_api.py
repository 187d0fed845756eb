"""What may a program do to crawls? See, start, pause, resume and stop them, with an admin's key."""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from byway.control import Control, Order
from byway.model import Status
from byway.url import guess
from byway.web.api import PROBLEMS
from byway.web.site import Site


@dataclass(frozen=True, slots=True)
class ApiJob:
    """One of the crawls that share the folder; the main one has no name."""

    name: str
    paused: bool
    kept: int
    queued: int
    seeds: list[str]


@dataclass(frozen=True, slots=True)
class Crawls:
    """How the crawls stand."""

    status: Status
    jobs: list[ApiJob]


@dataclass(frozen=True, slots=True)
class NewCrawl:
    """A crawl to start; without a URL, the last one goes on."""

    url: Annotated[str, Field(max_length=2048)] = ""
    pages: Annotated[int, Field(ge=0, le=10**9)] = 0
    depth: Annotated[int | None, Field(ge=0, le=1000)] = None
    scope: Literal["", "host", "site", "any"] = ""
    job: Annotated[str, Field(max_length=40)] = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class WhichJob:
    """A job by its name; without one, the whole crawl."""

    job: Annotated[str, Field(max_length=40)] = ""


def routes(site: Site) -> APIRouter:
    """`/api/v1/crawl` and what is done to it"""
    router = APIRouter(responses=PROBLEMS)
    control = site.control
    if site.accounts is None or control is None:
        return router

    @router.get("/api/v1/crawl")
    def crawls() -> Crawls:
        """The crawls that share the folder. Needs an admin's key, as all below."""
        return _crawls(control)

    @router.post("/api/v1/crawl", status_code=202)
    def start(order: NewCrawl) -> Crawls:
        """Start a crawl as a process of its own."""
        url = guess(order.url) if order.url else None
        control.start(Order(url, order.pages, order.depth, order.scope, order.job, order.again))
        return _crawls(control)

    @router.post("/api/v1/crawl/pause")
    def pause(which: WhichJob) -> Crawls:
        """Have the crawl, or one of its jobs, hold still."""
        control.pause(True, which.job)
        return _crawls(control)

    @router.post("/api/v1/crawl/resume")
    def resume(which: WhichJob) -> Crawls:
        """Let it go on."""
        control.pause(False, which.job)
        return _crawls(control)

    @router.post("/api/v1/crawl/stop")
    def stop() -> Crawls:
        """End the crawl; what is under way is recorded first."""
        control.stop()
        return _crawls(control)

    return router


def _crawls(control: Control) -> Crawls:
    jobs = [
        ApiJob(job.name, paused, job.kept, job.queued, list(job.seeds))
        for job, paused in control.jobs()
    ]
    return Crawls(control.status(), jobs)
