"""What may a program do to crawls? See, start, pause, resume and stop them, with an admin's key."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from fastapi import APIRouter
from pydantic import BeforeValidator, ConfigDict, Field

from byway.app.admin import Control, Order
from byway.core.model import Status
from byway.core.url import guess
from byway.web.api.search import problems
from byway.web.context import Site


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


def _a_number(value: object) -> object:
    """The value, but no text that looks like a number; 10.0 is the whole number 10 in JSON."""
    if isinstance(value, str | bool):
        raise ValueError("this is no number")
    return value


NUMBER = BeforeValidator(_a_number)
STRICT = ConfigDict(extra="forbid")
"""A key that nobody knows is a slip of who wrote it, and not to be passed over in silence."""


@dataclass(frozen=True, slots=True)
class NewCrawl:
    """A crawl to start; without a URL, the last one goes on."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    url: Annotated[str, Field(max_length=2048)] = ""
    pages: Annotated[int, Field(ge=0, le=10**9), NUMBER] = 0
    depth: Annotated[int, Field(ge=0, le=1000), NUMBER] | None = None
    scope: Literal["", "host", "site", "any"] = ""
    job: Annotated[str, Field(max_length=40)] = ""
    again: Annotated[bool, Field(strict=True)] = False


@dataclass(frozen=True, slots=True)
class WhichJob:
    """A job by its name; without one, the whole crawl."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    job: Annotated[str, Field(max_length=40)] = ""


CHANGED = problems(400, 408, 409, 413, 422)


def routes(site: Site) -> APIRouter:
    """`/api/v1/crawl` and what is done to it"""
    router = APIRouter()
    control = site.control
    if site.accounts is None or control is None:
        return router

    @router.get("/api/v1/crawl", responses=problems())
    def crawls() -> Crawls:
        """The crawls that share the folder. Needs an admin's key, as all below."""
        return _crawls(control)

    @router.post("/api/v1/crawl", status_code=202, responses=CHANGED)
    def start(order: NewCrawl) -> Crawls:
        """Start a crawl as a process of its own."""
        url = guess(order.url) if order.url else None
        control.start(Order(url, order.pages, order.depth, order.scope, order.job, order.again))
        return _crawls(control)

    @router.post("/api/v1/crawl/pause", responses=CHANGED)
    def pause(which: WhichJob | None = None) -> Crawls:
        """Have the crawl, or one of its jobs, hold still."""
        control.pause(True, which.job if which else "")
        return _crawls(control)

    @router.post("/api/v1/crawl/resume", responses=CHANGED)
    def resume(which: WhichJob | None = None) -> Crawls:
        """Let it go on."""
        control.pause(False, which.job if which else "")
        return _crawls(control)

    @router.post("/api/v1/crawl/stop", responses=problems(400))
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
