"""Which pictures are on the pages that answer? What the pages say of them, and where they are.

A picture is on somebody else's machine: to show it is to tell them who looks. So there is only a
link, unless `serve.show_images` is on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from byway.core.fields import FORMULA_PREFIX
from byway.core.model import Document
from byway.web.context import WebContext
from byway.web.middleware.security import CONTENT_SECURITY_POLICY
from byway.web.personal import personalized_query
from byway.web.query_params import FilterParams, QueryParams, parse_query_params
from byway.web.views.document import highlight, highlight_terms
from byway.web.views.hit import http_url, sanitize

MAX_PAGES_SCANNED = 40
"""Pages whose pictures are looked at."""
MAX_IMAGES_SCANNED_PER_PAGE = 200
"""Pictures of a page that are looked at, of which those are shown that are said to be what was
asked for ..."""
MAX_UNMATCHED_IMAGES_PER_PAGE = 6
"""... and so many others, where the page as a whole is about it."""
TOPIC_FIELDS = frozenset({"title", "headings", "url"})
MAX_IMAGES = 60
MAX_CAPTION_CHARS = 200
IMAGES_POLICY = CONTENT_SECURITY_POLICY.replace(
    "img-src 'self' data:", "img-src 'self' data: http: https:"
)


@dataclass(frozen=True, slots=True)
class ImageView:
    """A picture: where it is, what is said of it in pieces, and the page it is on."""

    url: str
    caption: tuple[tuple[str, bool], ...]
    page_url: str
    page_title: str
    language: str

    @property
    def matches_query(self) -> bool:
        """Does what is said of it have a word that was asked for?"""
        return any(marked for _, marked in self.caption)

    @property
    def text(self) -> str:
        return "".join(piece for piece, _ in self.caption)


def routes(site: WebContext) -> APIRouter:
    """`/images`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/images", methods=["GET", "HEAD"])
    def images(chosen: FilterParams, q: str = "") -> HTMLResponse:
        asked = parse_query_params(q, filters=chosen)
        found = image_results(site, asked) if asked else []
        response = site.render(
            "images.html",
            asked=asked,
            pictures=found,
            loaded=site.settings.show_images,
            goods=site.status().has_products,
        )
        if site.settings.show_images:
            response.headers["Content-Security-Policy"] = IMAGES_POLICY
        return response

    return router


def image_results(site: WebContext, params: QueryParams) -> list[ImageView]:
    """The pictures of the best pages; first those that are said to be what was asked for."""
    found: dict[str, ImageView] = {}
    for picture in _all(site, params):
        known = found.get(picture.url)
        if known is None or (picture.matches_query and not known.matches_query):
            found[picture.url] = picture
    return sorted(found.values(), key=lambda one: (not one.matches_query, not one.caption))[
        :MAX_IMAGES
    ]


def _all(site: WebContext, asked: QueryParams) -> Iterator[ImageView]:
    query = replace(
        personalized_query(site, asked), max_hits=MAX_PAGES_SCANNED, offset=0, count_facets=False
    )
    for hit in site.search(query).hits:
        document = site.archive.document(hit.id) if site.archive else None
        if document is None:
            continue
        about = not TOPIC_FIELDS.isdisjoint(name for name, _ in hit.match_counts)
        others = 0
        for picture in _of(
            document, http_url(hit.url), highlight_terms(asked.text, document.language)
        ):
            others += not picture.matches_query
            # What a page shows that only mentions the words is of something else.
            if picture.matches_query or (about and others <= MAX_UNMATCHED_IMAGES_PER_PAGE):
                yield picture


def _of(document: Document, page: str, terms: frozenset[str]) -> Iterator[ImageView]:
    title = sanitize(document.title) or document.url
    for image in document.images[:MAX_IMAGES_SCANNED_PER_PAGE]:
        if http_url(image.url) and not image.text.startswith(FORMULA_PREFIX):
            said = highlight(sanitize(image.text)[:MAX_CAPTION_CHARS], terms, document.language)
            yield ImageView(image.url, said, page, title, document.language)
