"""What can a program ask? Search and status as JSON, described by OpenAPI."""

import math
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from byway.errors import UsageError
from byway.model import Hit, Results, Signal, Status
from byway.web.asked import Asked, Limit, Page, Words, read
from byway.web.site import Site


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with the request (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str = ""


PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"description": "The request cannot be answered; `detail` says why.", "model": Problem}
}


@dataclass(frozen=True, slots=True)
class ApiSignal:
    """One reason for a hit's place; null where a number is not finite."""

    name: str
    value: float | None
    weight: float | None
    score: float | None


@dataclass(frozen=True, slots=True)
class ApiHit:
    """One answer. `highlights` are [start, end] in code points of `snippet`."""

    url: str
    title: str
    score: float | None
    snippet: str
    highlights: list[tuple[int, int]]
    type: str
    language: str
    published: str
    signals: list[ApiSignal]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question; `took` is in seconds."""

    query: str
    total: int
    took: float
    page: int
    limit: int
    hits: list[ApiHit]


def routes(site: Site) -> APIRouter:
    """`/api/v1/search`, `/api/v1/status` and `/healthz`"""
    router = APIRouter()

    @router.get("/api/v1/search", responses=PROBLEMS)
    def search(page: Page, limit: Limit, q: Words = "") -> Answer:
        """Pages that answer the question `q`, best first. `page` * `limit` is at most 1000."""
        asked = read(q, page, limit)
        if not asked.text:
            raise UsageError("q is empty; ask as /api/v1/search?q=words")
        return answer(asked, site.search(asked.query))

    @router.get("/api/v1/status")
    def status() -> Status:
        """How far the crawl and the index are."""
        return site.status()

    @router.api_route("/healthz", methods=["GET", "HEAD"], include_in_schema=False)
    async def health() -> PlainTextResponse:
        return PlainTextResponse("ok\n")

    return router


def answer(asked: Asked, results: Results) -> Answer:
    """The results as JSON has them."""
    hits = [_hit(hit) for hit in results.hits]
    took = round(results.seconds, 6)
    return Answer(asked.text, results.total, took, asked.page, asked.limit, hits)


def _hit(hit: Hit) -> ApiHit:
    snippet, highlights = "", []
    for piece, marked in hit.snippet:
        start = len(snippet)
        snippet += piece
        if marked:
            highlights.append((start, len(snippet)))
    return ApiHit(
        url=_whole(hit.url),
        title=_whole(hit.title),
        score=_finite(hit.score),
        snippet=_whole(snippet),
        highlights=highlights,
        type=_whole(hit.content_type),
        language=_whole(hit.language),
        published=_whole(hit.published),
        signals=[_signal(signal) for signal in hit.signals],
    )


def _signal(signal: Signal) -> ApiSignal:
    numbers = (_finite(number) for number in (signal.value, signal.weight, signal.score))
    return ApiSignal(_whole(signal.name), *numbers)


def _whole(text: str) -> str:
    """The text with `?` for halves of surrogate pairs, which JSON cannot carry as UTF-8."""
    return text.encode("utf-8", "replace").decode()


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
