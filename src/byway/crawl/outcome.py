"""How did a visit end? An answer becomes a state, a reason and the URLs it taught us."""

from dataclasses import replace
from hashlib import sha256
from http import HTTPStatus

from byway.core.errors import FetchError, Unreachable, UrlError
from byway.core.model import Extracted, Found, Outcome, Page, State, Url, Visit
from byway.core.settings.schema import CrawlSettings
from byway.crawl.http.fetcher import REDIRECTS, target_of
from byway.crawl.politeness import next_interval, retry_after, try_again_at
from byway.crawl.robots.parser import Decision
from byway.crawl.scope import Scope

GONE = (404, 410)
FOR_GOOD = (301, 308)
NOINDEX = "asks not to be indexed (noindex): kept, but not findable"
MOVED = "moved for good to"
REDIRECTS_TO = "redirects to"
OURS = (State.BLOCKED, State.OUT_OF_SCOPE)
"""What our own settings say: a crawl that forgot an option takes nothing down."""
GIVE_UP_AFTER = 8
"""Troubles in a row after which a host is left alone for the rest of a run: four minutes."""
CONFIRM_AFTER = 3600.0
"""Seconds before a page that was not there is looked for again, to be sure."""
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
    if page.status == 304 and visit.known:
        return _unchanged(visit, page, settings)
    reason = f"answered {_phrase(page.status)}"
    if is_trouble(page):
        return _of_trouble(visit, reason, settings, now, retry_after(page, now))
    if 400 <= page.status < 500:
        return _of_missing(visit, page, reason)
    return of_end(visit, State.UNWANTED, reason)


def of_error(
    visit: Visit, error: FetchError, settings: CrawlSettings, now: float, soon: bool = False
) -> Outcome:
    """What it comes to when no answer came, or one we do not take; `soon`: try again soon."""
    if isinstance(error, Unreachable):
        return _of_trouble(visit, str(error), settings, now, 0.0, soon)
    return of_end(visit, error.state, str(error))


def of_dead_host(visit: Visit, troubles: int) -> Outcome | None:
    """What it comes to when the host has been in trouble so often that it is left alone."""
    if troubles < GIVE_UP_AFTER:
        return None
    reason = f"its host was in trouble {troubles} times in a row"
    if visit.known:
        return Outcome(visit, State.KEPT, f"could not be seen again: {reason}")
    return Outcome(visit, State.UNREACHABLE, reason)


def of_end(visit: Visit, state: State, reason: str) -> Outcome:
    """The end of a URL: a page we had of it is taken down, if its site or its host wants that."""
    if visit.known and state in OURS:
        return Outcome(visit, State.KEPT, f"not seen again: {reason}")
    return Outcome(visit, state, reason, gone=visit.known is not None)


def of_refusal(
    visit: Visit, decision: Decision, settings: CrawlSettings, expires: float, soon: bool = False
) -> Outcome:
    """What it comes to when robots.txt keeps us out; one that did not come may yet let us in."""
    if decision.line:
        reason = f"robots.txt line {decision.line} says {decision.rule}"
        return of_end(visit, State.FORBIDDEN, reason)
    return _of_trouble(visit, decision.rule, settings, expires, 0.0, soon)


def of_page(
    visit: Visit, page: Page, extracted: Extracted, scope: Scope, settings: CrawlSettings
) -> Outcome:
    """What a page comes to once it is read."""
    digest = extracted.digest or sha256(page.body).digest()
    if visit.known and visit.known.digest == digest and not extracted.failed:
        return _unchanged(visit, page, settings)
    links = extracted.links if extracted.follow else ()
    depth = visit.depth + 1
    found = tuple(_found(link.target, depth, scope, visit) for link in links if not link.nofollow)
    if not scope.keeps(visit.url):
        reason = f"not kept: its path does not match {scope.keep_pattern}"
        ended = of_end(visit, State.WALKED, reason)
        return replace(ended, page=page, links=links, found=found)
    state, reason = State.KEPT, ""
    if extracted.failed:
        state, reason = State.EXTRACT_FAILED, extracted.failed
    elif not extracted.keep:
        reason = NOINDEX
    return Outcome(
        visit,
        state,
        reason,
        page=page,
        document=extracted.packed if extracted.keep else b"",
        digest=digest,
        interval=next_interval(settings, visit.known, changed=True),
        links=links,
        found=found,
    )


def _unchanged(visit: Visit, page: Page, settings: CrawlSettings) -> Outcome:
    interval = next_interval(settings, visit.known, changed=False)
    reason = visit.known.reason if visit.known else ""
    return Outcome(visit, State.KEPT, reason, page=page, interval=interval)


def _of_trouble(
    visit: Visit,
    reason: str,
    settings: CrawlSettings,
    now: float,
    asked: float,
    soon: bool = False,
) -> Outcome:
    """Try again a few times; a page we have already stays, however long its host is down."""
    due = try_again_at(settings, visit.tries, now, asked, soon)
    if due is None and visit.known:
        return Outcome(visit, State.KEPT, f"could not be seen again: {reason}")
    return Outcome(visit, State.UNREACHABLE, reason, due=due)


def _of_missing(visit: Visit, page: Page, reason: str) -> Outcome:
    """It is not there; if we had it, once may be a mistake. It is gone if so again, much later."""
    if visit.known is None:
        return Outcome(visit, State.MISSING, reason)
    if visit.known.missing and page.fetched_at - visit.known.checked_at >= CONFIRM_AFTER:
        return Outcome(visit, State.MISSING, reason, page=page, gone=True)
    return Outcome(visit, State.KEPT, f"{reason} once", page=page, interval=CONFIRM_AFTER)


def _of_redirect(visit: Visit, page: Page, scope: Scope) -> Outcome:
    try:
        target = target_of(page)
    except UrlError as error:
        return Outcome(visit, State.MISSING, f"redirects to nowhere: {error}")
    if target == visit.url:
        return Outcome(visit, State.MISSING, "redirects to itself")
    if visit.hops >= MOST_HOPS:
        return Outcome(visit, State.MISSING, f"more than {MOST_HOPS} redirects in a row")
    found = _found(target, visit.depth, scope, visit)._replace(hops=visit.hops + 1)
    if visit.seed and found.state is State.OUT_OF_SCOPE:
        # Where a seed leads is what its person meant: http to https, example.org to www.
        found = found._replace(state=State.QUEUED, reason="", priority=visit.depth, seed=True)
    reason = f"{MOVED if page.status in FOR_GOOD else REDIRECTS_TO} {target}"
    return replace(of_end(visit, State.REDIRECTED, reason), found=(found,))


def _found(url: Url, depth: int, scope: Scope, source: Visit) -> Found:
    refusal = scope.refusal(url, depth, source.url)
    if refusal:
        return Found(url, depth, State.OUT_OF_SCOPE, refusal, job=source.job)
    return Found(url, depth, priority=depth, job=source.job)


def _phrase(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
