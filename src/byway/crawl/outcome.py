"""How did a visit end? An answer becomes a state, a reason and the URLs it taught us."""

from http import HTTPStatus

from byway.crawl.fetch import REDIRECTS, target_of
from byway.crawl.robots import Decision
from byway.crawl.schedule import retry_after, try_again_at
from byway.crawl.scope import Scope
from byway.errors import FetchError, Unreachable, UrlError
from byway.model import Extracted, Found, Outcome, Page, State, Url, Visit
from byway.settings import CrawlSettings

MOST_HOPS = 10
"""Redirects in a row; browsers stop at 20, RFC 9110 once said 5."""


def is_trouble(page: Page) -> bool:
    """Does the host say that it is overloaded or broken?"""
    return page.status == 429 or page.status >= 500


def of_answer(
    visit: Visit, page: Page, scope: Scope, settings: CrawlSettings, now: float
) -> Outcome | None:
    """What an answer without a page comes to; None when there is a page to read."""
    if page.status in REDIRECTS:
        return _of_redirect(visit, page, scope)
    if page.status == 200:
        return None
    reason = f"answered {_phrase(page.status)}"
    if is_trouble(page):
        due = try_again_at(settings, visit.tries, now, retry_after(page, now))
        return Outcome(visit, State.UNREACHABLE, reason, due=due)
    state = State.MISSING if 400 <= page.status < 500 else State.UNWANTED
    return Outcome(visit, state, reason)


def of_error(visit: Visit, error: FetchError, settings: CrawlSettings, now: float) -> Outcome:
    """What it comes to when no answer came, or one we do not take."""
    again = isinstance(error, Unreachable)
    due = try_again_at(settings, visit.tries, now, 0.0) if again else None
    return Outcome(visit, error.state, str(error), due=due)


def of_refusal(
    visit: Visit, decision: Decision, settings: CrawlSettings, expires: float
) -> Outcome:
    """What it comes to when robots.txt keeps us out; one that did not come may yet let us in."""
    if decision.line:
        reason = f"robots.txt line {decision.line} says {decision.rule}"
        return Outcome(visit, State.FORBIDDEN, reason)
    due = expires if visit.tries + 1 < settings.tries else None
    return Outcome(visit, State.UNREACHABLE, decision.rule, due=due)


def of_page(visit: Visit, page: Page, extracted: Extracted, scope: Scope) -> Outcome:
    """What a page comes to once it is read."""
    state, reason = State.KEPT, ""
    if extracted.failed:
        state, reason = State.EXTRACT_FAILED, extracted.failed
    elif not extracted.keep:
        reason = "asks not to be indexed (noindex): kept, but not findable"
    links = extracted.links if extracted.follow else ()
    found = {link.target: visit.depth + 1 for link in links if not link.nofollow}
    return Outcome(
        visit,
        state,
        reason,
        page=page,
        document=extracted.document if extracted.keep else None,
        links=links,
        found=tuple(_found(url, depth, scope) for url, depth in found.items()),
    )


def _of_redirect(visit: Visit, page: Page, scope: Scope) -> Outcome:
    try:
        target = target_of(page)
    except UrlError as error:
        return Outcome(visit, State.MISSING, f"redirects to nowhere: {error}")
    if target == visit.url:
        return Outcome(visit, State.MISSING, "redirects to itself")
    if visit.hops >= MOST_HOPS:
        return Outcome(visit, State.MISSING, f"more than {MOST_HOPS} redirects in a row")
    if visit.seed:
        # Where a seed leads is what its person meant: http to https, example.org to www.
        found = Found(target, visit.depth, hops=visit.hops + 1, seed=True)
    else:
        found = _found(target, visit.depth, scope, visit.hops + 1)
    return Outcome(visit, State.REDIRECTED, f"redirects to {target}", found=(found,))


def _found(url: Url, depth: int, scope: Scope, hops: int = 0) -> Found:
    refusal = scope.refusal(url, depth)
    state = State.OUT_OF_SCOPE if refusal else State.QUEUED
    return Found(url, depth, state, refusal, hops)


def _phrase(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
