"""What can a program learn of one page? Metadata, text as Markdown, links and words."""

from dataclasses import dataclass
from datetime import UTC, datetime

from fastapi import APIRouter

from byway.core.markdown import as_markdown
from byway.reports.links.neighbours import NeighbourPage
from byway.web.api.params import UrlParam
from byway.web.api.search import openapi_problems, page_not_found, replace_surrogates
from byway.web.context import WebContext

MAX_LINKS = 100
MAX_TEXT_CHARS = 500_000
"""Characters of a text that are handed out."""


@dataclass(frozen=True, slots=True)
class ApiLink:
    """A link: the page at its other end, and what the link says."""

    url: str
    anchor_text: str
    state: str


@dataclass(frozen=True, slots=True)
class ApiPage:
    """A page as it is kept. `text` is Markdown; of links and words there are the first ones."""

    url: str
    title: str
    description: str
    author: str
    content_type: str
    language: str
    published: str
    modified: str
    fetched_at: str
    canonical: str
    breadcrumbs: list[str]
    text: str
    outlinks: list[ApiLink]
    inlinks: list[ApiLink]
    word_counts: dict[str, int]


def routes(site: WebContext) -> APIRouter:
    """`/api/v1/page`"""
    router = APIRouter()

    @router.get("/api/v1/page", responses=openapi_problems(404, 422))
    def page(url: UrlParam) -> ApiPage:
        """What is kept of the page at `url`."""
        found = site.archive.find(url) if site.archive else None
        if site.archive is None or found is None:
            raise page_not_found(url)
        document, around = found.document, site.archive.links(found, MAX_LINKS)
        return ApiPage(
            url=replace_surrogates(document.url),
            title=replace_surrogates(document.title),
            description=replace_surrogates(document.description),
            author=replace_surrogates(document.author),
            content_type=replace_surrogates(document.content_type),
            language=replace_surrogates(document.language),
            published=replace_surrogates(document.published),
            modified=replace_surrogates(document.modified),
            fetched_at=_moment(found.record.fetched_at),
            canonical=replace_surrogates(document.canonical),
            breadcrumbs=[replace_surrogates(crumb) for crumb in document.breadcrumbs],
            text=replace_surrogates(as_markdown(document))[:MAX_TEXT_CHARS],
            outlinks=[_link(one) for one in around.outlinks] if around else [],
            inlinks=[_link(one) for one in around.inlinks] if around else [],
            word_counts={
                replace_surrogates(word): count
                for word, count in site.archive.frequent_words(found)
            },
        )

    return router


def _link(one: NeighbourPage) -> ApiLink:
    return ApiLink(replace_surrogates(one.url), replace_surrogates(one.anchor_text), str(one.state))


def _moment(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
