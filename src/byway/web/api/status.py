"""Status and reasons as JSON API fields: a reason has a code, parameters and a text."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from byway.core.model import RebuildProgress, Status, UrlState
from byway.core.model.message import Reason
from byway.web.views.formats import reason_text


@dataclass(frozen=True, slots=True)
class ApiReason:
    """A reason: a code for programs and a text for people."""

    code: str
    params: Mapping[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class ApiCrawlWait:
    """The reason why the crawl waits, and the seconds left."""

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
    has_products: bool = False
    rebuild: RebuildProgress | None = None
    """The index that is being rebuilt, if one is."""
    crawl_wait: ApiCrawlWait | None = None
    """The reason why the crawl is idle, if it is."""


def reason_for_api(reason: Reason) -> ApiReason:
    """A reason with its text in the language of the request."""
    return ApiReason(reason.code, _params(reason), reason_text(reason))


def status_for_api(status: Status) -> ApiStatus:
    """The status as API fields."""
    values = {item.name: getattr(status, item.name) for item in fields(Status)}
    if wait := status.crawl_wait:
        values["crawl_wait"] = ApiCrawlWait(reason_for_api(wait.reason), wait.seconds)
    return ApiStatus(**values)


def _params(reason: Reason) -> dict[str, object]:
    params = reason.to_plain()["params"]
    return params if isinstance(params, dict) else {}
