"""A data folder with a crawl in it, made as a crawl makes it and yet in a moment."""

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from byway.core.messages import NO_REASON, Reason
from byway.core.model import DiscoveredUrl, Outcome, Page, Url, UrlState, Visit
from byway.core.url import normalize
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.storage import SqliteStorage
from byway.storage.warc.page_store import WarcPageStore

START_SECONDS = 1_800_000_000.0


@dataclass(frozen=True, slots=True)
class FinishedVisit:
    """How the visit of a URL ends."""

    url: str
    state: UrlState = UrlState.KEPT
    reason: Reason = NO_REASON
    redirect_target: Url | None = None
    fetched_at: float = START_SECONDS
    body: bytes = b"hello"
    content_type: str = "text/html"
    retry_at: float | None = None


def crawled_folder(
    path: Path, ends: Iterable[FinishedVisit], queued: Iterable[str] = ()
) -> SqliteStorage:
    """A data folder in which these visits have ended, and these URLs wait for theirs."""
    folder = SqliteStorage(path)
    folder.create()
    with (
        closing(SqliteFrontier(folder.crawl_db)) as frontier,
        closing(open_to_read(folder.crawl_db)) as db,
        closing(WarcPageStore(folder.pages, db)) as pages,
    ):
        by_url = {normalize(end.url): end for end in ends}
        frontier.add(DiscoveredUrl(url, seed=n == 0) for n, url in enumerate(by_url))
        now = START_SECONDS
        while by_url:
            for visit in frontier.lease(100, now):
                frontier.finish([_outcome(pages, visit, by_url.pop(visit.url))])
                frontier.release(visit, now)
            now += 1
        frontier.add(DiscoveredUrl(normalize(url)) for url in queued)
    return folder


def _outcome(pages: WarcPageStore, visit: Visit, end: FinishedVisit) -> Outcome:
    if end.state is not UrlState.KEPT:
        return Outcome(
            visit,
            end.state,
            end.reason,
            retry_at=end.retry_at,
            redirect_target=end.redirect_target,
        )
    page = Page(
        visit.url, end.fetched_at, 200, (("Content-Type", end.content_type),), end.body, visit.id
    )
    digest = sha256(end.body).digest()
    (place,) = pages.append([(page, digest)])
    return Outcome(visit, end.state, end.reason, page, place, digest=digest, revisit_interval=1e6)
