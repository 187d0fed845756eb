"""A data folder with a crawl in it, made as a crawl makes it and yet in a moment."""

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from byway.core.model import Found, Outcome, Page, State, Visit
from byway.core.url import normalise
from byway.storage.data_folder import Folder
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.warc.page_store import WarcPages

START = 1_800_000_000.0


@dataclass(frozen=True, slots=True)
class End:
    """How the visit of a URL ends."""

    url: str
    state: State = State.KEPT
    reason: str = ""
    at: float = START
    body: bytes = b"hello"
    kind: str = "text/html"
    due: float | None = None


def crawled(path: Path, ends: Iterable[End], queued: Iterable[str] = ()) -> Folder:
    """A data folder in which these visits have ended, and these URLs wait for theirs."""
    folder = Folder(path)
    folder.create()
    with (
        closing(SqliteFrontier(folder.crawl_db)) as frontier,
        closing(open_to_read(folder.crawl_db)) as db,
        closing(WarcPages(folder.pages, db)) as pages,
    ):
        by_url = {normalise(end.url): end for end in ends}
        frontier.add(Found(url, seed=n == 0) for n, url in enumerate(by_url))
        now = START
        while by_url:
            for visit in frontier.lease(100, now):
                frontier.finish([_outcome(pages, visit, by_url.pop(visit.url))])
                frontier.release(visit, now)
            now += 1
        frontier.add(Found(normalise(url)) for url in queued)
    return folder


def _outcome(pages: WarcPages, visit: Visit, end: End) -> Outcome:
    if end.state is not State.KEPT:
        return Outcome(visit, end.state, end.reason, due=end.due)
    page = Page(visit.url, end.at, 200, (("Content-Type", end.kind),), end.body, visit.id)
    digest = sha256(end.body).digest()
    (place,) = pages.append([(page, digest)])
    return Outcome(visit, end.state, end.reason, page, place, digest=digest, interval=1e6)
