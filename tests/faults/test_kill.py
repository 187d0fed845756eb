"""Whatever is killed, and whenever: what was acknowledged is there, once."""

import os
import random
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from pace import wait_until
from running import is_alive, query_rows, recorded_pages, run_up
from warcio.archiveiterator import ArchiveIterator

from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.village import Village

KILLS = int(os.environ.get("KILLS", "4"))


@pytest.fixture
def options(village: Village) -> list[str]:
    # Three sites; the shop's filters multiply, which gives the crawl something to do,
    seeds = [village.url(name) for name in ("shop", "encyclopaedia", "manual")]
    # and the delay keeps it at it while it is killed again and again.
    settings = ["--delay", "0.05", "--allow-private", "127.0.0.0/8", "--set", "crawl.max_retries=0"]
    return [*settings, *seeds]


def test_nothing_acknowledged_is_lost_or_doubled_by_kill_9(
    tmp_path: Path, options: list[str]
) -> None:
    before: list[tuple[int, str]] = []
    chance = random.Random(7)
    for _ in range(KILLS):
        with run_up(tmp_path, *options) as run:
            time.sleep(chance.uniform(0.3, 1.6))
            run.kill_all()
        now = recorded_pages(tmp_path)
        assert set(before) <= set(now), "an acknowledged page is gone"
        before = now
    with run_up(tmp_path, *options) as run:
        run.wait_until_indexed()
        assert run.interrupt() == 0
    after = recorded_pages(tmp_path)
    assert set(before) <= set(after)
    assert [url for url, count in Counter(url for _, url in after).items() if count > 1] == []
    _check_folder(tmp_path, len(after))


def test_what_runs_beside_the_crawl_leaves_when_it_is_killed(
    tmp_path: Path, options: list[str]
) -> None:
    with run_up(tmp_path, *options) as run:
        assert wait_until(run.child_pids)
        time.sleep(1.0)
        others = run.kill_parent()
    assert wait_until(lambda: not any(map(is_alive, others)))


def _check_folder(data: Path, pages: int) -> None:
    """crawl.db is sound, its counts are true, and another WARC reader finds every page."""
    with closing(open_to_read(data / "crawl.db")) as db:
        assert query_rows(db, "pragma integrity_check") == [("ok",)]
        counted = dict(
            query_rows(db, "select state, url_count from state_count where url_count != 0")
        )
        assert counted == dict(query_rows(db, "select state, count(*) from url group by state"))
        kept = {url for (url,) in query_rows(db, "select url from url where state = 'kept'")}
    records = [record for path in (data / "pages").glob("*.warc.gz") for record in _targets(path)]
    assert len(records) == pages
    assert kept <= set(records)


def _targets(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [
            record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(file)
        ]
