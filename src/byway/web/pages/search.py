"""What was found? A page of hits; all that it shows is in its URL."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from byway.core.errors import UsageError
from byway.core.model import Absent, Results
from byway.web.context import Site
from byway.web.current_user import WHO
from byway.web.i18n import kind_name, language_name, t
from byway.web.personal import personal as personally
from byway.web.personal import switches
from byway.web.query_params import (
    DEEPEST,
    FOR_GOODS,
    LIMITS,
    LONGEST,
    MOST_HITS,
    SORTS,
    Asked,
    BadQuestion,
    Chosen,
    read,
)
from byway.web.views.hit import clean, show

AROUND = 2
"""Pages named on each side of the current one."""
MOST_MISSING = 3
"""Sites that are offered to be crawled when nothing is found on them."""
FACETS = {"site": "site", "language": "lang", "type": "type", "year": "year"}
"""What hits are counted by, and the filter that each becomes."""


@dataclass(frozen=True, slots=True)
class Pager:
    """Where the other pages are: numbers with their URLs, None where some are left out."""

    pages: tuple[tuple[int, str] | None, ...]
    current: int
    previous: str
    next: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be chosen or let go of: its name, where it leads, and how many it has."""

    name: str
    url: str
    count: int = 0
    chosen: bool = False
    kind: str = ""


def routes(site: Site) -> APIRouter:
    """`/search`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/search", methods=["GET", "HEAD"])
    def search(
        chosen: Chosen,
        q: str = "",
        page: str = "",
        limit: str = "",
        sort: str = "",
        duplicates: str = "",
        personal: str = "",
    ) -> HTMLResponse:
        try:
            asked = read(q, page, limit, chosen, sort, duplicates, personal)
            return _answer(site, asked) if asked else _page(site, asked=asked)
        except UsageError as error:
            return _page(site, 400, **fault_of(error, q))

    return router


def _page(site: Site, status_code: int = 200, **values: object) -> HTMLResponse:
    blank = {"results": None, "fault": "", "message": "", "status": None}
    return telling(site.page("search.html", status_code, **(blank | values)))


def telling(response: HTMLResponse) -> HTMLResponse:
    """A page whose script may tell us what was opened."""
    if WHO.get().session:
        # Under no-referrer a browser says `Origin: null` even to ourselves.
        response.headers["Referrer-Policy"] = "same-origin"
    return response


def _answer(site: Site, asked: Asked) -> HTMLResponse:
    results, status = site.search(personally(site, asked)), site.status()
    return _page(
        site,
        asked=asked,
        results=results,
        hits=[show(hit, site.has_icon) for hit in results.hits],
        pager=pager(asked, results.total),
        status=status,
        goods=status.goods,
        looser=None if results.hits else looser(asked),
        missing=[] if results.hits else sites_of(asked),
        absences=absences(results),
        chips=chips(asked),
        facets=facets(asked, results),
        sorts=sorts(asked, any(hit.product for hit in results.hits)),
        limits=limits(asked),
        turned=replace(asked, page=1, duplicates=not asked.duplicates),
        whose=switches(asked),
    )


def fault_of(error: UsageError, typed: str, path: str = "/search") -> Mapping[str, object]:
    """What a page needs to say what is wrong, with the question still in its box."""
    fault = error.fault if isinstance(error, BadQuestion) else "refused"
    return {
        "asked": Asked(clean(typed)[: 200 if fault == "too_long" else None], path=path),
        "fault": fault,
        "message": str(error),
        "longest": LONGEST,
        "most_hits": MOST_HITS,
        "deepest": DEEPEST,
    }


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


def chips(asked: Asked) -> list[Choice]:
    """The filters that hold, each with the way to be without it."""
    return [
        Choice(_called(name, value), asked.without((name, value)).url(), kind=name)
        for name, value in asked.filters
    ]


def facets(asked: Asked, results: Results) -> Mapping[str, list[Choice]]:
    """What the hits can be narrowed down by; nothing where there is no choice."""
    names = [*FACETS, *(name for name in results.facets if name not in FACETS)]
    found = {name: list(_choices(asked, results, name)) for name in names}
    return {
        name: choices
        for name, choices in found.items()
        if len(choices) > 1 or any(choice.chosen for choice in choices)
    }


def _choices(asked: Asked, results: Results, facet: str) -> Iterator[Choice]:
    name = FACETS.get(facet, "")
    for value, count in results.facets.get(facet, ()):
        value = clean(str(value))
        if not value:
            continue
        if not name:  # an attribute of goods is asked for in the question itself
            typed = f'{asked.text} {facet}:"{value}"'
            yield Choice(value, asked.url(text=typed), count)
            continue
        chosen = (name, value) in asked.filters
        then = asked.without((name, value)) if chosen else asked.with_filter(name, value)
        yield Choice(_called(name, value), then.url(), count, chosen)


def _called(name: str, value: str) -> str:
    names = {"lang": language_name, "type": kind_name}
    return names[name](value) if name in names else value


def sorts(asked: Asked, goods: bool = False) -> list[Choice]:
    """The orders there are; `goods` have some of their own."""
    return [
        Choice(t(f"by_{sort}"), replace(asked, page=1, sort=sort).url(), chosen=asked.sort == sort)
        for sort in SORTS
        if goods or sort == asked.sort or sort not in FOR_GOODS
    ]


def limits(asked: Asked) -> list[Choice]:
    """How many hits there may be on a page."""
    return [
        Choice(str(limit), replace(asked, page=1, limit=limit).url(), chosen=asked.limit == limit)
        for limit in LIMITS
    ]


def sites_of(asked: Asked) -> list[str]:
    """The sites that are asked for, by filter or in the question itself."""
    typed = re.findall(r"(?i)(?<!\S)site:\"?([^\s\"]+)", asked.text)
    chosen = [value for name, value in asked.filters if name == "site"]
    return list(dict.fromkeys([*chosen, *typed]))[:MOST_MISSING]


def absences(results: Results) -> list[str]:
    """What was asked for that no page here is, why, and what there is instead."""
    return [_absence(one) for one in results.absent if one.there or one.name not in FACETS]


def _absence(one: Absent) -> str:
    names: dict[str, Callable[[str], str]] = {"language": language_name, "type": kind_name}
    called = names.get(one.name, str)
    between = " – " if one.name == "day" else ", "
    return t(
        f"absent_{one.key}",
        one.elsewhere or None,
        value=clean(", ".join(map(called, one.value.split(", ")))),
        there=clean(between.join(map(called, one.there)) + " …" * one.more),
        first=clean(one.there[0]) if one.there else "",
        last=clean(one.there[-1]) if one.there else "",
    ).replace("….", "…")


def looser(asked: Asked) -> dict[str, str]:
    """Questions that ask for less, by what they leave out; each with its URL."""
    changed = {
        "quotes": asked.text.replace('"', " "),
        "title": re.sub(r"(?i)(?<!\S)(?:intitle|inurl):(?=\S)", " ", asked.text),
        "site": re.sub(r"(?i)(?<!\S)site:\S*", " ", asked.text),
        "without": re.sub(r'(?<!\S)-("[^"]*"|\S+)', " ", asked.text),
    }
    questions = {what: " ".join(text.split()) for what, text in changed.items()}
    same = " ".join(asked.text.split())
    found = {
        what: asked.url(text=text) for what, text in questions.items() if text and text != same
    }
    if asked.filters and asked.text:
        found["filters"] = asked.without(*asked.filters).url()
    return found
