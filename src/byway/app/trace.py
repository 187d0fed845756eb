"""What would happen to this URL? One URL through every stage, with nothing stored."""

import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from byway.core.errors import FetchError, UrlError
from byway.core.messages import text
from byway.core.model import Document, ExtractionResult, Job, Page, Url, Visit
from byway.core.model.codec import unpack
from byway.core.model.message import NO_REASON, Reason
from byway.core.settings.schema import Settings
from byway.core.text import terms
from byway.core.url import host_of
from byway.crawl.http.fetcher import REDIRECT_STATUSES, Fetcher, fetch_robots, redirect_target
from byway.crawl.http.ssrf_guard import SsrfGuard
from byway.crawl.jobs import job_scopes
from byway.crawl.robots.parser import product_token
from byway.extract.worker.pool import WorkerPool
from byway.products.vocabulary.lookup import ProductVocabulary


@dataclass(frozen=True, slots=True)
class TraceStep:
    """What one stage says about the URL; the first that stops it is the last."""

    stage: str
    says: str
    stopped: bool = False
    details: tuple[str, ...] = field(default=())
    reason: Reason = NO_REASON
    """Why this stage stops it, for programs."""


async def trace(
    url: Url,
    jobs: Sequence[Job],
    settings: Settings,
    rules: Path | None = None,
    vocabulary: ProductVocabulary | None = None,
    removal_reason: Reason = NO_REASON,
) -> AsyncIterator[TraceStep]:
    """Each stage's word on a URL, in order, up to the stage that stops it.

    `rules`: a folder with the user's own rules for sites; `vocabulary`: what goods are called.
    `removal_reason`: why it was taken out by hand, if it was.
    """
    if removal_reason:
        says = f"{text(removal_reason)}; `byway remove --undo` lets it in again"
        yield TraceStep("scope", says, stopped=True, reason=removal_reason)
        return
    scope = _scope(url, jobs, settings)
    yield scope
    if scope.stopped:
        return
    guard = SsrfGuard(settings.crawl.allow_private)
    async with Fetcher(settings.crawl, guard, time.time) as fetcher:
        try:
            robots = await _robots(url, settings, fetcher)
            yield robots
            if robots.stopped:
                return
            page = await fetcher.fetch(Visit(url))
        except FetchError as error:
            says = f"{error.state}: {error}"
            yield TraceStep("fetch", says, stopped=True, reason=error.reason)
            return
    fetched = _fetched(page)
    yield fetched
    if fetched.stopped:
        return
    most = settings.crawl.max_bytes
    async with WorkerPool(settings.extract, most, rules, vocabulary) as readers:
        extracted = await readers.extract(page)
    for step in _said(extracted):
        yield step


def _scope(url: Url, jobs: Sequence[Job], settings: Settings) -> TraceStep:
    crawls = [job for job in jobs if job.seeds]
    if not crawls:
        return TraceStep("scope", "no crawl here yet, so nothing is out of scope")
    refusals = {
        name: scope.refusal(url) for name, scope in job_scopes(settings.crawl, crawls).items()
    }
    taking = [name for name, refusal in refusals.items() if not refusal]
    if taking:
        return TraceStep("scope", f"in scope{f' of the job {taking[0]}' if taking[0] else ''}")
    said = [f"{name}: {text(why)}" if name else text(why) for name, why in refusals.items()]
    first = next(iter(refusals.values()))
    return TraceStep("scope", said[0], stopped=True, details=tuple(said[1:]), reason=first)


async def _robots(url: Url, settings: Settings, fetcher: Fetcher) -> TraceStep:
    if host_of(url) in settings.crawl.ignore_robots:
        return TraceStep("robots", "not asked for: crawl.ignore_robots names this host")
    robots = await fetch_robots(fetcher, url)
    decision = robots.decide(product_token(settings.crawl.user_agent), url)
    closed = "forbidden" if decision.line else "unreachable"
    verdict = "allowed" if decision.allowed else closed
    says = f"{verdict}: {text(decision.reason)}"
    return TraceStep("robots", says, stopped=not decision.allowed, reason=decision.reason)


def _fetched(page: Page) -> TraceStep:
    says = f"answered {page.status}, {page.content_type or 'no type'}, {len(page.body):,} bytes"
    if page.status in REDIRECT_STATUSES:
        try:
            says = f"answered {page.status}: redirects to {redirect_target(page)}; trace that one"
        except UrlError as error:
            says = f"answered {page.status}: {error}"
    elif page.status in (404, 410):
        says = f"missing: answered {page.status}"
    headers = tuple(f"{name}: {value}" for name, value in page.headers)
    return TraceStep("fetch", says, stopped=page.status != 200, details=headers)


def _said(extracted: ExtractionResult) -> list[TraceStep]:
    links = [f"{link.target}  {link.anchor}".rstrip() for link in extracted.links]
    note = "" if extracted.follow_links else ", not followed (nofollow)"
    steps = [TraceStep("links", f"{len(links):,} found{note}", details=tuple(links))]
    if not extracted.packed_document:
        says = text(extracted.failure) or "nothing to read"
        return [*steps, TraceStep("document", says, stopped=True, reason=extracted.failure)]
    document = unpack(extracted.packed_document)
    hidden = "" if extracted.may_index else " (asks not to be indexed: noindex)"
    says = f"{document.title!r}, {len(document.text):,} characters{hidden}"
    steps.append(TraceStep("document", says, not extracted.may_index, _described(document)))
    if extracted.may_index:
        counted = Counter(terms(document.text, document.language))
        common = tuple(f"{count:6} {term}" for term, count in counted.most_common(20))
        says = f"{counted.total():,} words, {len(counted):,} different"
        steps.append(TraceStep("words", says, details=common))
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
