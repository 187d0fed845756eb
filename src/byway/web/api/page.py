"""Page API: metadata, text as Markdown, links and word counts of a stored page."""

from dataclasses import dataclass
from datetime import UTC, datetime

from byway.core.display import replace_surrogates
from byway.core.markdown import as_markdown
from byway.core.model.link_report import NeighbourPage
from byway.web.api.params import UrlParam
from byway.web.api.search import page_not_stored
from byway.web.context import WebContext
from byway.web.problems import openapi_problems
from byway.web.router import Access, PageRouter, RoutePolicy

MAX_LINKS = 100
MAX_TEXT_CHARS = 500_000
"""Maximum characters of text in a response; longer text is truncated."""


@dataclass(frozen=True, slots=True)
class ApiLink:
    """A link: the page at its other end, its anchor text and the state of that page."""

    url: str
    anchor_text: str
    state: str


@dataclass(frozen=True, slots=True)
class ApiPage:
    """A stored page. `text` is Markdown; only the first links and words are included."""

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


def routes(site: WebContext) -> PageRouter:
    """The route `/api/v1/page`."""
    router = PageRouter(RoutePolicy(Access.SEARCH, compressed=True), include_in_schema=True)

    @router.get("/api/v1/page", responses=openapi_problems(404, 422))
    def page(url: UrlParam) -> ApiPage:
        """The stored page at `url`."""
        if not (found := site.find_page(url)):
            raise page_not_stored(url)
        document, links = found.document, found.links(MAX_LINKS)
        return ApiPage(
            url=replace_surrogates(document.url),
            title=replace_surrogates(document.title),
            description=replace_surrogates(document.description),
            author=replace_surrogates(document.author),
            content_type=replace_surrogates(document.content_type),
            language=replace_surrogates(document.language),
            published=replace_surrogates(document.published),
            modified=replace_surrogates(document.modified),
            fetched_at=_timestamp(found.record.fetched_at),
            canonical=replace_surrogates(document.canonical),
            breadcrumbs=[replace_surrogates(crumb) for crumb in document.breadcrumbs],
            text=replace_surrogates(as_markdown(document))[:MAX_TEXT_CHARS],
            outlinks=list(map(_link, links.outlinks)) if links else [],
            inlinks=list(map(_link, links.inlinks)) if links else [],
            word_counts={replace_surrogates(word): count for word, count in found.frequent_words()},
        )

    return router


def _link(neighbour: NeighbourPage) -> ApiLink:
    return ApiLink(
        url=replace_surrogates(neighbour.url),
        anchor_text=replace_surrogates(neighbour.anchor_text),
        state=str(neighbour.state),
    )


def _timestamp(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
