"""What all process states must do."""

import os
import threading

import pytest

from byway.core.model import ProcessState, RunState
from byway.core.ports import Storage

CRAWL = ProcessState("crawl", RunState.RUNNING, 12, 1.5, 3, -9)
INDEXER = ProcessState("indexer", RunState.ENDED, exit_code=0)
WEB = ProcessState("web", RunState.RESTARTING)


def test_nothing_is_running_at_first(storage: Storage) -> None:
    states = storage.process_states()
    assert states.read() == () and list(states.read_by_publisher()) == []
    with states.publisher():
        assert states.read() == ()


def test_states_of_all_publishers_are_read_by_name(storage: Storage) -> None:
    states, reader = storage.process_states(), storage.process_states()
    with states.publisher() as first, states.publisher() as second:
        first([WEB, INDEXER])
        second([CRAWL])
        assert reader.read() == (CRAWL, INDEXER, WEB)


def test_each_publisher_is_known_by_its_process_id(storage: Storage) -> None:
    states = storage.process_states()
    with states.publisher() as first, states.publisher() as second:
        first([WEB, INDEXER])
        second([CRAWL])
        published = [(pid, list(each)) for pid, each in states.read_by_publisher()]
    assert sorted(published, key=lambda item: item[1][0].name) == [
        (os.getpid(), [CRAWL]),
        (os.getpid(), [WEB, INDEXER]),
    ]


def test_new_states_replace_those_of_the_same_publisher(storage: Storage) -> None:
    states = storage.process_states()
    with states.publisher() as first, states.publisher() as second:
        second([CRAWL])
        first([WEB])
        first([INDEXER])
        assert states.read() == (CRAWL, INDEXER)
        first([])
        assert states.read() == (CRAWL,)


def test_states_end_with_their_publisher(storage: Storage) -> None:
    states = storage.process_states()
    with states.publisher() as outer:
        outer([CRAWL])
        with pytest.raises(ZeroDivisionError), states.publisher() as inner:
            inner([WEB])
            1 / 0  # noqa: B018
        assert states.read() == (CRAWL,)
    assert states.read() == ()


def test_a_list_that_changes_later_changes_nothing(storage: Storage) -> None:
    states, published = storage.process_states(), [CRAWL]
    with states.publisher() as publish:
        publish(published)
        published.append(WEB)
        assert states.read() == (CRAWL,)


def test_states_are_read_while_others_publish(storage: Storage) -> None:
    states = storage.process_states()

    def publish_often() -> None:
        for number in range(50):
            with states.publisher() as publish:
                publish([ProcessState("web", restarts=number)])

    thread = threading.Thread(target=publish_often)
    thread.start()
    while thread.is_alive():
        assert {state.name for state in states.read()} <= {"web"}
    thread.join()
    assert states.read() == ()
