"""What would happen to this URL? One URL through every stage, with nothing stored."""

import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from byway.core.errors import FetchError, UrlError
from byway.core.model import Document, Extracted, Job, Page, Url, Visit
from byway.core.model.codec import unpack
from byway.core.settings.schema import Settings
from byway.core.text import terms
from byway.core.url import host_of
from byway.crawl.http.fetcher import REDIRECTS, Fetcher, fetch_robots, target_of
from byway.crawl.http.ssrf_guard import Guard
from byway.crawl.jobs import scopes_of
from byway.crawl.robots.parser import product_token
from byway.extract.worker.pool import Readers
from byway.products.vocabulary.lookup import Vocabulary


@dataclass(frozen=True, slots=True)
class Step:
    """What one stage says about the URL; the first that stops it is the last."""

    stage: str
    says: str
    stopped: bool = False
    details: tuple[str, ...] = field(default=())


async def trace(
    url: Url,
    jobs: Sequence[Job],
    settings: Settings,
    rules: Path | None = None,
    vocabulary: Vocabulary | None = None,
    removed: str = "",
) -> AsyncIterator[Step]:
    """Each stage's word on a URL, in order, up to the stage that stops it.

    `rules`: a folder with the user's own rules for sites; `vocabulary`: what goods are called.
    `removed`: why it was taken out by hand, if it was.
    """
    if removed:
        yield Step("scope", f"{removed}; `byway remove --undo` lets it in again", stopped=True)
        return
    scope = _scope(url, jobs, settings)
    yield scope
    if scope.stopped:
        return
    guard = Guard(settings.crawl.allow_private)
    async with Fetcher(settings.crawl, guard, time.time) as fetcher:
        try:
            robots = await _robots(url, settings, fetcher)
            yield robots
            if robots.stopped:
                return
            page = await fetcher.fetch(Visit(url))
        except FetchError as error:
            yield Step("fetch", f"{error.state}: {error}", stopped=True)
            return
    fetched = _fetched(page)
    yield fetched
    if fetched.stopped:
        return
    most = settings.crawl.max_bytes
    async with Readers(settings.extract, most, rules, vocabulary) as readers:
        extracted = await readers.read(page)
    for step in _said(extracted):
        yield step


def _scope(url: Url, jobs: Sequence[Job], settings: Settings) -> Step:
    crawls = [job for job in jobs if job.seeds]
    if not crawls:
        return Step("scope", "no crawl here yet, so nothing is out of scope")
    refusals = {
        name: scope.refusal(url) for name, scope in scopes_of(settings.crawl, crawls).items()
    }
    taking = [name for name, refusal in refusals.items() if not refusal]
    if taking:
        return Step("scope", f"in scope{f' of the job {taking[0]}' if taking[0] else ''}")
    said = [f"{name}: {why}" if name else why for name, why in refusals.items()]
    return Step("scope", said[0], stopped=True, details=tuple(said[1:]))


async def _robots(url: Url, settings: Settings, fetcher: Fetcher) -> Step:
    if host_of(url) in settings.crawl.ignore_robots:
        return Step("robots", "not asked for: crawl.ignore_robots names this host")
    robots = await fetch_robots(fetcher, url)
    decision = robots.decide(product_token(settings.crawl.user_agent), url)
    closed = "forbidden" if decision.line else "unreachable"
    verdict = "allowed" if decision.allowed else closed
    why = f" by line {decision.line}: {decision.rule}" if decision.line else ""
    why = why or (f": {decision.rule}" if decision.rule else ": no rule speaks of it")
    return Step("robots", verdict + why, stopped=not decision.allowed)


def _fetched(page: Page) -> Step:
    says = f"answered {page.status}, {page.content_type or 'no type'}, {len(page.body):,} bytes"
    if page.status in REDIRECTS:
        try:
            says = f"answered {page.status}: redirects to {target_of(page)}; trace that one"
        except UrlError as error:
            says = f"answered {page.status}: {error}"
    elif page.status in (404, 410):
        says = f"missing: answered {page.status}"
    headers = tuple(f"{name}: {value}" for name, value in page.headers)
    return Step("fetch", says, stopped=page.status != 200, details=headers)


def _said(extracted: Extracted) -> list[Step]:
    links = [f"{link.target}  {link.anchor}".rstrip() for link in extracted.links]
    note = "" if extracted.follow else ", not followed (nofollow)"
    steps = [Step("links", f"{len(links):,} found{note}", details=tuple(links))]
    if not extracted.packed:
        return [*steps, Step("document", extracted.failed or "nothing to read", stopped=True)]
    document = unpack(extracted.packed)
    hidden = "" if extracted.keep else " (asks not to be indexed: noindex)"
    says = f"{document.title!r}, {len(document.text):,} characters{hidden}"
    steps.append(Step("document", says, not extracted.keep, _described(document)))
    if extracted.keep:
        counted = Counter(terms(document.text, document.language))
        common = tuple(f"{count:6} {term}" for term, count in counted.most_common(20))
        says = f"{counted.total():,} words, {len(counted):,} different"
        steps.append(Step("words", says, details=common))
    return steps


def _described(document: Document) -> tuple[str, ...]:
    named = {
        "language": document.language,
        "description": document.description,
        "author": document.author,
        "breadcrumbs": " › ".join(document.breadcrumbs),
        "published": document.published,
        "modified": document.modified,
        "canonical": document.canonical,
        "headings": "; ".join(heading.text for heading in document.headings[:8]),
        "text": document.text[:200].replace("\n", " "),
    }
    return tuple(f"{name}: {value}" for name, value in named.items() if value)
