"""Status and reasons in the JSON API; a reason has a code, parameters and a text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from byway.core.messages import Reason
from byway.core.model import (
    ProcessState,
    RebuildProgress,
    RunState,
    ShardStatus,
    Status,
    UrlState,
)
from byway.web.i18n import reason_text


@dataclass(frozen=True, slots=True)
class ApiReason:
    """A reason: a code for programs and a text for people."""

    code: str
    params: Mapping[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class ApiCrawlWait:
    """Why the crawl is waiting, and the seconds left."""

    reason: ApiReason
    seconds: float


@dataclass(frozen=True, slots=True)
class ApiStatus:
    """Pages, queue and index of this folder."""

    pages: int = 0
    """Pages kept."""
    queued: int = 0
    """URLs in the queue."""
    indexed: int = 0
    """Documents in the index."""
    crawling: bool = False
    seeds: tuple[str, ...] = ()
    states: Mapping[UrlState, int] = field(default_factory=dict)
    paused: bool = False
    verticals: tuple[str, ...] = ()
    """The verticals that have a record, such as `products`."""
    rebuild: RebuildProgress | None = None
    """The progress of the index rebuild, if there is one."""
    crawl_wait: ApiCrawlWait | None = None
    """Why the crawl is idle, if it is."""
    processes: tuple[ProcessState, ...] = ()
    """The supervised processes, and the extraction workers of a crawl."""
    shards: tuple[ShardStatus, ...] = ()
    """The shards of the index, in order."""


@dataclass(frozen=True, slots=True)
class ApiProcessHealth:
    """The state of one process, and the number of its restarts."""

    name: str
    state: RunState
    restarts: int


@dataclass(frozen=True, slots=True)
class ApiHealth:
    """The health status: `ok`, or `degraded` while a dead process is being restarted."""

    status: Literal["ok", "degraded"]
    processes: list[ApiProcessHealth]


def reason_for_api(reason: Reason) -> ApiReason:
    """A reason with its text in the language of the request."""
    return ApiReason(reason.code, _params(reason), reason_text(reason))


def status_for_api(status: Status) -> ApiStatus:
    """The status as API fields."""
    values = {item.name: getattr(status, item.name) for item in fields(Status)}
    if wait := status.crawl_wait:
        values["crawl_wait"] = ApiCrawlWait(reason_for_api(wait.reason), wait.seconds)
    return ApiStatus(**values)


def health_for_api(processes: Sequence[ProcessState]) -> ApiHealth:
    """The health of these processes, without details that should not be public."""
    is_degraded = any(one.state is RunState.RESTARTING for one in processes)
    return ApiHealth(
        "degraded" if is_degraded else "ok",
        [ApiProcessHealth(one.name, one.state, one.restarts) for one in processes],
    )


def _params(reason: Reason) -> dict[str, object]:
    params = reason.to_plain()["params"]
    return params if isinstance(params, dict) else {}
