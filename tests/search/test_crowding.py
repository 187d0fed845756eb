"""Does one host crowd out the others?"""

from itertools import groupby

import pytest
from contract.backends import Backend
from hypothesis import given
from hypothesis import strategies as st
from search.making import document, ids, in_memory, keep, searcher

from byway.model import Query
from byway.search.crowding import spread
from byway.settings import SearchSettings


@pytest.mark.parametrize(
    ("hosts", "order", "put_off"),
    [
        ("", "", []),
        ("aaa", "aaa", [0, 0, 0]),
        ("aab", "aab", [0, 0, 0]),
        ("aaab", "aaba", [0, 1, 0, 0]),
        ("aaaaab", "aabaaa", [0, 3, 0, 0, 0, 0]),
        ("aaabaaab", "aabaabaa", [0, 1, 0, 0, 2, 0, 0, 0]),
        ("abab", "abab", [0, 0, 0, 0]),
    ],
)
def test_no_more_than_two_of_one_host_stand_in_a_row(
    hosts: str, order: str, put_off: list[int]
) -> None:
    new, more = spread([ord(host) for host in hosts], 2)
    assert "".join(hosts[n] for n in new) == order
    assert more == put_off


@given(st.lists(st.integers(0, 3), max_size=60), st.integers(1, 4))
def test_nothing_is_lost_and_rows_are_short_while_there_are_others(
    hosts: list[int], in_a_row: int
) -> None:
    order, put_off = spread(hosts, in_a_row)
    assert sorted(order) == list(range(len(hosts)))
    assert len(put_off) == len(order)
    for host in set(hosts):  # hits of one host keep their order
        mine = [n for n in order if hosts[n] == host]
        assert mine == sorted(mine)
    runs = [(host, len(list(run))) for host, run in groupby(hosts[n] for n in order)]
    assert all(size <= in_a_row for _, size in runs[:-1])


def test_other_hosts_come_in_between(backend: Backend) -> None:
    pages = [document(n, "shoes " * (9 - n), host="a.org") for n in range(1, 6)]
    keep(backend, *pages, document(9, "shoes and hats", host="b.org"))
    hits = searcher(backend).search(Query("shoes")).hits
    assert [hit.id for hit in hits][2] == 9
    assert [hit.more for hit in hits] == [0, 3, 0, 0, 0, 0]
    alone = searcher(backend).search(Query("shoes site:a.org OR site:b.org")).hits
    assert [hit.more for hit in alone] == [0] * 6


def test_crowds_can_be_let_stand() -> None:
    pages = [document(n, "shoes " * (9 - n), host="a.org") for n in range(1, 6)]
    crowd = in_memory(
        *pages, document(9, "shoes", host="b.org"), settings=SearchSettings(in_a_row=0)
    )
    assert ids(crowd, "shoes") == [1, 2, 3, 4, 5, 9]
