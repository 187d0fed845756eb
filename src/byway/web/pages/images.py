"""Which pictures are on the pages that answer? What the pages say of them, and where they are.

A picture is on somebody else's machine: to show it is to tell them who looks. So there is only a
link, unless `serve.images` is on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from byway.core.fields import FORMULA
from byway.core.model import Document
from byway.web.context import Site
from byway.web.middleware.security import POLICY
from byway.web.personal import personal
from byway.web.query_params import Asked, Chosen, read
from byway.web.views.document import marked, wanted
from byway.web.views.hit import clean, web_address

LOOKED_THROUGH = 40
"""Pages whose pictures are looked at."""
MOST_LOOKED_AT = 200
"""Pictures of a page that are looked at, of which those are shown that are said to be what was
asked for ..."""
MOST_PER_PAGE = 6
"""... and so many others, where the page as a whole is about it."""
ABOUT = frozenset({"title", "headings", "url"})
MOST = 60
LONGEST_TEXT = 200
WITH_PICTURES = POLICY.replace("img-src 'self' data:", "img-src 'self' data: http: https:")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: where it is, what is said of it in pieces, and the page it is on."""

    url: str
    said: tuple[tuple[str, bool], ...]
    page: str
    title: str
    language: str

    @property
    def is_meant(self) -> bool:
        """Does what is said of it have a word that was asked for?"""
        return any(marked for _, marked in self.said)

    @property
    def text(self) -> str:
        return "".join(piece for piece, _ in self.said)


def routes(site: Site) -> APIRouter:
    """`/images`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/images", methods=["GET", "HEAD"])
    def images(chosen: Chosen, q: str = "") -> HTMLResponse:
        asked = read(q, filters=chosen)
        found = pictures(site, asked) if asked else []
        response = site.page(
            "images.html",
            asked=asked,
            pictures=found,
            loaded=site.settings.images,
            goods=site.status().goods,
        )
        if site.settings.images:
            response.headers["Content-Security-Policy"] = WITH_PICTURES
        return response

    return router


def pictures(site: Site, asked: Asked) -> list[Picture]:
    """The pictures of the best pages; first those that are said to be what was asked for."""
    found: dict[str, Picture] = {}
    for picture in _all(site, asked):
        known = found.get(picture.url)
        if known is None or (picture.is_meant and not known.is_meant):
            found[picture.url] = picture
    return sorted(found.values(), key=lambda one: (not one.is_meant, not one.said))[:MOST]


def _all(site: Site, asked: Asked) -> Iterator[Picture]:
    query = replace(personal(site, asked), limit=LOOKED_THROUGH, offset=0, facets=False)
    for hit in site.search(query).hits:
        document = site.kept.document(hit.id) if site.kept else None
        if document is None:
            continue
        about = not ABOUT.isdisjoint(name for name, _ in hit.places)
        others = 0
        for picture in _of(document, web_address(hit.url), wanted(asked.text, document.language)):
            others += not picture.is_meant
            # What a page shows that only mentions the words is of something else.
            if picture.is_meant or (about and others <= MOST_PER_PAGE):
                yield picture


def _of(document: Document, page: str, terms: frozenset[str]) -> Iterator[Picture]:
    title = clean(document.title) or document.url
    for image in document.images[:MOST_LOOKED_AT]:
        if web_address(image.url) and not image.text.startswith(FORMULA):
            said = marked(clean(image.text)[:LONGEST_TEXT], terms, document.language)
            yield Picture(image.url, said, page, title, document.language)
