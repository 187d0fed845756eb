"""What every storage must do with pages that were not fetched by us."""

from dataclasses import replace

from contract.backends import Backend
from contract.crawled import fail, keep, lease, state_of, url

from byway.core.messages import NO_REASON
from byway.core.model import DiscoveredUrl, Document, ImportedPage, Link, Page, UrlState


def imported(text: str, body: bytes = b"words", at: float = 50.0) -> ImportedPage:
    page = Page(url(text), at, 200, (("Content-Type", "text/html"),), body)
    links = (Link(url("b.org/"), "to b"), Link(url("b.org/"), "unused", nofollow=True))
    return ImportedPage(
        page,
        Document(page.url, title=body.decode(), text="a text"),
        links[:1],
        (DiscoveredUrl(url("b.org/"), state=UrlState.OUT_OF_SCOPE),),
        revisit_interval=1000.0,
    )


def test_an_imported_page_is_stored_as_a_crawl_would(backend: Backend) -> None:
    assert backend.writer.add_pages([imported("a.org/"), imported("a.org/2", b"more")]) == 2
    record = backend.catalog.find_url(url("a.org/"))
    assert record and (record.state, record.fetched_at) == (UrlState.KEPT, 50.0)
    page = backend.pages.get(record.id)
    assert page == replace(imported("a.org/").page, id=record.id)
    document = backend.documents.get(record.id)
    assert document and (document.id, document.title) == (record.id, "words")
    target = backend.catalog.find_url(url("b.org/"))
    assert target and target.state is UrlState.OUT_OF_SCOPE
    assert backend.graph.outlinks(record.id) == [(target.id, "to b", False)]
    assert backend.documents.last_sequence() == backend.pages.last_sequence() == 2
    assert backend.catalog.state_counts() == {UrlState.KEPT: 2, UrlState.OUT_OF_SCOPE: 1}
    assert backend.catalog.next_revisit_at() == 1050.0
    assert backend.frontier.lease(10, 100.0) == []
    assert backend.frontier.count_kept() == 2


def test_a_url_in_any_state_takes_an_imported_page(backend: Backend) -> None:
    fail(backend, "a.org/lost")
    backend.frontier.add([DiscoveredUrl(url("a.org/queued"))])
    backend.frontier.add([DiscoveredUrl(url("a.org/far"), state=UrlState.OUT_OF_SCOPE)])
    texts = ("a.org/lost", "a.org/queued", "a.org/far")
    assert backend.writer.add_pages([imported(text) for text in texts]) == 3
    for text in texts:
        assert state_of(backend, text) == (UrlState.KEPT, NO_REASON)
    assert backend.catalog.state_counts()[UrlState.KEPT] == 3
    assert UrlState.QUEUED not in backend.catalog.state_counts()


def test_only_a_newer_version_replaces_a_stored_page(backend: Backend) -> None:
    id = keep(backend, "a.org/", b"ours", at=60.0).id
    assert backend.writer.add_pages([imported("a.org/", b"older", 50.0)]) == 0
    stored = backend.pages.get(id)
    assert stored and stored.body == b"ours"
    assert backend.writer.add_pages([imported("a.org/", b"newer", 70.0)]) == 1
    newest, previous = backend.pages.get(id), backend.pages.previous_version(id)
    assert newest and previous and (newest.body, previous.body) == (b"newer", b"ours")
    assert state_of(backend, "a.org/") == (UrlState.KEPT, NO_REASON)


def test_a_removed_url_is_not_imported(backend: Backend) -> None:
    backend.frontier.add([DiscoveredUrl(url("a.org/")), DiscoveredUrl(url("b.org/"))])
    backend.frontier.remove([url("a.org/")], "", undo=False, now=1.0)
    backend.frontier.remove([], "b.org", undo=False, now=1.0)
    pages = [imported(text) for text in ("a.org/", "b.org/", "www.b.org/new", "c.org/")]
    assert backend.writer.add_pages(pages) == 1
    assert backend.pages.last_sequence() == 1
    record = backend.catalog.find_url(url("www.b.org/new"))
    assert record and record.state is UrlState.REMOVED


def test_a_page_that_must_not_be_indexed_has_no_document(backend: Backend) -> None:
    assert backend.writer.add_pages([replace(imported("a.org/"), document=None)]) == 1
    record = backend.catalog.find_url(url("a.org/"))
    assert record and backend.pages.get(record.id)
    assert backend.documents.get(record.id) is None and backend.documents.has(record.id)


def test_an_imported_page_is_revisited_like_others(backend: Backend) -> None:
    backend.writer.add_pages([imported("a.org/")])
    assert backend.frontier.queue_revisits(2000.0) == 1
    visit = lease(backend, "a.org/", 2000.0)
    assert visit.previous_fetch and visit.previous_fetch.digest
