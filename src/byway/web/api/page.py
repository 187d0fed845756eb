"""What can a program learn of one page? Metadata, text as Markdown, links and words."""

from dataclasses import dataclass
from datetime import UTC, datetime

from fastapi import APIRouter

from byway.core.markdown import as_markdown
from byway.reports.links.neighbours import Linked
from byway.web.api.params import Address
from byway.web.api.search import problems, unkept, whole
from byway.web.context import Site

MOST_LINKS = 100
LONGEST = 500_000
"""Characters of a text that are handed out."""


@dataclass(frozen=True, slots=True)
class ApiLink:
    """A link: the page at its other end, and what the link says."""

    url: str
    text: str
    state: str


@dataclass(frozen=True, slots=True)
class ApiPage:
    """A page as it is kept. `text` is Markdown; of links and words there are the first ones."""

    url: str
    title: str
    description: str
    author: str
    type: str
    language: str
    published: str
    modified: str
    fetched: str
    canonical: str
    breadcrumbs: list[str]
    text: str
    links: list[ApiLink]
    linked_from: list[ApiLink]
    words: dict[str, int]


def routes(site: Site) -> APIRouter:
    """`/api/v1/page`"""
    router = APIRouter()

    @router.get("/api/v1/page", responses=problems(404, 422))
    def page(url: Address) -> ApiPage:
        """What is kept of the page at `url`."""
        found = site.kept.find(url) if site.kept else None
        if site.kept is None or found is None:
            raise unkept(url)
        document, around = found.document, site.kept.links(found, MOST_LINKS)
        return ApiPage(
            url=whole(document.url),
            title=whole(document.title),
            description=whole(document.description),
            author=whole(document.author),
            type=whole(document.content_type),
            language=whole(document.language),
            published=whole(document.published),
            modified=whole(document.modified),
            fetched=_moment(found.record.fetched_at),
            canonical=whole(document.canonical),
            breadcrumbs=[whole(crumb) for crumb in document.breadcrumbs],
            text=whole(as_markdown(document))[:LONGEST],
            links=[_link(one) for one in around.outgoing] if around else [],
            linked_from=[_link(one) for one in around.incoming] if around else [],
            words={whole(word): count for word, count in site.kept.words(found)},
        )

    return router


def _link(one: Linked) -> ApiLink:
    return ApiLink(whole(one.url), whole(one.anchor), str(one.state))


def _moment(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
