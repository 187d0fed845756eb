"""Personal boosts and blocked hosts."""

import pytest
from contract.backends import Backend
from search.corpus import document, hit_ids, index_pages, make_searcher

from byway.core.messages import Message
from byway.core.model import Boost, Query

MORE = Boost(1.5, Message("signals.personal_more", share="+50"))
LESS = Boost(0.5, Message("signals.personal_less", share="−50"))
NONE = Boost(0.0, Message("signals.personal_blocked"))
#: Every page says the same of foxes but for a word, the shorter the better.
FOXES = [
    document(1, "the red fox", host="a.org"),
    document(2, "the red fox runs", host="b.org"),
    document(3, "the red fox runs and runs on", host="c.org"),
    document(4, "the red fox runs and runs and runs", host="sub.a.org"),
]


@pytest.fixture
def foxes(backend: Backend) -> Backend:
    index_pages(backend, *FOXES)
    return backend


def test_boosts_change_only_the_order_of_their_user(foxes: Backend) -> None:
    found = make_searcher(foxes)
    before = hit_ids(found, "red fox", include_duplicates=True)
    assert before[0] == 1
    mine = hit_ids(found, "red fox", include_duplicates=True, boosts={"c.org": MORE, "a.org": LESS})
    assert mine[0] == 3
    assert mine[-1] == 1
    assert hit_ids(found, "red fox", include_duplicates=True) == before


def test_a_boost_is_a_signal_and_the_score_is_the_sum(foxes: Backend) -> None:
    boosts = {"c.org": MORE, "a.org": LESS}
    hits = (
        make_searcher(foxes).search(Query("red fox", include_duplicates=True, boosts=boosts)).hits
    )
    for hit in hits:
        assert hit.score == pytest.approx(sum(signal.score for signal in hit.signals))
    (personal,) = [signal for signal in hits[0].signals if signal.name == "personal"]
    assert (personal.message, personal.weight) == (MORE.reason, 0.5)
    plain = next(hit for hit in hits if hit.url.startswith("http://b.org"))
    assert "personal" not in [signal.name for signal in plain.signals]


def test_a_boost_adds_no_pages(foxes: Backend) -> None:
    assert hit_ids(make_searcher(foxes), "hedgehog", boosts={"c.org": MORE}) == []


def test_a_boost_applies_with_and_without_www(backend: Backend) -> None:
    index_pages(
        backend, document(1, "red fox", host="a.org"), document(2, "red fox ran", host="www.b.org")
    )
    mine = hit_ids(
        make_searcher(backend), "red fox", include_duplicates=True, boosts={"b.org": MORE}
    )
    assert mine == [2, 1]


def test_blocked_sites_are_excluded_and_counted(foxes: Backend) -> None:
    blocked = {"a.org": NONE, "nothing.org": NONE}
    results = make_searcher(foxes).search(
        Query("red fox", include_duplicates=True, boosts=blocked, count_facets=True)
    )
    assert sorted(hit.id for hit in results.hits) == [2, 3]
    assert results.total == 2
    assert dict(results.facets["site"]) == {"b.org": 1, "c.org": 1}
    assert results.blocked_sites == 1


def test_blocked_sites_without_hits_are_not_counted(foxes: Backend) -> None:
    assert make_searcher(foxes).search(Query("red fox", boosts={"no.org": NONE})).blocked_sites == 0
    assert make_searcher(foxes).search(Query("red fox")).blocked_sites == 0


def test_a_site_filter_does_not_unblock_a_site(foxes: Backend) -> None:
    results = make_searcher(foxes).search(Query("red fox site:b.org", boosts={"b.org": NONE}))
    assert (results.hits, results.total, results.blocked_sites) == ((), 0, 1)
