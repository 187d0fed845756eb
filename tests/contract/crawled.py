"""A small crawl that contract tests record in a backend."""

from hashlib import sha256

from contract.backends import Backend

from byway.core.messages import NO_REASON, Reason
from byway.core.model import DiscoveredUrl, Link, Outcome, Page, Url, UrlState, Visit
from byway.core.url import normalize

NOT_FOUND = Reason("http_status", status=404, phrase="Not Found")


def url(text: str) -> Url:
    return normalize(f"http://{text}")


def lease(backend: Backend, text: str, now: float = 1.0) -> Visit:
    """The visit of this URL, which is added, and of no other."""
    backend.frontier.add([DiscoveredUrl(url(text))])
    found = None
    for later in range(100):
        for visit in backend.frontier.lease(10, now + later):
            if visit.url == url(text):
                backend.frontier.release(visit, now)
                found = visit
            else:
                backend.frontier.requeue_visit(visit, now + later + 1)
        if found:
            return found
    raise AssertionError(f"{text} is not queued")


def keep(
    backend: Backend,
    text: str,
    body: bytes = b"hello",
    at: float = 5.0,
    links: tuple[str, ...] = (),
    visit: Visit | None = None,
) -> Visit:
    """Visit this URL and keep its page."""
    visit = visit or lease(backend, text)
    page = Page(visit.url, at, 200, (("Content-Type", "text/html"),), body, visit.id)
    digest = sha256(body).digest()
    (location,) = backend.pages.append([(page, digest)])
    outcome = Outcome(
        visit,
        UrlState.KEPT,
        page=page,
        location=location,
        links=tuple(Link(url(target), "anchor") for target in links),
        discovered_urls=tuple(DiscoveredUrl(url(target)) for target in links),
        digest=digest,
        revisit_interval=100.0,
        host_delay=2.0,
    )
    backend.frontier.finish([outcome])
    return visit


def fail(
    backend: Backend,
    text: str,
    state: UrlState = UrlState.MISSING,
    reason: Reason = NOT_FOUND,
    retry_at: float | None = None,
) -> None:
    """Visit this URL in vain."""
    visit = lease(backend, text)
    backend.frontier.finish([Outcome(visit, state, reason, retry_at=retry_at)])


def state_of(backend: Backend, text: str) -> tuple[UrlState, Reason] | None:
    record = backend.catalog.find_url(url(text))
    return (record.state, record.reason) if record else None


__all__ = ["NOT_FOUND", "NO_REASON", "fail", "keep", "lease", "state_of", "url"]
