"""Image search: images of the pages that match a query, with their captions.

Loading an image from its site would reveal the visitor's address, so images are only linked unless
`serve.show_images` is on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fastapi.responses import HTMLResponse

from byway.core.display import http_url, sanitize
from byway.core.fields import FORMULA_PREFIX
from byway.core.model import Document
from byway.web.context import WebContext
from byway.web.middleware.response_headers import CONTENT_SECURITY_POLICY
from byway.web.query_params import FilterParams, QueryParams, parse_query_params
from byway.web.router import Access, PageRouter, RoutePolicy
from byway.web.views.document import highlight, highlight_terms

MAX_PAGES_SCANNED = 40
"""Number of best pages that are scanned for images."""
MAX_IMAGES_SCANNED_PER_PAGE = 200
"""Maximum images scanned per page; those with a matching caption are shown."""
MAX_UNMATCHED_IMAGES_PER_PAGE = 6
"""Maximum images per page shown without a matching caption, as the page matches the query."""
TOPIC_FIELDS = frozenset({"title", "headings", "url"})
MAX_IMAGES = 60
MAX_CAPTION_CHARS = 200
POLICY = RoutePolicy(Access.SEARCH, compressed=True)
IMAGES_POLICY = CONTENT_SECURITY_POLICY.replace(
    "img-src 'self' data:", "img-src 'self' data: http: https:"
)


@dataclass(frozen=True, slots=True)
class ImageView:
    """An image: its URL, highlighted caption and page."""

    url: str
    caption: tuple[tuple[str, bool], ...]
    page_url: str
    page_title: str
    language: str

    @property
    def matches_query(self) -> bool:
        """True if the caption has a word of the query."""
        return any(marked for _, marked in self.caption)

    @property
    def text(self) -> str:
        return "".join(piece for piece, _ in self.caption)


def routes(site: WebContext) -> PageRouter:
    """The route `/images`."""
    router = PageRouter(POLICY)

    @router.api_route("/images", methods=["GET", "HEAD"])
    def images(filters: FilterParams, q: str = "") -> HTMLResponse:
        params = parse_query_params(q, filters=filters)
        response = site.render(
            "pages/images.html",
            params=params,
            images=image_results(site, params) if params else [],
            show_images=site.settings.show_images,
            verticals=site.search_status().verticals,
        )
        if site.settings.show_images:
            response.headers["Content-Security-Policy"] = IMAGES_POLICY
        return response

    return router


def image_results(site: WebContext, params: QueryParams) -> list[ImageView]:
    """Images of the best pages; those with a matching caption come first."""
    found: dict[str, ImageView] = {}
    for image in _candidates(site, params):
        known = found.get(image.url)
        if known is None or (image.matches_query and not known.matches_query):
            found[image.url] = image
    ranked = sorted(found.values(), key=lambda image: (not image.matches_query, not image.caption))
    return ranked[:MAX_IMAGES]


def _candidates(site: WebContext, params: QueryParams) -> Iterator[ImageView]:
    query = replace(
        site.personalized_query(params), max_hits=MAX_PAGES_SCANNED, offset=0, count_facets=False
    )
    for hit in site.search(query).hits:
        document = site.archive.document(hit.id) if site.archive else None
        if document is None:
            continue
        is_topic = not TOPIC_FIELDS.isdisjoint(name for name, _ in hit.match_counts)
        terms, unmatched = highlight_terms(params.text, document.language), 0
        for image in _page_images(document, http_url(hit.url), terms):
            unmatched += not image.matches_query
            # A page that only mentions the words shows images of something else.
            if image.matches_query or (is_topic and unmatched <= MAX_UNMATCHED_IMAGES_PER_PAGE):
                yield image


def _page_images(document: Document, page_url: str, terms: frozenset[str]) -> Iterator[ImageView]:
    title = sanitize(document.title) or document.url
    for image in document.images[:MAX_IMAGES_SCANNED_PER_PAGE]:
        if http_url(image.url) and not image.text.startswith(FORMULA_PREFIX):
            caption = sanitize(image.text)[:MAX_CAPTION_CHARS]
            yield ImageView(
                url=image.url,
                caption=highlight(caption, terms, document.language),
                page_url=page_url,
                page_title=title,
                language=document.language,
            )
