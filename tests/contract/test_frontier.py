"""What every frontier must do."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from contract.backends import Backend

from byway.core.messages import Reason
from byway.core.model import (
    DiscoveredUrl,
    FrontierOptions,
    Job,
    Link,
    Outcome,
    Page,
    RobotsFile,
    UnreadablePage,
    Url,
    UrlState,
    Visit,
)
from byway.core.url import normalize
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_read

NO_ANSWER = Reason("no_answer", seconds=30)
OTHER_HOST = Reason("not_seed_host", host="far.org")
CUT_OFF = Reason("page_unreadable", file="00001.warc.gz", cause=Reason("record_cut_off", offset=7))


def url(text: str) -> Url:
    return normalize(f"http://{text}")


def add(backend: Backend, *texts: str) -> int:
    return backend.frontier.add(DiscoveredUrl(url(text)) for text in texts)


def page(visit: Visit, body: bytes = b"hello") -> Page:
    return Page(visit.url, 5.0, 200, (("Content-Type", "text/html"),), body, visit.id)


def keep(backend: Backend, visit: Visit, *targets: str) -> list[int]:
    kept = page(visit)
    (place,) = backend.pages.append([(kept, b"digest of " + kept.body)])
    links = tuple(Link(url(target), "anchor") for target in targets)
    found = tuple(DiscoveredUrl(link.target, visit.depth + 1) for link in links)
    outcome = Outcome(
        visit,
        UrlState.KEPT,
        page=kept,
        location=place,
        links=links,
        discovered_urls=found,
        digest=b"digest of " + kept.body,
        revisit_interval=100.0,
    )
    return backend.frontier.finish([outcome])


def test_a_url_is_added_once(backend: Backend) -> None:
    assert add(backend, "a.org/", "a.org/#top") == 1
    assert add(backend, "a.org/") == 0


def test_one_visit_per_host_at_a_time(backend: Backend) -> None:
    add(backend, "a.org/1", "a.org/2", "b.org/")
    leased = backend.frontier.lease(10, now=1.0)
    assert sorted(visit.url for visit in leased) == ["http://a.org/1", "http://b.org/"]
    assert backend.frontier.lease(10, now=1.0) == []


def test_no_more_visits_are_leased_than_asked_for(backend: Backend) -> None:
    add(backend, "a.org/", "b.org/", "c.org/")
    assert len(backend.frontier.lease(2, now=1.0)) == 2
    assert len(backend.frontier.lease(2, now=1.0)) == 1


def test_a_host_is_not_leased_before_it_is_free(backend: Backend) -> None:
    add(backend, "a.org/1", "a.org/2")
    (first,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(first, free_at=5.0)
    assert backend.frontier.next_lease_at() == 5.0
    assert backend.frontier.lease(10, now=4.0) == []
    assert [visit.url for visit in backend.frontier.lease(10, now=5.0)] == ["http://a.org/2"]


def test_a_host_stays_slow_when_its_queue_runs_dry_in_between(backend: Backend) -> None:
    add(backend, "a.org/1")
    (first,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(first, free_at=5.0)
    keep(backend, first, "a.org/2")
    assert backend.frontier.lease(10, now=4.0) == []
    assert [visit.url for visit in backend.frontier.lease(10, now=5.0)] == ["http://a.org/2"]


def test_a_requeued_visit_is_leased_again(backend: Backend) -> None:
    add(backend, "a.org/1", "a.org/2")
    (first,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.requeue_visit(first, free_at=2.0)
    assert backend.frontier.lease(10, now=1.0) == []
    assert backend.frontier.lease(10, now=2.0) == [first]


def test_pages_near_the_seed_come_first(backend: Backend) -> None:
    deep, near = (
        DiscoveredUrl(url("a.org/deep"), priority=3),
        DiscoveredUrl(url("a.org/near"), priority=1),
    )
    backend.frontier.add([deep, near])
    assert [visit.url for visit in backend.frontier.lease(1, now=1.0)] == ["http://a.org/near"]


def test_a_finished_visit_is_over_and_its_links_are_next(backend: Backend) -> None:
    add(backend, "a.org/")
    (visit,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(visit, free_at=1.0)
    assert keep(backend, visit, "a.org/next", "b.org/") == [1]
    assert backend.frontier.state_counts() == {UrlState.KEPT: 1, UrlState.QUEUED: 2}
    leased = backend.frontier.lease(10, now=1.0)
    assert {(visit.url, visit.depth) for visit in leased} == {
        ("http://a.org/next", 1),
        ("http://b.org/", 1),
    }


def test_a_leased_url_is_not_leased_again_before_it_is_finished(backend: Backend) -> None:
    add(backend, "a.org/1", "a.org/2")
    (first,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(first, free_at=1.0)
    (second,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(second, free_at=1.0)
    assert backend.frontier.lease(10, now=1.0) == []
    assert {first.url, second.url} == {"http://a.org/1", "http://a.org/2"}


def test_a_failed_visit_is_retried_when_due(backend: Backend) -> None:
    add(backend, "a.org/")
    (visit,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(visit, free_at=1.0)
    backend.frontier.finish([Outcome(visit, UrlState.UNREACHABLE, NO_ANSWER, retry_at=60.0)])
    record = backend.frontier.find_url(visit.url)
    assert record and (record.state, record.reason) == (UrlState.UNREACHABLE, NO_ANSWER)
    assert backend.frontier.lease(10, now=59.0) == []
    assert backend.frontier.next_lease_at() == 60.0
    first = backend.frontier.next_retry(60.0)
    assert first and (first.url, first.reason, first.retry_at) == (visit.url, NO_ANSWER, 60.0)
    assert backend.frontier.next_retry(59.0) is None
    (again,) = backend.frontier.lease(10, now=60.0)
    assert (again.url, again.attempts) == (visit.url, 1)
    assert backend.frontier.state_counts() == {UrlState.QUEUED: 1}
    waits = backend.frontier.next_retry(60.0)
    assert waits and (waits.url, waits.reason, waits.retry_at) == (visit.url, NO_ANSWER, None)


def test_retries_can_be_advanced(backend: Backend) -> None:
    add(backend, "a.org/", "b.org/", "c.org/")
    for visit, due in zip(backend.frontier.lease(10, now=1.0), (600.0, 30.0, None), strict=True):
        backend.frontier.release(visit, free_at=1.0)
        backend.frontier.finish([Outcome(visit, UrlState.UNREACHABLE, NO_ANSWER, retry_at=due)])
    assert backend.frontier.hosts_awaiting_retry() == ["a.org", "b.org"]
    backend.frontier.advance_retries(60.0)
    assert [one.url for one in backend.frontier.lease(10, now=59.0)] == ["http://b.org/"]
    assert backend.frontier.next_lease_at() == 60.0
    assert [one.url for one in backend.frontier.lease(10, now=60.0)] == ["http://a.org/"]
    assert backend.frontier.hosts_awaiting_retry() == []


def test_urls_out_of_scope_are_known_but_not_visited(backend: Backend) -> None:
    backend.frontier.add(
        [DiscoveredUrl(url("far.org/"), state=UrlState.OUT_OF_SCOPE, reason=OTHER_HOST)]
    )
    assert backend.frontier.lease(10, now=1.0) == []
    assert backend.frontier.next_lease_at() is None
    record = backend.frontier.find_url(url("far.org/"))
    assert record and record.reason == OTHER_HOST
    assert backend.frontier.find_url(url("unheard.org/")) is None


def test_a_seed_opens_its_host(backend: Backend) -> None:
    outside = [DiscoveredUrl(url(f"far.org/{n}"), state=UrlState.OUT_OF_SCOPE) for n in range(3)]
    backend.frontier.add(outside)
    backend.frontier.add([DiscoveredUrl(url("far.org/0"), seed=True)])
    assert backend.frontier.seeds() == ["http://far.org/0"]
    assert backend.frontier.state_counts() == {UrlState.QUEUED: 3}
    (visit,) = backend.frontier.lease(10, now=1.0)
    assert visit.seed


def test_get_returns_the_newest_version_of_a_page(backend: Backend) -> None:
    add(backend, "a.org/", "b.org/")
    for visit in backend.frontier.lease(10, now=1.0):
        kept = page(visit, visit.url.encode())
        (place,) = backend.pages.append([(kept, kept.body)])
        backend.frontier.finish(
            [Outcome(visit, UrlState.KEPT, page=kept, location=place, digest=kept.body)]
        )
    record = backend.frontier.find_url(url("b.org/"))
    assert record and record.fetched_at == 5.0
    found = backend.pages.get(record.id)
    assert found and found.body == b"http://b.org/"
    assert [sequence for sequence, _, _ in backend.pages.changes_since(0)] == [1, 2]
    (second,) = [version for _, _, version in backend.pages.changes_since(1)]
    assert isinstance(second, Page) and second.url == "http://b.org/"
    assert backend.pages.last_sequence() == 2


def test_pages_without_a_finished_visit_are_invisible(backend: Backend) -> None:
    add(backend, "a.org/")
    (visit,) = backend.frontier.lease(10, now=1.0)
    backend.pages.append([(page(visit), b"digest")])
    assert backend.pages.last_sequence() == 0
    assert backend.pages.get(visit.id) is None


def test_links_become_edges_and_every_target_a_node(backend: Backend) -> None:
    add(backend, "a.org/")
    (visit,) = backend.frontier.lease(10, now=1.0)
    keep(backend, visit, "a.org/next", "b.org/")
    edges = {
        (int(s), int(t)) for ss, ts in backend.graph.edges() for s, t in zip(ss, ts, strict=True)
    }
    assert edges == {(1, 2), (1, 3)}
    assert backend.graph.size() == 4
    hosts = backend.graph.host_ids()
    assert hosts[1] == hosts[2] != hosts[3]


def test_equal_content_is_stored_once_and_read_from_each_url(backend: Backend) -> None:
    add(backend, "a.org/", "b.org/", "c.org/")
    visits = backend.frontier.lease(10, now=1.0)
    pages = [page(visit, b"the same") for visit in visits]
    places = backend.pages.append([(one, b"digest") for one in pages[:2]])
    outcomes = [
        Outcome(visit, UrlState.KEPT, page=one, location=place, digest=b"digest")
        for visit, one, place in zip(visits, pages, places, strict=False)
    ]
    backend.frontier.finish(outcomes)
    places += backend.pages.append([(pages[2], b"digest")])
    backend.frontier.finish(
        [Outcome(visits[2], UrlState.KEPT, page=pages[2], location=places[2], digest=b"digest")]
    )
    assert places[0].body_location is None
    assert [place.body_location for place in places[1:]] == [places[0], places[0]]
    found = [backend.pages.get(visit.id) for visit in visits]
    assert [(one.url, one.body) for one in found if one] == [
        (visit.url, b"the same") for visit in visits
    ]


def test_a_due_page_is_queued_with_its_previous_fetch(
    backend: Backend,
) -> None:
    add(backend, "a.org/")
    (visit,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(visit, free_at=1.0)
    keep(backend, visit)
    assert backend.frontier.queue_revisits(now=104.0) == 0
    assert backend.frontier.queue_revisits(now=105.0) == 1
    (again,) = backend.frontier.lease(10, now=105.0)
    assert again.previous_fetch and again.previous_fetch.digest == b"digest of hello"
    backend.frontier.release(again, free_at=105.0)
    unchanged = replace(page(again), status=304, fetched_at=105.0)
    assert not backend.frontier.finish(
        [Outcome(again, UrlState.KEPT, page=unchanged, revisit_interval=300.0)]
    )
    assert backend.frontier.state_counts() == {UrlState.KEPT: 1}
    assert backend.frontier.queue_revisits(now=404.0) == 0
    assert backend.frontier.queue_revisits(now=405.0) == 1


def test_a_gone_page_is_among_the_changes(backend: Backend) -> None:
    add(backend, "a.org/")
    (visit,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(visit, free_at=1.0)
    keep(backend, visit)
    for missing in (0, 1):
        backend.frontier.queue_revisits(now=1e9)
        (again,) = backend.frontier.lease(10, now=1e9)
        assert again.previous_fetch and again.previous_fetch.missing_count == missing
        backend.frontier.release(again, free_at=1e9)
        lost = replace(page(again), status=404, body=b"")
        gone = missing == 1
        state = UrlState.MISSING if gone else UrlState.KEPT
        sequences = backend.frontier.finish([Outcome(again, state, page=lost, is_gone=gone)])
        assert sequences == ([2] if gone else [])
    assert list(backend.pages.changes_since(1)) == [(2, visit.id, None)]
    assert list(backend.pages.changes_since(0)) == [
        (2, visit.id, None)
    ]  # what it said is read no more
    assert backend.pages.get(visit.id) is None
    assert backend.frontier.queue_revisits(now=1e9) == 0


def test_an_unreadable_page_is_queued_as_if_new(backend: Backend) -> None:
    add(backend, "a.org/", "b.org/")
    for visit in backend.frontier.lease(10, now=1.0):
        backend.frontier.release(visit, free_at=1.0)
        keep(backend, visit)
    lost = backend.frontier.find_url(normalize("http://a.org/"))
    assert lost and backend.frontier.count_kept() == 2
    assert (
        backend.frontier.requeue_unreadable([UnreadablePage(lost.id, "00001.warc.gz", CUT_OFF)])
        == 1
    )
    assert backend.frontier.state_counts() == {UrlState.KEPT: 1, UrlState.QUEUED: 1}
    assert backend.frontier.count_kept() == 1
    record = backend.frontier.find_url(lost.url)
    assert record and (record.state, record.reason) == (UrlState.QUEUED, CUT_OFF)
    (again,) = backend.frontier.lease(10, now=1e9)
    assert (again.url, again.previous_fetch) == (lost.url, None)


def test_the_time_of_the_first_miss_is_kept_until_the_page_is_back(
    backend: Backend,
) -> None:
    add(backend, "a.org/")
    (visit,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(visit, free_at=1.0)
    keep(backend, visit)
    seen = []
    for at, status in ((100.0, 404), (200.0, 404), (300.0, 304), (400.0, 404), (500.0, 404)):
        backend.frontier.queue_revisits(now=1e9)
        (again,) = backend.frontier.lease(10, now=1e9)
        backend.frontier.release(again, free_at=1e9)
        answer = replace(page(again), status=status, body=b"", fetched_at=at)
        backend.frontier.finish([Outcome(again, UrlState.KEPT, page=answer)])
        assert again.previous_fetch
        seen.append((again.previous_fetch.missing_count, again.previous_fetch.checked_at))
    assert seen[1:] == [(1, 100.0), (1, 100.0), (0, 300.0), (1, 400.0)]


def test_robots_txt_is_stored_by_host_and_replaced(backend: Backend) -> None:
    assert backend.frontier.robots("a.org") is None
    backend.frontier.save_robots("a.org", RobotsFile(5.0, 404, b""))
    backend.frontier.save_robots("a.org", RobotsFile(6.0, 200, b"User-agent: *"))
    add(backend, "a.org/")
    assert backend.frontier.robots("a.org") == RobotsFile(6.0, 200, b"User-agent: *")
    assert backend.frontier.robots("b.org") is None


def test_urls_are_found_by_content_digest(backend: Backend) -> None:
    add(backend, "a.org/", "b.org/")
    for visit in backend.frontier.lease(10, now=1.0):
        backend.frontier.release(visit, free_at=1.0)
        keep(backend, visit)
    assert sorted(backend.frontier.urls_with_digest(b"digest of hello")) == [
        url("a.org/"),
        url("b.org/"),
    ]
    assert backend.frontier.urls_with_digest(b"another") == []


def test_a_host_has_no_more_urls_queued_than_its_budget(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "crawl.db", FrontierOptions(max_urls_per_host=3))
    frontier.add(DiscoveredUrl(url(f"a.org/{n}")) for n in range(5))
    frontier.add([DiscoveredUrl(url("b.org/"))])
    assert frontier.state_counts() == {UrlState.QUEUED: 4, UrlState.OUT_OF_SCOPE: 2}
    frontier.close()
    again = SqliteFrontier(tmp_path / "crawl.db", FrontierOptions(max_urls_per_host=3))
    again.add([DiscoveredUrl(url("a.org/more"))])
    record = again.find_url(url("a.org/more"))
    assert record and record.reason == Reason("host_budget", limit=3)
    again.close()


def test_host_delays_survive_a_restart(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "crawl.db")
    frontier.add([DiscoveredUrl(url("slow.org/1")), DiscoveredUrl(url("slow.org/2"))])
    (visit,) = frontier.lease(1, now=0.0)
    frontier.release(visit, free_at=30.0)
    frontier.finish([Outcome(visit, UrlState.MISSING, host_delay=30.0)])
    frontier.close()
    again = SqliteFrontier(tmp_path / "crawl.db", FrontierOptions(clock=lambda: 100.0))
    assert again.lease(1, now=129.0) == []
    assert len(again.lease(1, now=130.0)) == 1
    again.close()


def test_the_end_of_a_page_uses_the_given_clock(tmp_path: Path) -> None:
    options = FrontierOptions(clock=lambda: 7.0)
    with closing(SqliteFrontier(tmp_path / "crawl.db", options)) as frontier:
        frontier.add([DiscoveredUrl(url("a.org/"))])
        (visit,) = frontier.lease(1, now=7.0)
        assert frontier.finish([Outcome(visit, UrlState.FORBIDDEN, is_gone=True)]) == [1]
    with closing(open_to_read(tmp_path / "crawl.db")) as db:
        assert db.execute("select fetched_at from page_version").fetchall() == [(7.0,)]


def test_urls_of_a_paused_job_are_not_leased(backend: Backend) -> None:
    frontier = backend.frontier
    frontier.save_job(Job("docs", {"max_depth": 2}))
    frontier.add(
        [DiscoveredUrl(url("a.org/1"), job="docs"), DiscoveredUrl(url("a.org/2"), seed=True)]
    )
    frontier.set_paused_jobs({"docs"})
    (visit,) = frontier.lease(10, now=1.0)
    assert (visit.url, visit.job) == ("http://a.org/2", "")
    keep(backend, visit)
    frontier.release(visit, free_at=1.0)
    assert frontier.lease(10, now=2.0) == []
    frontier.set_paused_jobs(())
    (visit,) = frontier.lease(10, now=3.0)
    assert (visit.url, visit.job) == ("http://a.org/1", "docs")
    main, docs = frontier.jobs()
    assert (main.seeds, main.kept_pages, main.queued_urls) == ((url("a.org/2"),), 1, 0)
    assert (docs.overrides, docs.kept_pages, docs.queued_urls) == ({"max_depth": 2}, 0, 1)
