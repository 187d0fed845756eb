"""What every source of crawl statistics must do."""

from contract.backends import Backend
from contract.crawled import NOT_FOUND, fail, keep, url

from byway.core.messages import NO_REASON, Reason
from byway.core.model import UrlState


def test_every_url_and_every_page_version_is_reported(backend: Backend) -> None:
    keep(backend, "a.org/", body=b"x" * 5000, at=5.0)
    keep(backend, "b.org/", body=b"y", at=6.0)
    fail(backend, "a.org/lost")
    fail(backend, "c.org/", UrlState.UNREACHABLE, Reason("no_answer", seconds=3), retry_at=1e6)
    statistics = backend.statistics
    assert sorted(statistics.url_outcomes(10))[:2] == [
        ("a.org", UrlState.KEPT, NO_REASON, url("a.org/")),
        ("a.org", UrlState.MISSING, NOT_FOUND, url("a.org/lost")),
    ]
    fetches = list(statistics.page_fetches(10))
    assert [(host, at) for host, at, _ in fetches] == [("a.org", 5.0), ("b.org", 6.0)]
    assert statistics.stored_bytes() == sum(one.stored_bytes for one in fetches) > 0
    assert (statistics.page_count(), statistics.retry_count()) == (2, 1)
    assert list(statistics.content_types(10)) == ["text/html"] * 2
    assert [page for page, _ in statistics.largest_pages(1)] == [url("a.org/")]


def test_an_empty_collection_has_no_figures(backend: Backend) -> None:
    statistics = backend.statistics
    assert not [*statistics.url_outcomes(9), *statistics.page_fetches(9)]
    assert not [*statistics.content_types(9), *statistics.largest_pages(9)]
    assert statistics.page_count() == statistics.retry_count() == statistics.stored_bytes() == 0
