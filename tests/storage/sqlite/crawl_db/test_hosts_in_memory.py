"""However many hosts there are, only so many are in memory, and each has its turn."""

from collections import Counter
from contextlib import closing
from pathlib import Path

from byway.core.model import DiscoveredUrl, FrontierOptions, Outcome, UrlState
from byway.core.url import normalize
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier

HOSTS, MOST, URLS = 700, 100, 2
OPTIONS = FrontierOptions(max_hosts_in_memory=MOST, clock=float)


def test_every_host_has_its_turn_though_few_are_in_memory(tmp_path: Path) -> None:
    names = [f"http://h{n}.org/{path}" for n in range(HOSTS) for path in range(URLS)]
    with closing(SqliteFrontier(tmp_path / "crawl.db", OPTIONS)) as frontier:
        frontier.add(DiscoveredUrl(normalize(name)) for name in names)
        visited: Counter[str] = Counter()
        now = 0.0
        while frontier.next_lease_at() is not None:
            now += 1.0
            for visit in frontier.lease(64, now):
                assert frontier.hosts_in_memory <= MOST
                visited[visit.url] += 1
                frontier.release(visit, now + 0.5)
                frontier.finish([Outcome(visit, UrlState.MISSING, host_delay=0.5)])
        assert visited == Counter(names)
        assert frontier.state_counts() == {UrlState.MISSING: HOSTS * URLS}


def test_a_host_on_disk_is_taken_in_when_the_crawl_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    with closing(SqliteFrontier(path, OPTIONS)) as frontier:
        frontier.add(DiscoveredUrl(normalize(f"http://h{n}.org/")) for n in range(HOSTS))
    with closing(SqliteFrontier(path, OPTIONS)) as frontier:
        seen = set()
        while visits := frontier.lease(1000, 1.0):
            seen |= {visit.url for visit in visits}
            for visit in visits:
                frontier.release(visit, 1.0)
            frontier.finish([Outcome(visit, UrlState.MISSING) for visit in visits])
        assert len(seen) == HOSTS
