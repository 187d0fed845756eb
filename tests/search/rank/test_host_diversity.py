"""Host diversity."""

import pytest
from contract.backends import Backend
from hypothesis import given
from hypothesis import strategies as st
from search.corpus import document, hit_ids, index_pages, make_searcher, memory_searcher

from byway.core.model import Query
from byway.core.settings.schema import SearchSettings
from byway.search.rank.ranker import MIN_SCORE_RATIO, diversify_hosts


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
def test_at_most_two_hits_of_one_host_are_consecutive(
    hosts: str, order: str, put_off: list[int]
) -> None:
    new, more = diversify_hosts([ord(host) for host in hosts], [1.0] * len(hosts), 2)
    assert "".join(hosts[n] for n in new) == order
    assert more == put_off


@pytest.mark.parametrize(
    ("hosts", "scores", "order", "put_off"),
    [
        ("aaab", [9, 9, 9, 1], "aaab", [0, 0, 0, 0]),
        ("aaaab", [9, 9, 9, 1, 1], "aaaba", [0, 0, 1, 0, 0]),
        ("aaabb", [9, 9, 9, 8, 1], "aabab", [0, 1, 0, 0, 0]),
    ],
)
def test_a_hit_with_a_low_score_does_not_move_up(
    hosts: str, scores: list[float], order: str, put_off: list[int]
) -> None:
    new, more = diversify_hosts([ord(host) for host in hosts], scores, 2)
    assert "".join(hosts[n] for n in new) == order
    assert more == put_off


scored = st.lists(st.tuples(st.integers(0, 3), st.floats(0, 2)), max_size=60).map(
    lambda hits: sorted(hits, key=lambda hit: -hit[1])
)


@given(scored, st.integers(1, 4))
def test_no_hit_is_lost_and_runs_are_short_while_other_hosts_remain(
    hits: list[tuple[int, float]], in_a_row: int
) -> None:
    hosts, scores = [host for host, _ in hits], [score for _, score in hits]
    order, put_off = diversify_hosts(hosts, scores, in_a_row)
    assert sorted(order) == list(range(len(hosts)))
    assert len(put_off) == len(order)
    for host in set(hosts):  # hits of one host keep their order
        mine = [n for n in order if hosts[n] == host]
        assert mine == sorted(mine)
    for place in range(in_a_row, len(order)):
        row = {hosts[n] for n in order[place - in_a_row : place + 1]}
        if len(row) == 1:  # one too many, so that no other hit is worth it
            others = [scores[n] for n in order[place:] if hosts[n] not in row]
            assert max(others, default=0.0) <= MIN_SCORE_RATIO * scores[order[place]]


def test_hits_of_other_hosts_are_interleaved(backend: Backend) -> None:
    pages = [document(n, "shoes " * (9 - n), host="a.org") for n in range(1, 6)]
    index_pages(backend, *pages, document(9, "shoes and hats", host="b.org"))
    hits = make_searcher(backend).search(Query("shoes")).hits
    assert [hit.id for hit in hits][2] == 9
    assert [hit.more_from_host for hit in hits] == [0, 3, 0, 0, 0, 0]
    alone = make_searcher(backend).search(Query("shoes site:a.org OR site:b.org")).hits
    assert [hit.more_from_host for hit in alone] == [0] * 6


def test_host_diversity_can_be_switched_off() -> None:
    pages = [document(n, "shoes " * (9 - n), host="a.org") for n in range(1, 6)]
    crowd = memory_searcher(
        *pages, document(9, "shoes", host="b.org"), settings=SearchSettings(max_per_host=0)
    )
    assert hit_ids(crowd, "shoes") == [1, 2, 3, 4, 5, 9]
