"""Trace of one URL through every stage, storing nothing."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from byway.app.documents import make_worker_pool
from byway.core.errors import FetchError, UrlError
from byway.core.messages import NO_REASON, Reason, t, text
from byway.core.model import Document, ExtractionResult, Job, Page, Url, UrlRecord, Visit
from byway.core.model.document import unpack
from byway.core.settings.schema import Settings
from byway.core.text import terms
from byway.core.url import host_of
from byway.crawl.http.fetcher import REDIRECT_STATUSES, Fetcher, fetch_robots, redirect_target
from byway.crawl.robots import product_token
from byway.crawl.scope import job_scopes

if TYPE_CHECKING:  # ports import numpy, which an extraction does not need
    from byway.core.ports import Storage


@dataclass(frozen=True, slots=True)
class TraceStep:
    """The result of one stage; a trace ends at the first stage that stops the URL."""

    stage: str
    message: str
    """The result as text, in the current language."""
    stopped: bool = False
    details: tuple[str, ...] = field(default=())
    reason: Reason = NO_REASON
    """The reason code, if this stage stops the URL."""


class UrlTrace(NamedTuple):
    """The record of a URL, if it is known, and its stages up to the one that stops it."""

    record: UrlRecord | None
    steps: list[TraceStep]


async def trace(url: Url, storage: "Storage", settings: Settings) -> UrlTrace:
    """Trace a URL through every stage, with the jobs, removals and site rules of a folder."""
    jobs: Sequence[Job] = ()
    record, removed = None, NO_REASON
    if storage.has_data():
        with storage.reader() as reader:
            catalog = reader.catalog
            jobs, removed, record = (
                catalog.jobs(),
                catalog.removal_reason(url),
                catalog.find_url(url),
            )
    if removed:
        message = t("app.trace.removed", reason=removed)
        return UrlTrace(record, [TraceStep("scope", message, stopped=True, reason=removed)])
    return UrlTrace(record, [step async for step in _steps(url, jobs, storage, settings)])


async def _steps(
    url: Url, jobs: Sequence[Job], storage: "Storage", settings: Settings
) -> AsyncIterator[TraceStep]:
    scope = _scope(url, jobs, settings)
    yield scope
    if scope.stopped:
        return
    async with Fetcher(settings.crawl) as fetcher:
        try:
            robots = await _robots(url, settings, fetcher)
            yield robots
            if robots.stopped:
                return
            page = await fetcher.fetch(Visit(url))
        except FetchError as error:
            message = t("app.trace.fetch_failed", state=error.state, reason=error.reason)
            yield TraceStep("fetch", message, stopped=True, reason=error.reason)
            return
    fetched = _fetched(page)
    yield fetched
    if fetched.stopped:
        return
    async with make_worker_pool(storage, settings) as workers:
        result = await workers.extract(page)
    for step in _extraction_steps(result):
        yield step


def _scope(url: Url, jobs: Sequence[Job], settings: Settings) -> TraceStep:
    crawls = [job for job in jobs if job.seeds]
    if not crawls:
        return TraceStep("scope", t("app.trace.no_crawl"))
    refusals = {
        name: scope.refusal(url) for name, scope in job_scopes(settings.crawl, crawls).items()
    }
    accepting = [name for name, refusal in refusals.items() if not refusal]
    if accepting:
        job = accepting[0]
        message = t("app.trace.in_scope_of_job", job=job) if job else t("app.trace.in_scope")
        return TraceStep("scope", message)
    texts = [f"{name}: {text(why)}" if name else text(why) for name, why in refusals.items()]
    first = next(iter(refusals.values()))
    return TraceStep("scope", texts[0], stopped=True, details=tuple(texts[1:]), reason=first)


async def _robots(url: Url, settings: Settings, fetcher: Fetcher) -> TraceStep:
    if host_of(url) in settings.crawl.ignore_robots:
        return TraceStep("robots", t("app.trace.robots_ignored"))
    robots = await fetch_robots(fetcher, url)
    decision = robots.decide(product_token(settings.crawl.user_agent), url)
    refused = "forbidden" if decision.line else "unreachable"
    verdict = "allowed" if decision.allowed else refused
    message = t(f"app.trace.robots_{verdict}", reason=decision.reason)
    return TraceStep("robots", message, stopped=not decision.allowed, reason=decision.reason)


def _fetched(page: Page) -> TraceStep:
    media_type = page.content_type or t("app.trace.no_media_type")
    message = t(
        "app.trace.answered", status=page.status, media_type=media_type, size=len(page.body)
    )
    if page.status in REDIRECT_STATUSES:
        try:
            target = redirect_target(page)
            message = t("app.trace.redirects", status=page.status, target=target)
        except UrlError as error:
            message = t("app.trace.bad_redirect", status=page.status, error=error.message)
    elif page.status in (404, 410):
        message = t("app.trace.missing", status=page.status)
    headers = tuple(f"{name}: {value}" for name, value in page.headers)
    return TraceStep("fetch", message, stopped=page.status != 200, details=headers)


def _extraction_steps(result: ExtractionResult) -> list[TraceStep]:
    links = [f"{link.target}  {link.anchor}".rstrip() for link in result.links]
    key = "app.trace.links" if result.follow_links else "app.trace.links_nofollow"
    steps = [TraceStep("links", t(key, links=len(links)), details=tuple(links))]
    if not result.packed_document:
        message = text(result.failure) or t("app.trace.no_document")
        return [*steps, TraceStep("document", message, stopped=True, reason=result.failure)]
    document = unpack(result.packed_document)
    key = "app.trace.document" if result.may_index else "app.trace.document_noindex"
    message = t(key, title=document.title, characters=len(document.text))
    steps.append(TraceStep("document", message, not result.may_index, _described(document)))
    if result.may_index:
        counts = Counter(terms(document.text, document.language))
        frequent = tuple(f"{count:6} {term}" for term, count in counts.most_common(20))
        message = t("app.trace.words", words=counts.total(), distinct=len(counts))
        steps.append(TraceStep("words", message, details=frequent))
    return steps


def _described(document: Document) -> tuple[str, ...]:
    fields = {
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
    return tuple(f"{name}: {value}" for name, value in fields.items() if value)
