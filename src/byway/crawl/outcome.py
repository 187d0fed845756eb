"""Visit outcomes: a response becomes a state, a reason and newly discovered URLs."""

from dataclasses import replace
from hashlib import sha256
from http import HTTPStatus

from byway.core.errors import FetchError, UnreachableError, UrlError
from byway.core.messages import NO_REASON, Reason
from byway.core.model import DiscoveredUrl, ExtractionResult, Outcome, Page, Url, UrlState, Visit
from byway.core.model.url_state import RobotsDecision
from byway.core.settings.schema import CrawlSettings
from byway.crawl.http.fetcher import REDIRECT_STATUSES, redirect_target
from byway.crawl.politeness import next_retry_at, next_revisit_interval, parse_retry_after
from byway.crawl.scope import Scope

MISSING_STATUSES = (404, 410)
PERMANENT_REDIRECT_STATUSES = (301, 308)
NOINDEX = Reason("noindex")
LOCAL_POLICY_STATES = (UrlState.BLOCKED, UrlState.OUT_OF_SCOPE)
"""States caused by our own settings: they do not remove a stored page."""
MAX_HOST_FAILURES = 8
"""Consecutive failures (over four minutes) after which a host is skipped until the next run."""
MISSING_CONFIRM_SECONDS = 3600.0
"""Seconds until a missing stored page is requested again before it is removed."""
MAX_LOCATION_CHARS = 200
"""Maximum characters recorded of an invalid Location header."""
MAX_REDIRECTS = 10
"""Maximum consecutive redirects; browsers stop at 20, RFC 9110 mentions an old limit of 5."""


def is_host_failure(page: Page) -> bool:
    """Whether the status means that the host is overloaded or broken: 429 or 5xx."""
    return page.status == 429 or page.status >= 500


def from_response(
    visit: Visit, page: Page, scope: Scope, settings: CrawlSettings, now: float
) -> Outcome | None:
    """The outcome of a response without a page; None if it has a page to extract."""
    if page.status in REDIRECT_STATUSES:
        return _redirect_outcome(visit, page, scope)
    if page.status == 200:
        return None
    if page.status == 304 and visit.previous_fetch:
        return _unchanged_outcome(visit, page, settings)
    reason = http_status_reason(page.status)
    if is_host_failure(page):
        return _failure_outcome(visit, reason, settings, now, parse_retry_after(page, now))
    if 400 <= page.status < 500:
        return _missing_outcome(visit, page, reason)
    return final_outcome(visit, UrlState.REJECTED, reason)


def from_error(
    visit: Visit, error: FetchError, settings: CrawlSettings, now: float, retry_soon: bool = False
) -> Outcome:
    """The outcome of a request that failed or was rejected; `retry_soon` shortens the delay."""
    if isinstance(error, UnreachableError):
        return _failure_outcome(visit, error.reason, settings, now, 0.0, retry_soon)
    return final_outcome(visit, error.state, error.reason)


def from_host_failures(visit: Visit, failures: int) -> Outcome | None:
    """The outcome for a host with too many failures in a row; None if there are fewer."""
    if failures < MAX_HOST_FAILURES:
        return None
    reason = Reason("host_failures", failures=failures)
    if visit.previous_fetch:
        return Outcome(visit, UrlState.KEPT, Reason("not_refreshed", cause=reason))
    return Outcome(visit, UrlState.UNREACHABLE, reason)


def final_outcome(visit: Visit, state: UrlState, reason: Reason) -> Outcome:
    """An outcome without a retry; a stored page is removed, unless only our settings exclude it."""
    if visit.previous_fetch and state in LOCAL_POLICY_STATES:
        return Outcome(visit, UrlState.KEPT, Reason("not_refreshed", cause=reason))
    return Outcome(visit, state, reason, is_gone=visit.previous_fetch is not None)


def from_robots_decision(
    visit: Visit,
    decision: RobotsDecision,
    settings: CrawlSettings,
    robots_expire_at: float,
    retry_soon: bool = False,
) -> Outcome:
    """The outcome if robots.txt forbids the URL; retried if robots.txt was unavailable."""
    if decision.line:
        return final_outcome(visit, UrlState.FORBIDDEN, decision.reason)
    return _failure_outcome(visit, decision.reason, settings, robots_expire_at, 0.0, retry_soon)


def from_page(
    visit: Visit, page: Page, extracted: ExtractionResult, scope: Scope, settings: CrawlSettings
) -> Outcome:
    """The outcome of an extracted page."""
    digest = extracted.digest or sha256(page.body).digest()
    if visit.previous_fetch and visit.previous_fetch.digest == digest and not extracted.failure:
        return _unchanged_outcome(visit, page, settings)
    links = extracted.links if extracted.follow_links else ()
    depth = visit.depth + 1
    found = tuple(
        _discovered_url(link.target, depth, scope, visit) for link in links if not link.nofollow
    )
    if not scope.keeps(visit.url):
        reason = Reason("path_not_kept", pattern=scope.keep_pattern)
        outcome = final_outcome(visit, UrlState.LINKS_ONLY, reason)
        return replace(outcome, page=page, links=links, discovered_urls=found)
    state, reason = UrlState.KEPT, NO_REASON
    if extracted.failure:
        state, reason = UrlState.EXTRACT_FAILED, extracted.failure
    elif not extracted.may_index:
        reason = NOINDEX
    return Outcome(
        visit,
        state,
        reason,
        page=page,
        document=extracted.indexable_document,
        digest=digest,
        revisit_interval=next_revisit_interval(settings, visit.previous_fetch, changed=True),
        links=links,
        discovered_urls=found,
    )


def _unchanged_outcome(visit: Visit, page: Page, settings: CrawlSettings) -> Outcome:
    interval = next_revisit_interval(settings, visit.previous_fetch, changed=False)
    reason = visit.previous_fetch.reason if visit.previous_fetch else NO_REASON
    return Outcome(visit, UrlState.KEPT, reason, page=page, revisit_interval=interval)


def _failure_outcome(
    visit: Visit,
    reason: Reason,
    settings: CrawlSettings,
    now: float,
    retry_after: float,
    retry_soon: bool = False,
) -> Outcome:
    """The outcome of a failure: a few retries; a stored page stays while its host is down."""
    retry_at = next_retry_at(settings, visit.attempts, now, retry_after, retry_soon)
    if retry_at is None and visit.previous_fetch:
        return Outcome(visit, UrlState.KEPT, Reason("not_refreshed", cause=reason))
    return Outcome(visit, UrlState.UNREACHABLE, reason, retry_at=retry_at)


def _missing_outcome(visit: Visit, page: Page, reason: Reason) -> Outcome:
    """The outcome of a missing page; a stored page is removed only if a later visit confirms it."""
    if visit.previous_fetch is None:
        return Outcome(visit, UrlState.MISSING, reason)
    if (
        visit.previous_fetch.missing_count
        and page.fetched_at - visit.previous_fetch.checked_at >= MISSING_CONFIRM_SECONDS
    ):
        return Outcome(visit, UrlState.MISSING, reason, page=page, is_gone=True)
    once = Reason("missing_once", cause=reason)
    return Outcome(visit, UrlState.KEPT, once, page=page, revisit_interval=MISSING_CONFIRM_SECONDS)


def _redirect_outcome(visit: Visit, page: Page, scope: Scope) -> Outcome:
    try:
        target = redirect_target(page)
    except UrlError:
        location = page.header("location")[:MAX_LOCATION_CHARS]
        return Outcome(visit, UrlState.MISSING, Reason("redirect_invalid", location=location))
    if target == visit.url:
        return Outcome(visit, UrlState.MISSING, Reason("redirect_to_itself"))
    if visit.redirect_hops >= MAX_REDIRECTS:
        return Outcome(visit, UrlState.MISSING, Reason("too_many_redirects", limit=MAX_REDIRECTS))
    found = _discovered_target(target, visit, scope)
    permanent = page.status in PERMANENT_REDIRECT_STATUSES
    outcome = final_outcome(
        visit,
        UrlState.REDIRECTED,
        Reason("moved_permanently" if permanent else "redirect", to=target),
    )
    return replace(outcome, discovered_urls=(found,), redirect_target=target)


def _discovered_target(target: Url, visit: Visit, scope: Scope) -> DiscoveredUrl:
    """The target of a redirect, as a discovered URL."""
    found = _discovered_url(target, visit.depth, scope, visit)._replace(
        redirect_hops=visit.redirect_hops + 1
    )
    if visit.seed and found.state is UrlState.OUT_OF_SCOPE:
        # The user meant the target of a seed's redirect: http to https, example.org to www.
        return found._replace(
            state=UrlState.QUEUED, reason=NO_REASON, priority=visit.depth, seed=True
        )
    return found


def _discovered_url(url: Url, depth: int, scope: Scope, source: Visit) -> DiscoveredUrl:
    refusal = scope.refusal(url, depth, source.url)
    if refusal:
        return DiscoveredUrl(url, depth, UrlState.OUT_OF_SCOPE, refusal, job=source.job)
    return DiscoveredUrl(url, depth, priority=depth, job=source.job)


def http_status_reason(status: int) -> Reason:
    """The reason code for an HTTP status without a page."""
    try:
        return Reason("http_status", status=status, phrase=HTTPStatus(status).phrase)
    except ValueError:
        return Reason("http_status_unknown", status=status)
