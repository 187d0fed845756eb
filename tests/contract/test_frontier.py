"""What every frontier must do."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from contract.backends import Backend

from byway.core.model import Found, Job, Link, Lost, Outcome, Page, RobotsFile, State, Url, Visit
from byway.core.url import normalise
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_read


def url(text: str) -> Url:
    return normalise(f"http://{text}")


def add(backend: Backend, *texts: str) -> int:
    return backend.frontier.add(Found(url(text)) for text in texts)


def page(visit: Visit, body: bytes = b"hello") -> Page:
    return Page(visit.url, 5.0, 200, (("Content-Type", "text/html"),), body, visit.id)


def keep(backend: Backend, visit: Visit, *targets: str) -> list[int]:
    kept = page(visit)
    (place,) = backend.pages.append([(kept, b"digest of " + kept.body)])
    links = tuple(Link(url(target), "anchor") for target in targets)
    found = tuple(Found(link.target, visit.depth + 1) for link in links)
    outcome = Outcome(
        visit,
        State.KEPT,
        page=kept,
        place=place,
        links=links,
        found=found,
        digest=b"digest of " + kept.body,
        interval=100.0,
    )
    return backend.frontier.finish([outcome])


def test_a_url_is_remembered_once(backend: Backend) -> None:
    assert add(backend, "a.org/", "a.org/#top") == 1
    assert add(backend, "a.org/") == 0


def test_a_host_is_asked_for_one_page_at_a_time(backend: Backend) -> None:
    add(backend, "a.org/1", "a.org/2", "b.org/")
    leased = backend.frontier.lease(10, now=1.0)
    assert sorted(visit.url for visit in leased) == ["http://a.org/1", "http://b.org/"]
    assert backend.frontier.lease(10, now=1.0) == []


def test_no_more_visits_are_leased_than_asked_for(backend: Backend) -> None:
    add(backend, "a.org/", "b.org/", "c.org/")
    assert len(backend.frontier.lease(2, now=1.0)) == 2
    assert len(backend.frontier.lease(2, now=1.0)) == 1


def test_a_host_is_left_alone_until_it_is_free(backend: Backend) -> None:
    add(backend, "a.org/1", "a.org/2")
    (first,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(first, free_at=5.0)
    assert backend.frontier.next_at() == 5.0
    assert backend.frontier.lease(10, now=4.0) == []
    assert [visit.url for visit in backend.frontier.lease(10, now=5.0)] == ["http://a.org/2"]


def test_a_host_stays_slow_when_its_queue_runs_dry_in_between(backend: Backend) -> None:
    add(backend, "a.org/1")
    (first,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(first, free_at=5.0)
    keep(backend, first, "a.org/2")
    assert backend.frontier.lease(10, now=4.0) == []
    assert [visit.url for visit in backend.frontier.lease(10, now=5.0)] == ["http://a.org/2"]


def test_what_is_put_back_is_handed_out_again(backend: Backend) -> None:
    add(backend, "a.org/1", "a.org/2")
    (first,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.put_back(first, free_at=2.0)
    assert backend.frontier.lease(10, now=1.0) == []
    assert backend.frontier.lease(10, now=2.0) == [first]


def test_pages_near_the_seed_come_first(backend: Backend) -> None:
    deep, near = Found(url("a.org/deep"), priority=3), Found(url("a.org/near"), priority=1)
    backend.frontier.add([deep, near])
    assert [visit.url for visit in backend.frontier.lease(1, now=1.0)] == ["http://a.org/near"]


def test_a_finished_visit_is_over_and_its_links_are_next(backend: Backend) -> None:
    add(backend, "a.org/")
    (visit,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(visit, free_at=1.0)
    assert keep(backend, visit, "a.org/next", "b.org/") == [1]
    assert backend.frontier.counts() == {State.KEPT: 1, State.QUEUED: 2}
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


def test_what_did_not_come_is_tried_again_when_due(backend: Backend) -> None:
    add(backend, "a.org/")
    (visit,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(visit, free_at=1.0)
    backend.frontier.finish([Outcome(visit, State.UNREACHABLE, "no answer", due=60.0)])
    record = backend.frontier.look_up(visit.url)
    assert record and (record.state, record.reason) == (State.UNREACHABLE, "no answer")
    assert backend.frontier.lease(10, now=59.0) == []
    assert backend.frontier.next_at() == 60.0
    first = backend.frontier.next_try(60.0)
    assert first and (first.url, first.reason, first.due) == (visit.url, "no answer", 60.0)
    assert backend.frontier.next_try(59.0) is None
    (again,) = backend.frontier.lease(10, now=60.0)
    assert (again.url, again.tries) == (visit.url, 1)
    assert backend.frontier.counts() == {State.QUEUED: 1}
    waits = backend.frontier.next_try(60.0)
    assert waits and (waits.url, waits.reason, waits.due) == (visit.url, "no answer", None)


def test_what_was_put_off_can_be_brought_forward(backend: Backend) -> None:
    add(backend, "a.org/", "b.org/", "c.org/")
    for visit, due in zip(backend.frontier.lease(10, now=1.0), (600.0, 30.0, None), strict=True):
        backend.frontier.release(visit, free_at=1.0)
        backend.frontier.finish([Outcome(visit, State.UNREACHABLE, "no answer", due=due)])
    assert backend.frontier.put_off() == ["a.org", "b.org"]
    backend.frontier.bring_forward(60.0)
    assert [one.url for one in backend.frontier.lease(10, now=59.0)] == ["http://b.org/"]
    assert backend.frontier.next_at() == 60.0
    assert [one.url for one in backend.frontier.lease(10, now=60.0)] == ["http://a.org/"]
    assert backend.frontier.put_off() == []


def test_urls_out_of_scope_are_known_but_not_visited(backend: Backend) -> None:
    backend.frontier.add([Found(url("far.org/"), state=State.OUT_OF_SCOPE, reason="another host")])
    assert backend.frontier.lease(10, now=1.0) == []
    assert backend.frontier.next_at() is None
    record = backend.frontier.look_up(url("far.org/"))
    assert record and record.reason == "another host"
    assert backend.frontier.look_up(url("unheard.org/")) is None


def test_naming_a_url_opens_its_host(backend: Backend) -> None:
    outside = [Found(url(f"far.org/{n}"), state=State.OUT_OF_SCOPE) for n in range(3)]
    backend.frontier.add(outside)
    backend.frontier.add([Found(url("far.org/0"), seed=True)])
    assert backend.frontier.seeds() == ["http://far.org/0"]
    assert backend.frontier.counts() == {State.QUEUED: 3}
    (visit,) = backend.frontier.lease(10, now=1.0)
    assert visit.seed


def test_the_newest_version_of_a_page_is_the_one_we_get(backend: Backend) -> None:
    add(backend, "a.org/", "b.org/")
    for visit in backend.frontier.lease(10, now=1.0):
        kept = page(visit, visit.url.encode())
        (place,) = backend.pages.append([(kept, kept.body)])
        backend.frontier.finish(
            [Outcome(visit, State.KEPT, page=kept, place=place, digest=kept.body)]
        )
    record = backend.frontier.look_up(url("b.org/"))
    assert record and record.fetched_at == 5.0
    found = backend.pages.get(record.id)
    assert found and found.body == b"http://b.org/"
    assert [sequence for sequence, _, _ in backend.pages.after(0)] == [1, 2]
    (second,) = [version for _, _, version in backend.pages.after(1)]
    assert isinstance(second, Page) and second.url == "http://b.org/"
    assert backend.pages.last() == 2


def test_pages_that_were_not_recorded_are_not_seen(backend: Backend) -> None:
    add(backend, "a.org/")
    (visit,) = backend.frontier.lease(10, now=1.0)
    backend.pages.append([(page(visit), b"digest")])
    assert backend.pages.last() == 0
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
    hosts = backend.graph.hosts()
    assert hosts[1] == hosts[2] != hosts[3]


def test_the_same_content_is_kept_once_and_read_from_each_of_its_urls(backend: Backend) -> None:
    add(backend, "a.org/", "b.org/", "c.org/")
    visits = backend.frontier.lease(10, now=1.0)
    pages = [page(visit, b"the same") for visit in visits]
    places = backend.pages.append([(one, b"digest") for one in pages[:2]])
    outcomes = [
        Outcome(visit, State.KEPT, page=one, place=place, digest=b"digest")
        for visit, one, place in zip(visits, pages, places, strict=False)
    ]
    backend.frontier.finish(outcomes)
    places += backend.pages.append([(pages[2], b"digest")])
    backend.frontier.finish(
        [Outcome(visits[2], State.KEPT, page=pages[2], place=places[2], digest=b"digest")]
    )
    assert places[0].body is None
    assert [place.body for place in places[1:]] == [places[0], places[0]]
    found = [backend.pages.get(visit.id) for visit in visits]
    assert [(one.url, one.body) for one in found if one] == [
        (visit.url, b"the same") for visit in visits
    ]


def test_a_kept_page_is_queued_again_when_it_is_stale_and_brings_what_we_know(
    backend: Backend,
) -> None:
    add(backend, "a.org/")
    (visit,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(visit, free_at=1.0)
    keep(backend, visit)
    assert backend.frontier.queue_stale(now=104.0) == 0
    assert backend.frontier.queue_stale(now=105.0) == 1
    (again,) = backend.frontier.lease(10, now=105.0)
    assert again.known and again.known.digest == b"digest of hello"
    backend.frontier.release(again, free_at=105.0)
    unchanged = replace(page(again), status=304, fetched_at=105.0)
    assert not backend.frontier.finish([Outcome(again, State.KEPT, page=unchanged, interval=300.0)])
    assert backend.frontier.counts() == {State.KEPT: 1}
    assert backend.frontier.queue_stale(now=404.0) == 0
    assert backend.frontier.queue_stale(now=405.0) == 1


def test_a_page_that_is_gone_is_told_to_whoever_follows(backend: Backend) -> None:
    add(backend, "a.org/")
    (visit,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(visit, free_at=1.0)
    keep(backend, visit)
    for missing in (0, 1):
        backend.frontier.queue_stale(now=1e9)
        (again,) = backend.frontier.lease(10, now=1e9)
        assert again.known and again.known.missing == missing
        backend.frontier.release(again, free_at=1e9)
        lost = replace(page(again), status=404, body=b"")
        gone = missing == 1
        state = State.MISSING if gone else State.KEPT
        sequences = backend.frontier.finish([Outcome(again, state, page=lost, gone=gone)])
        assert sequences == ([2] if gone else [])
    assert list(backend.pages.after(1)) == [(2, visit.id, None)]
    assert list(backend.pages.after(0)) == [(2, visit.id, None)]  # what it said is read no more
    assert backend.pages.get(visit.id) is None
    assert backend.frontier.queue_stale(now=1e9) == 0


def test_a_page_that_is_lost_is_queued_as_if_it_had_never_been_kept(backend: Backend) -> None:
    add(backend, "a.org/", "b.org/")
    for visit in backend.frontier.lease(10, now=1.0):
        backend.frontier.release(visit, free_at=1.0)
        keep(backend, visit)
    lost = backend.frontier.look_up(normalise("http://a.org/"))
    assert lost and backend.frontier.kept() == 2
    assert backend.frontier.queue_lost([Lost(lost.id, "00001.warc.gz", "was cut off")]) == 1
    assert backend.frontier.counts() == {State.KEPT: 1, State.QUEUED: 1}
    assert backend.frontier.kept() == 1
    record = backend.frontier.look_up(lost.url)
    assert record and (record.state, record.reason) == (State.QUEUED, "was cut off")
    (again,) = backend.frontier.lease(10, now=1e9)
    assert (again.url, again.known) == (lost.url, None)


def test_when_a_page_was_first_missed_is_remembered_until_it_is_there_again(
    backend: Backend,
) -> None:
    add(backend, "a.org/")
    (visit,) = backend.frontier.lease(10, now=1.0)
    backend.frontier.release(visit, free_at=1.0)
    keep(backend, visit)
    seen = []
    for at, status in ((100.0, 404), (200.0, 404), (300.0, 304), (400.0, 404), (500.0, 404)):
        backend.frontier.queue_stale(now=1e9)
        (again,) = backend.frontier.lease(10, now=1e9)
        backend.frontier.release(again, free_at=1e9)
        answer = replace(page(again), status=status, body=b"", fetched_at=at)
        backend.frontier.finish([Outcome(again, State.KEPT, page=answer)])
        assert again.known
        seen.append((again.known.missing, again.known.checked_at))
    assert seen[1:] == [(1, 100.0), (1, 100.0), (0, 300.0), (1, 400.0)]


def test_a_robots_txt_is_kept_by_host_and_replaced(backend: Backend) -> None:
    assert backend.frontier.robots("a.org") is None
    backend.frontier.save_robots("a.org", RobotsFile(5.0, 404, b""))
    backend.frontier.save_robots("a.org", RobotsFile(6.0, 200, b"User-agent: *"))
    add(backend, "a.org/")
    assert backend.frontier.robots("a.org") == RobotsFile(6.0, 200, b"User-agent: *")
    assert backend.frontier.robots("b.org") is None


def test_where_a_content_is_kept_is_known(backend: Backend) -> None:
    add(backend, "a.org/", "b.org/")
    for visit in backend.frontier.lease(10, now=1.0):
        backend.frontier.release(visit, free_at=1.0)
        keep(backend, visit)
    assert sorted(backend.frontier.kept_as(b"digest of hello")) == [url("a.org/"), url("b.org/")]
    assert backend.frontier.kept_as(b"another") == []


def test_a_host_has_no_more_urls_queued_than_its_budget(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "crawl.db", per_host=3)
    frontier.add(Found(url(f"a.org/{n}")) for n in range(5))
    frontier.add([Found(url("b.org/"))])
    assert frontier.counts() == {State.QUEUED: 4, State.OUT_OF_SCOPE: 2}
    frontier.close()
    again = SqliteFrontier(tmp_path / "crawl.db", per_host=3)
    again.add([Found(url("a.org/more"))])
    record = again.look_up(url("a.org/more"))
    assert record and "max_urls_per_host" in record.reason
    again.close()


def test_after_a_restart_every_host_rests_as_long_as_it_did_before(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "crawl.db")
    frontier.add([Found(url("slow.org/1")), Found(url("slow.org/2"))])
    (visit,) = frontier.lease(1, now=0.0)
    frontier.release(visit, free_at=30.0)
    frontier.finish([Outcome(visit, State.MISSING, rest=30.0)])
    frontier.close()
    again = SqliteFrontier(tmp_path / "crawl.db", now=100.0)
    assert again.lease(1, now=129.0) == []
    assert len(again.lease(1, now=130.0)) == 1
    again.close()


def test_a_page_that_is_asked_for_no_more_ends_when_the_clock_says(tmp_path: Path) -> None:
    with closing(SqliteFrontier(tmp_path / "crawl.db", clock=lambda: 7.0)) as frontier:
        frontier.add([Found(url("a.org/"))])
        (visit,) = frontier.lease(1, now=0.0)
        assert frontier.finish([Outcome(visit, State.FORBIDDEN, gone=True)]) == [1]
    with closing(open_to_read(tmp_path / "crawl.db")) as db:
        assert db.execute("select fetched_at from page").fetchall() == [(7.0,)]


def test_urls_of_a_held_job_are_not_handed_out(backend: Backend) -> None:
    frontier = backend.frontier
    frontier.save_job(Job("docs", {"max_depth": 2}))
    frontier.add([Found(url("a.org/1"), job="docs"), Found(url("a.org/2"), seed=True)])
    frontier.hold({"docs"})
    (visit,) = frontier.lease(10, now=1.0)
    assert (visit.url, visit.job) == ("http://a.org/2", "")
    keep(backend, visit)
    frontier.release(visit, free_at=1.0)
    assert frontier.lease(10, now=2.0) == []
    frontier.hold(())
    (visit,) = frontier.lease(10, now=3.0)
    assert (visit.url, visit.job) == ("http://a.org/1", "docs")
    main, docs = frontier.jobs()
    assert (main.seeds, main.kept, main.queued) == ((url("a.org/2"),), 1, 0)
    assert (docs.reach, docs.kept, docs.queued) == ({"max_depth": 2}, 0, 1)
