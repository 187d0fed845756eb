"""What every URL catalog must do, including removals."""

import pytest
from contract.backends import Backend
from contract.crawled import NO_REASON, NOT_FOUND, fail, keep, lease, state_of, url

from byway.core.errors import UsageError
from byway.core.messages import Reason
from byway.core.model import DiscoveredUrl, HostRecord, Job, Outcome, UrlState

REMOVED_SITE = Reason("removed_site", site="a.org")


@pytest.fixture
def crawled(backend: Backend) -> Backend:
    """Two pages and a failure on a.org, one page on b.org, and a queue."""
    backend.frontier.add([DiscoveredUrl(url("a.org/"), seed=True)])
    keep(backend, "a.org/", links=("a.org/lost", "b.org/"))
    keep(backend, "b.org/", body=b"other", at=7.0)
    keep(backend, "www.a.org/")
    fail(backend, "a.org/lost")
    backend.frontier.add(DiscoveredUrl(url(f"b.org/{n}")) for n in range(3))
    backend.frontier.add([DiscoveredUrl(url("c.org/"))])
    return backend


def test_states_seeds_and_queues_are_counted(crawled: Backend) -> None:
    catalog = crawled.catalog
    assert catalog.state_counts() == {
        UrlState.KEPT: 3,
        UrlState.MISSING: 1,
        UrlState.QUEUED: 4,
    }
    assert catalog.seeds() == [url("a.org/")]
    assert catalog.queue_lengths() == [("b.org", 3), ("c.org", 1)]
    assert catalog.jobs() == [Job("", {}, (url("a.org/"),), 3, 4)]
    assert catalog.failure_reasons() == {NOT_FOUND: 1}


def test_hosts_are_listed_by_their_queue(crawled: Backend) -> None:
    assert crawled.catalog.hosts(10) == [
        HostRecord("b.org", 2.0, 3, 1, 0, 0),
        HostRecord("c.org", 0.0, 1, 0, 0, 0),
        HostRecord("a.org", 0.0, 0, 1, 1, 0),
        HostRecord("www.a.org", 2.0, 0, 1, 0, 0),
    ]
    assert [host.name for host in crawled.catalog.hosts(1, "a.org")] == ["a.org"]
    assert (crawled.catalog.host_count(), crawled.catalog.host_count("a.org")) == (4, 2)


def test_revisits_are_due_after_their_interval(crawled: Backend) -> None:
    assert crawled.catalog.next_revisit_at() == 105.0
    due = crawled.catalog.due_revisits(106.0)
    assert [visit.url for visit in due] == [url("a.org/"), url("www.a.org/")]
    assert all(visit.previous_fetch for visit in due)
    assert crawled.catalog.due_revisits(104.0) == []


def test_a_removed_page_is_forgotten_and_not_visited(crawled: Backend) -> None:
    assert crawled.catalog.count_removal_targets([url("a.org/"), url("a.org/lost")]) == (2, 1)
    assert len(crawled.catalog.stored_files([url("a.org/")])) == 1
    crawled.frontier.remove([url("a.org/"), url("a.org/lost")], "", undo=False, now=9.0)
    for text in ("a.org/", "a.org/lost"):
        assert state_of(crawled, text) == (UrlState.REMOVED, Reason("removed"))
        assert crawled.catalog.removal_reason(url(text)) == Reason("removed")
    record = crawled.catalog.find_url(url("a.org/"))
    assert record and record.removed_site == ""
    assert crawled.pages.get(record.id) is None
    assert list(crawled.pages.changes_since(3))[-1][1:] == (record.id, None)
    assert crawled.graph.outlinks(record.id) == []
    assert crawled.catalog.removed_pages(1) == ([url("a.org/")], 2)
    assert crawled.catalog.removed_pages(-1)[0] == [url("a.org/"), url("a.org/lost")]
    crawled.frontier.add([DiscoveredUrl(url("a.org/"), seed=True)])
    assert state_of(crawled, "a.org/") == (UrlState.REMOVED, Reason("removed"))
    assert crawled.catalog.removal_reason(url("b.org/")) == NO_REASON


def test_a_removed_site_covers_its_subdomains_and_what_is_found_later(crawled: Backend) -> None:
    assert crawled.catalog.count_removal_targets([], "a.org") == (3, 2)
    crawled.frontier.remove([], "a.org", undo=False, now=9.0)
    crawled.frontier.add([DiscoveredUrl(url("www.a.org/later"))])
    for text in ("a.org/", "www.a.org/", "www.a.org/later"):
        assert state_of(crawled, text) == (UrlState.REMOVED, REMOVED_SITE)
    assert crawled.catalog.removal_reason(url("shop.a.org/unknown")) == REMOVED_SITE
    assert crawled.catalog.removed_sites() == {"a.org"}
    assert crawled.catalog.removed_pages(9) == ([], 0)
    assert crawled.catalog.count_removal_targets([], "a.org", undo=True) == (4, 0)
    crawled.frontier.remove([], "a.org", undo=True, now=10.0)
    assert state_of(crawled, "www.a.org/later") == (UrlState.QUEUED, NO_REASON)
    assert crawled.catalog.removed_sites() == frozenset()


@pytest.mark.parametrize(
    ("text", "site", "undo", "code"),
    [
        ("x.org/", "", False, "url_unknown"),
        ("a.org/", "", True, "url_not_removed"),
        ("", "x.org", False, "site_unknown"),
        ("", "a.org", True, "site_not_removed"),
    ],
)
def test_what_cannot_be_removed_is_refused(
    crawled: Backend, text: str, site: str, undo: bool, code: str
) -> None:
    urls = [url(text)] if text else []
    for use in (
        lambda: crawled.catalog.count_removal_targets(urls, site, undo),
        lambda: crawled.frontier.remove(urls, site, undo, 9.0),
    ):
        with pytest.raises(UsageError) as refused:
            use()
        assert refused.value.code == f"storage.{code}"
    assert crawled.catalog.state_counts()[UrlState.KEPT] == 3


def test_paused_urls_of_a_host_are_requeued(backend: Backend) -> None:
    for text in ("a.org/1", "a.org/2", "b.org/"):
        visit = lease(backend, text)
        backend.frontier.finish([Outcome(visit, UrlState.PAUSED, Reason("noindex"))])
    assert backend.frontier.requeue_paused("a.org") == 2
    assert state_of(backend, "a.org/1") == (UrlState.QUEUED, NO_REASON)
    assert state_of(backend, "b.org/") == (UrlState.PAUSED, Reason("noindex"))


def test_unfinished_seeds_have_queued_urls_on_their_hosts(crawled: Backend) -> None:
    assert crawled.frontier.unfinished_seeds() == []
    crawled.frontier.add([DiscoveredUrl(url("a.org/more"))])
    assert crawled.frontier.unfinished_seeds() == [url("a.org/")]
    assert crawled.frontier.unfinished_seeds("other") == []
