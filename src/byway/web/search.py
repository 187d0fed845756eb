"""What was found? A page of hits; all that it shows is in its URL."""

import re
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from byway.errors import UsageError
from byway.web.asked import DEEPEST, HITS, LONGEST, MOST_HITS, Asked, BadQuestion, read
from byway.web.shown import clean, show
from byway.web.site import Site

AROUND = 2
"""Pages named on each side of the current one."""


@dataclass(frozen=True, slots=True)
class Pager:
    """Where the other pages are: numbers with their URLs, None where some are left out."""

    pages: tuple[tuple[int, str] | None, ...]
    current: int
    previous: str
    next: str


def routes(site: Site) -> APIRouter:
    """`/search`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/search", methods=["GET", "HEAD"])
    def search(q: str = "", page: str = "", limit: str = "") -> HTMLResponse:
        try:
            asked = read(q, page, limit)
            return _answer(site, asked) if asked.text else _page(site, asked)
        except UsageError as error:
            return _refusal(site, q, error)

    return router


def _page(site: Site, asked: Asked, status_code: int = 200, **values: object) -> HTMLResponse:
    keep = asked.limit if asked.limit != HITS else None
    blank = {"results": None, "fault": "", "message": "", "keep": keep}
    return site.page("search.html", status_code, asked=asked, **(blank | values))


def _answer(site: Site, asked: Asked) -> HTMLResponse:
    results = site.search(asked.query)
    return _page(
        site,
        asked,
        results=results,
        hits=[show(hit) for hit in results.hits],
        pager=pager(asked, results.total),
        status=None if results.hits else site.status(),
        looser=None if results.hits else looser(asked),
    )


def _refusal(site: Site, typed: str, error: UsageError) -> HTMLResponse:
    """The page that says what is wrong, with the question still in its box."""
    fault = error.fault if isinstance(error, BadQuestion) else "refused"
    asked = Asked(clean(typed)[:200] if fault == "too_long" else clean(typed))
    limits = {"longest": LONGEST, "most_hits": MOST_HITS, "deepest": DEEPEST}
    return _page(site, asked, 400, fault=fault, message=str(error), **limits)


def pager(asked: Asked, total: int) -> Pager | None:
    """The way to the other pages; None when there are none."""
    last = asked.last_page(total)
    if last == 1 and asked.page == 1:
        return None
    near = range(max(1, asked.page - AROUND), min(last, asked.page + AROUND) + 1)
    pages: list[tuple[int, str] | None] = []
    previous = 0
    for number in sorted({1, *near}):
        if number > previous + 1:
            pages.append(None)
        pages.append((number, asked.url(number)))
        previous = number
    return Pager(
        tuple(pages),
        asked.page,
        asked.url(min(asked.page - 1, last)) if asked.page > 1 else "",
        asked.url(asked.page + 1) if asked.page < last else "",
    )


def looser(asked: Asked) -> dict[str, str]:
    """Questions that ask for less, by what they leave out; each with its URL."""
    changed = {
        "quotes": asked.text.replace('"', " "),
        "site": re.sub(r"(?i)(?<!\S)site:\S*", " ", asked.text),
        "without": re.sub(r'(?<!\S)-("[^"]*"|\S+)', " ", asked.text),
    }
    questions = {what: " ".join(text.split()) for what, text in changed.items()}
    same = " ".join(asked.text.split())
    return {what: asked.url(text=text) for what, text in questions.items() if text and text != same}
