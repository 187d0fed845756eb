"""What can a program ask? Search, similar pages and status as JSON, described by OpenAPI."""

from dataclasses import dataclass, replace
from typing import Any

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse
from starlette.exceptions import HTTPException

from byway.core.errors import UrlError, UsageError
from byway.core.model import Absent, Hit, Misread, Results, Signal, Status, shares
from byway.core.url import guess
from byway.web.api.params import Address, Flag, Limit, Narrowed, Order, Page, Words
from byway.web.context import Site
from byway.web.current_user import WHO
from byway.web.personal import personal as personally
from byway.web.query_params import HITS, Asked, read
from byway.web.views.hit import finite, show


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with the request (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str


WHEN = {
    400: "It fits its description, but cannot be answered; `detail` says why.",
    401: "A key is needed, or is wrong.",
    403: "This key does not open that.",
    404: "There is no such page.",
    408: "The body came too slowly.",
    409: "Somebody else is at it.",
    413: "The body is too large.",
    422: "A parameter or the body does not fit its description.",
    503: "Too many ask at once, or the data folder cannot be read just now.",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """How a route says that it may refuse in these ways, and in those that all share."""
    every = sorted({401, 403, 422, 503, *statuses})
    return {status: {"description": WHEN[status], "model": Problem} for status in every}


def unkept(url: str) -> HTTPException:
    """What is answered of a page that nobody has kept."""
    return HTTPException(404, f"{whole(url)[:200]} is not kept; /api/v1/search gives URLs that are")


@dataclass(frozen=True, slots=True)
class ApiSignal:
    """One reason for a hit's place; null where a number is not finite."""

    name: str
    value: float | None
    weight: float | None
    score: float | None
    share: float
    """Its part of the score of the hit, from -1 to 1."""
    says: str


@dataclass(frozen=True, slots=True)
class ApiHeading:
    """A heading with words that were asked for, and where it is."""

    text: str
    url: str


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
    day: str
    """When it was published, or else changed: what sorting by date goes by."""
    signals: list[ApiSignal]
    """Empty unless `explain` is asked for."""
    headings: list[ApiHeading]
    places: dict[str, int]
    more: int
    duplicate_of: str | None
    product: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Counted:
    """A value that hits can be narrowed down by, and how many have it."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class ApiAbsent:
    """What was asked of pages that none here is, with a reason, and what there is instead."""

    name: str
    value: str
    there: list[str]
    more: bool
    elsewhere: int
    """How many pages have elsewhere what no title or no URL has."""
    says: str


@dataclass(frozen=True, slots=True)
class ApiMisread:
    """What was typed with a colon, how it was likely meant, and a sentence on it."""

    typed: str
    meant: str
    """Nothing where it should be a day and is none."""
    says: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question; `took` is in seconds."""

    query: str
    total: int
    about: bool
    """Is the total only near?"""
    took: float
    page: int
    limit: int
    instead: str
    """A likelier spelling; nothing if there is none."""
    instead_total: int
    """How many pages that finds, where it is a beginning; 0 where nobody looked."""
    near: bool
    """Has no page all the words, so that these have only some of them?"""
    apart: dict[str, list[str]]
    """Words that no page has, each with the words it is made of, which were looked for."""
    misread: list[ApiMisread]
    """What was typed with a colon and likely meant otherwise."""
    absent: list[ApiAbsent]
    """Where nothing is found: which filter no page passes, and why."""
    related: list[str]
    """Other searches that are near to this one, on the first page of hits."""
    facets: dict[str, list[Counted]]
    hits: list[ApiHit]


def routes(site: Site) -> APIRouter:
    """`/api/v1/search`, `/api/v1/similar`, `/api/v1/status`, `/api/v1/stats` and `/healthz`"""
    router = APIRouter()

    @router.get("/api/v1/search", responses=problems(400, 422))
    def search(
        chosen: Narrowed,
        q: Words = "",
        page: Page = 1,
        limit: Limit = HITS,
        sort: Order = "relevance",
        duplicates: Flag = False,
        facets: Flag = False,
        explain: Flag = False,
        personal: Flag = False,
    ) -> Answer:
        """Pages that answer the question `q`, best first. `page` * `limit` is at most 1000.

        With `personal`, hosts that the owner of the key opens often rise, and those they blocked
        are left out, as on their search page; nothing is written down.
        """
        mine = "1" if personal else "0"
        asked = read(q, str(page), str(limit), chosen, sort, str(duplicates), mine)
        return _search(site, asked, facets, explain)

    @router.get("/api/v1/similar", responses=problems(400, 422))
    def similar(url: Address, limit: Limit = HITS) -> Answer:
        """Pages that are like the page at `url`."""
        return _similar(site, url, limit)

    @router.get("/api/v1/status", responses=problems())
    @router.get("/api/v1/stats", responses=problems())
    def status() -> Status:
        """How far the crawl and the index are."""
        return site.status()

    @router.api_route("/healthz", methods=["GET", "HEAD"], include_in_schema=False)
    async def health() -> PlainTextResponse:
        return PlainTextResponse("ok\n")

    return router


def _search(site: Site, asked: Asked, facets: bool, explain: bool) -> Answer:
    if asked.personal != "off" and WHO.get().account is None:
        raise UsageError("personal needs the key of somebody, or their session")
    if not asked:
        raise UsageError("q is empty; ask as /api/v1/search?q=words")
    query = replace(personally(site, asked), facets=facets)
    return answer(asked, site.search(query), explain)


def _similar(site: Site, url: str, limit: int) -> Answer:
    try:
        asked = Asked(f"related:{guess(url)}", limit=limit)
    except UrlError as error:
        raise UsageError(f"url: {error}") from error
    return answer(asked, site.search(replace(asked.query, facets=False)), False)


def answer(asked: Asked, results: Results, explain: bool) -> Answer:
    """The results as JSON has them."""
    return Answer(
        query=asked.text,
        total=results.total,
        about=results.about,
        took=round(results.seconds, 6),
        page=asked.page,
        limit=asked.limit,
        instead=whole(results.instead),
        instead_total=results.instead_total,
        near=results.near,
        apart={whole(one.word): list(map(whole, one.parts)) for one in results.apart},
        misread=list(map(misread_as_json, results.misread)),
        absent=list(map(absent_as_json, results.absent)),
        related=list(map(whole, results.others)),
        facets={
            name: [Counted(whole(str(value)), count) for value, count in counts]
            for name, counts in results.facets.items()
        },
        hits=[_hit(hit, explain) for hit in results.hits],
    )


def _hit(hit: Hit, explain: bool) -> ApiHit:
    snippet, highlights = "", []
    for piece, marked in hit.snippet:
        start = len(snippet)
        snippet += piece
        if marked:
            highlights.append((start, len(snippet)))
    return ApiHit(
        url=whole(hit.url),
        title=whole(hit.title),
        score=finite(hit.score),
        snippet=whole(snippet),
        highlights=highlights,
        type=whole(hit.content_type),
        language=whole(hit.language),
        published=whole(hit.published),
        day=hit.day,
        signals=list(map(_signal, hit.signals, shares(hit.signals))) if explain else [],
        headings=[ApiHeading(text, url) for text, url in show(hit).headings],
        places=dict(hit.places),
        more=hit.more,
        duplicate_of=hit.duplicate_of,
        product=dict(hit.product),
    )


def absent_as_json(one: Absent) -> ApiAbsent:
    """Why nothing is found, as JSON has it."""
    there = list(map(whole, one.there))
    says = whole(one.sentence)
    return ApiAbsent(one.name, whole(one.value), there, one.more, one.elsewhere, says)


def misread_as_json(one: Misread) -> ApiMisread:
    """What was likely meant otherwise, as JSON has it."""
    return ApiMisread(whole(one.typed), whole(one.meant), whole(one.sentence))


def _signal(signal: Signal, share: float) -> ApiSignal:
    value, weight, score = map(finite, (signal.value, signal.weight, signal.score))
    return ApiSignal(whole(signal.name), value, weight, score, share, whole(signal.sentence))


def whole(text: str) -> str:
    """The text with `?` for halves of surrogate pairs, which JSON cannot carry as UTF-8."""
    return text.encode("utf-8", "replace").decode()
