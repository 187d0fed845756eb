"""What every crawl control must do."""

import os
import threading

import pytest

from byway.core.errors import DataLockedError
from byway.core.messages import NO_REASON, Reason
from byway.core.ports import CrawlControl, Storage

WAIT = Reason("no_answer", seconds=3)


@pytest.fixture
def control(storage: Storage) -> CrawlControl:
    return storage


def test_a_second_writer_is_refused(control: CrawlControl) -> None:
    with control.write_lock("crawl"):
        assert control.is_locked("crawl") and not control.is_locked("index")
        assert control.writer_pid("crawl") == control.crawler_pid() == os.getpid()
        with pytest.raises(DataLockedError), control.write_lock("crawl"):
            pass
        with pytest.raises(DataLockedError):
            control.require_unlocked("index", "crawl")
        with pytest.raises(DataLockedError):
            control.require_no_crawl()
    assert control.writer_pid("crawl") is None
    control.require_no_crawl()
    control.require_unlocked("crawl", "index")


def test_a_lock_is_free_after_an_error(control: CrawlControl) -> None:
    with pytest.raises(ZeroDivisionError), control.write_lock("index"):
        1 / 0  # noqa: B018
    with control.write_lock("index"):
        pass


def test_a_rebuild_holds_both_locks_and_is_no_crawl(control: CrawlControl) -> None:
    with control.write_lock("index"), control.write_lock("crawl"):
        assert control.crawler_pid() is None
        assert control.writer_pid("crawl") == os.getpid()


def test_of_many_threads_one_gets_the_lock(control: CrawlControl) -> None:
    taken: list[int] = []
    start, done = threading.Barrier(4), threading.Barrier(4)

    def take() -> None:
        start.wait()
        try:
            with control.write_lock("crawl"):
                taken.append(1)
                done.wait()
        except DataLockedError:
            done.wait()

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 1


def test_the_crawl_and_its_jobs_are_paused_apart(control: CrawlControl) -> None:
    control.set_paused(True, "shops")
    assert (control.is_paused(), control.is_paused("shops")) == (False, True)
    assert control.paused_jobs() == {"shops"}
    control.set_paused(True)
    control.set_paused(False, "shops")
    control.set_paused(False, "shops")
    assert (control.is_paused(), control.paused_jobs()) == (True, frozenset())


def test_what_a_crawl_waits_for_is_known_while_it_runs(control: CrawlControl) -> None:
    with control.write_lock("crawl"):
        assert control.crawl_wait() is None
        control.set_crawl_wait(WAIT, 100.0)
        assert control.crawl_wait() == (WAIT, 100.0)
        control.set_crawl_wait(NO_REASON, 0.0)
        assert control.crawl_wait() is None
        control.set_crawl_wait(WAIT, 100.0)
    assert control.crawl_wait() is None
