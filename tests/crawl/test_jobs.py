"""Several crawls in one folder: each keeps to its own scope and budget, and can be paused alone."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from cli.runner import byway, error_line
from crawl.crowd import ManyHostServer
from pace import WAIT_TIMEOUT_SECONDS, wait_until

from byway.app.engine import Engine
from byway.core.messages import t, text
from byway.core.model import Job
from byway.core.settings.schema import CrawlSettings, Settings
from byway.core.url import host_of, normalize
from byway.storage.sqlite.crawl_db.schema import open_to_write
from byway.storage.sqlite.storage import SqliteStorage


@pytest.fixture
def crowd() -> Iterator[ManyHostServer]:
    with ManyHostServer(hosts=2, addresses=2, pages=10, seconds=0.0) as made:
        yield made


def engine_in(path: Path, delay: float = 0.0) -> Engine:
    crawl = CrawlSettings(delay=delay, allow_private=("127.0.0.0/8",), sitemaps=False)
    return Engine(path, Settings(crawl=crawl))


def crawl(engine: Engine, url: str = "", job: Job | None = None) -> str:
    named = [normalize(url)] if url else []
    return text(asyncio.run(engine.crawl(named, lambda crawler: None, job=job)).end_reason)


def kept(engine: Engine) -> dict[str, int]:
    with engine.search_session() as reading:
        return {job.name: job.kept_pages for job in reading.catalog.jobs()}


def asked(crowd: ManyHostServer, url: str) -> int:
    return sum(one.host == host_of(normalize(url)) and one.path[1:].isdigit() for one in crowd.log)


def test_each_job_keeps_to_its_own_reach(crowd: ManyHostServer, tmp_path: Path) -> None:
    engine = engine_in(tmp_path)
    one, two = crowd.urls
    crawl(engine, one, Job("shallow", {"max_depth": 0}))
    crawl(engine, two, Job("few", {"path_pattern": "^/[123]$"}))
    assert kept(engine) == {"": 0, "shallow": 1, "few": 4}
    assert asked(crowd, one) == 0
    assert asked(crowd, two) == 3


def test_a_job_has_no_more_pages_than_it_may(crowd: ManyHostServer, tmp_path: Path) -> None:
    engine = engine_in(tmp_path)
    ended = crawl(engine, crowd.urls[0], Job("small", {"max_pages": 4}))
    assert kept(engine)["small"] == 4
    assert ended == "reached the page limit of small, with 6 URLs still queued"
    crawl(engine, job=Job("small", {"max_pages": 6}))
    assert kept(engine)["small"] == 6
    ended = crawl(engine, crowd.urls[1], Job("other", {"max_pages": 3}))
    assert ended.startswith("reached the page limit of other, ")


def test_a_crawl_without_a_job_goes_on_with_all_of_them(
    crowd: ManyHostServer, tmp_path: Path
) -> None:
    engine = engine_in(tmp_path)
    one, two = crowd.urls
    crawl(engine, one, Job("one", {"max_pages": 2}))
    crawl(engine, two, Job("two", {"max_pages": 2}))
    for name in ("one", "two"):
        with closing(open_to_write(SqliteStorage(engine.storage.path).crawl_db)) as db:
            db.execute("update job set overrides = '{}' where name = ?", (name,))
    crawl(engine)
    assert kept(engine) == {"": 0, "one": 10, "two": 10}


def test_a_paused_job_holds_still_while_the_others_go_on(
    crowd: ManyHostServer, tmp_path: Path
) -> None:
    engine = engine_in(tmp_path, delay=0.05)
    one, two = crowd.urls
    crawl(engine, one, Job("one", {"max_pages": 2}))
    crawl(engine, two, Job("two", {"max_pages": 2}))
    with closing(open_to_write(SqliteStorage(engine.storage.path).crawl_db)) as db:
        db.execute("update job set overrides = '{}'")
    engine.storage.set_paused(True, "one")
    before = asked(crowd, one)
    thread = threading.Thread(target=crawl, args=(engine,))
    thread.start()
    wait_until(lambda: asked(crowd, two) == 9)
    assert (asked(crowd, one), asked(crowd, two)) == (before, 9)
    assert thread.is_alive(), "it waits for the paused job"
    engine.storage.set_paused(False, "one")
    thread.join(WAIT_TIMEOUT_SECONDS)
    assert kept(engine) == {"": 0, "one": 10, "two": 10}


def test_what_a_job_was_given_is_remembered(crowd: ManyHostServer, tmp_path: Path) -> None:
    local = ("--allow-private", "127.0.0.0/8", "--delay", 0, "--data", tmp_path)
    assert (
        byway("crawl", "--job", "few", crowd.urls[0], "-c", 3, "-P", "^/[12]", *local).exit_code
        == 0
    )
    listed = byway("jobs", "--data", tmp_path)
    assert "max_pages=3, path_pattern=^/[12]" in listed.stdout.replace("\n", "")
    assert "max_pages" not in byway("jobs", "--data", tmp_path, "--json").stdout.split("few")[0]
    assert byway("pause", "--job", "few", "--data", tmp_path).exit_code == 0
    assert "few, paused" in byway("jobs", "--data", tmp_path).stdout
    byway("pause", "--data", tmp_path)
    assert byway("jobs", "--data", tmp_path).stdout.startswith(
        "All jobs are paused. Resume them with `byway resume"
    )
    assert byway("jobs", "--json", "--data", tmp_path).stdout.count('"paused": true') == 2
    assert byway("resume", "--job", "few", "--data", tmp_path).exit_code == 0
    traced = byway("trace", crowd.urls[0] + "9", "--data", tmp_path)
    assert "few: its path does not match crawl.path_pattern" in traced.stdout


def test_a_job_that_cannot_be_is_one_line(crowd: ManyHostServer, tmp_path: Path) -> None:
    said = error_line("crawl", "--job", "../x", crowd.urls[0], "--data", tmp_path, exit_code=2)
    assert said == t("error.crawl.bad_job_name", name="../x")
    engine_in(tmp_path).create()
    said = error_line("pause", "--job", "docs", "--data", tmp_path, exit_code=2)
    assert said == t("error.app.no_jobs", name="docs", data=tmp_path)


def test_seeing_a_job_again_leaves_the_others_and_its_limit_alone(
    crowd: ManyHostServer, tmp_path: Path
) -> None:
    local = ("--allow-private", "127.0.0.0/8", "--delay", 0, "--data", tmp_path)
    one, two = crowd.urls
    assert byway("crawl", "--job", "one", one, "--pages", 4, *local).exit_code == 0
    assert byway("crawl", "--job", "two", two, *local).exit_code == 0
    before = kept(engine_in(tmp_path))
    assert "4 unchanged" in byway("crawl", "--recrawl-all", "--job", "one", *local).stdout
    assert kept(engine_in(tmp_path)) == before == {"": 0, "one": 4, "two": 10}


def test_pages_are_seen_again_though_a_crawl_has_all_it_may_have(
    crowd: ManyHostServer, tmp_path: Path
) -> None:
    local = ("--allow-private", "127.0.0.0/8", "--delay", 0, "--data", tmp_path)
    assert byway("crawl", crowd.urls[0], "--pages", 4, *local).exit_code == 0
    said = byway("crawl", "--recrawl-all", "--pages", 4, *local).stdout
    assert "4 unchanged" in said and "4 kept in total" in said
    assert kept(engine_in(tmp_path)) == {"": 4}


def test_a_job_that_nobody_has_begun_is_not_made_by_a_slip(
    tmp_path: Path, crowd: ManyHostServer
) -> None:
    local = ("--allow-private", "127.0.0.0/8", "--delay", 0, "--data", tmp_path)
    assert byway("crawl", "--job", "docs", crowd.urls[0], "--pages", 1, *local).exit_code == 0
    said = error_line("crawl", "--job", "dosc", *local, exit_code=2)
    assert said == t("error.app.unknown_job", name="dosc", data=tmp_path, jobs=["docs"])
