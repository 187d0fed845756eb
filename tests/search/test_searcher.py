"""Searcher: from a query to results."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest
from contract.backends import BACKENDS, Backend
from hypothesis import given, settings
from hypothesis import strategies as st

from byway.core.errors import SettingsError
from byway.core.model import Document, Query, UrlId
from byway.core.model.document import pack
from byway.core.ports import DocumentStore, Ranks, SearchIndex
from byway.core.settings.schema import SearchSettings
from byway.core.url import normalize
from byway.search.rank.position_features import position_features
from byway.search.rank.ranker import MAX_PAGED_HITS
from byway.search.searcher import Searcher
from byway.storage.memory.documents import MemoryDocumentStore
from byway.storage.memory.search_index import MemorySearchIndex
from byway.storage.memory.storage import MemoryRankStore

TEN = SearchSettings(max_candidates=10)


def document(id: int, text: str, title: str = "", **more: Any) -> Document:
    return Document(normalize(f"http://a.org/{id}"), UrlId(id), title, text, **more)


def keep(documents: DocumentStore, index: SearchIndex, *kept: Document) -> None:
    documents.put((one.id, one.id, pack(one)) for one in kept)
    index.add(kept)
    index.commit(len(kept))


def searcher(backend: Backend, settings: SearchSettings = TEN) -> Searcher:
    return Searcher(settings, backend.ports, backend.documents, backend.ranks)


def in_memory(*kept: Document, settings: SearchSettings = TEN) -> Searcher:
    documents, index, ranks = (
        MemoryDocumentStore(),
        MemorySearchIndex(position_features),
        MemoryRankStore(),
    )
    keep(documents, index, *kept)
    return Searcher(settings, index.ports, documents, ranks)


def ids(found: Searcher, text: str, limit: int = 10, offset: int = 0) -> list[int]:
    return [hit.id for hit in found.search(Query(text, limit, offset)).hits]


def test_a_hit_has_the_page_and_its_signals(backend: Backend) -> None:
    whole = document(
        1, "We sell red shoes.", "Shop", language="en", published="2024-05-31", description="x"
    )
    keep(backend.documents, backend.index, whole, document(2, "hats"))
    results = searcher(backend).search(Query("red shoes"))
    assert results.total == 1
    (hit,) = results.hits
    assert (hit.url, hit.id, hit.title) == (whole.url, 1, "Shop")
    assert (hit.language, hit.published, hit.content_type) == ("en", "2024-05-31", "text/html")
    assert [text for text, marked in hit.snippet if marked] == ["red", "shoes"]
    assert sum(signal.score for signal in hit.signals) == pytest.approx(hit.score)


def test_adjacent_words_and_title_matches_rank_first(backend: Backend) -> None:
    keep(
        backend.documents,
        backend.index,
        document(1, "red " + "hats and coats and gloves " * 5 + "shoes"),
        document(2, "hats and coats and gloves " * 5 + "red shoes"),
        document(3, "hats and coats and gloves " * 5 + "red shoes", "Red shoes"),
    )
    assert ids(searcher(backend), "red shoes") == [3, 2, 1]


def test_new_ranks_take_effect_at_once(backend: Backend) -> None:
    keep(backend.documents, backend.index, *(document(n, "red shoes") for n in (1, 2, 3)))
    found = searcher(backend)
    before = ids(found, "shoes")
    assert sorted(before) == [1, 2, 3]
    ranks = np.array([0, 1, 1, 50], np.float32)
    backend.ranks.save(Ranks(ranks, np.ones(4, np.float32)))
    assert ids(found, "shoes") == [3, *(id for id in before if id != 3)]


def test_a_signal_can_be_switched_off(backend: Backend) -> None:
    keep(backend.documents, backend.index, *(document(n, "red shoes") for n in (1, 2, 3)))
    quiet = SearchSettings(weights={"pagerank": 0})
    without_ranks = ids(searcher(backend, quiet), "shoes")
    for id in (1, 2, 3):
        ranks = np.ones(4, np.float32)
        ranks[id] = 50
        backend.ranks.save(Ranks(ranks, np.ones(4, np.float32)))
        assert ids(searcher(backend), "shoes")[0] == id
        assert ids(searcher(backend, quiet), "shoes") == without_ranks


def test_an_unknown_signal_is_refused_before_the_first_search() -> None:
    with pytest.raises(SettingsError) as refused:
        in_memory(settings=SearchSettings(weights={"page_rank": 1}))
    assert refused.value.code == "search.unknown_signal"


@pytest.mark.parametrize("query", ["shoes", "red shoes", '"red shoes" -blue', "site:a.org shoes"])
def test_an_explanation_equals_the_signals_of_the_hit(backend: Backend, query: str) -> None:
    texts = ["red shoes", "red shoes and red hats", "shoes of red", "blue shoes", "red shoes " * 9]
    keep(backend.documents, backend.index, *(document(n, t) for n, t in enumerate(texts, 1)))
    backend.ranks.save(Ranks(np.arange(6, dtype=np.float32), np.ones(6, np.float32)))
    found = searcher(backend)
    hits = found.search(Query(query)).hits
    assert hits
    for hit in hits:
        explained = [signal for signal in found.explain(query, hit.id) if signal.weight]
        assert [signal.name for signal in explained] == [signal.name for signal in hit.signals]
        said = [signal.score for signal in hit.signals]
        assert [signal.score for signal in explained] == pytest.approx(said)
    assert found.explain("hats", UrlId(1)) == found.explain(query, UrlId(99)) == ()


@pytest.mark.parametrize("query", ["", "-shoes", '"', "(" * 5900, "hats", "site:b.org shoes"])
def test_a_query_without_matches_has_no_hits(backend: Backend, query: str) -> None:
    keep(backend.documents, backend.index, document(1, "red shoes"))
    results = searcher(backend).search(Query(query))
    assert (results.hits, results.total) == ((), 0)


def test_an_empty_index_has_no_hits(backend: Backend) -> None:
    assert searcher(backend).search(Query("shoes")).hits == ()
    assert searcher(backend).explain("shoes", UrlId(1)) == ()


def test_a_site_alone_lists_its_pages(backend: Backend) -> None:
    keep(backend.documents, backend.index, document(1, "shoes"), document(2, "hats"))
    assert sorted(ids(searcher(backend), "site:a.org")) == [1, 2]


def test_a_page_removed_meanwhile_is_skipped() -> None:
    documents, index = MemoryDocumentStore(), MemorySearchIndex(position_features)
    keep(documents, index, document(1, "shoes"), document(2, "shoes"))
    documents.put([(3, UrlId(1), b"")])
    found = Searcher(TEN, index.ports, documents, MemoryRankStore())
    assert ids(found, "shoes") == [2]


def test_a_page_without_a_title_is_titled_by_its_url() -> None:
    (hit,) = in_memory(document(1, "shoes")).search(Query("shoes")).hits
    assert hit.title == "http://a.org/1"


def test_the_snippet_is_the_description_if_the_text_has_no_match() -> None:
    page = document(1, "hats and coats", "Red shoes", description="The best red shoes.")
    (hit,) = in_memory(page).search(Query("red shoes")).hits
    assert "".join(text for text, _ in hit.snippet) == "The best red shoes."


def test_stage_seconds_use_the_given_clock() -> None:
    ticks = count(10.0, 0.5)
    documents, index = MemoryDocumentStore(), MemorySearchIndex(position_features)
    found = Searcher(TEN, index.ports, documents, MemoryRankStore(), lambda: next(ticks))
    results = found.search(Query("shoes", count_facets=True))
    assert results.seconds == 2.5
    assert results.stage_seconds == dict.fromkeys(
        ("understand", "retrieve", "rank", "show", "count"), 0.5
    )


# Page after page of results.

MANY = 60


def page_after_page(found: Searcher, limits: list[int]) -> list[int]:
    """The ids on as many pages as there are limits, and then on pages of ten."""
    seen: list[int] = []
    for limit in [*limits, *[10] * MANY]:
        page = ids(found, "shoes", limit, len(seen))
        if not page:
            return seen
        seen += page
    return seen


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    """Many pages, most of them alike, on disk."""
    make: Any = BACKENDS["embedded"]
    with make(tmp_path_factory.mktemp("crowded")) as backend:
        texts = ["shoes " * (1 + n % 4) + "hats " * (n % 3) for n in range(MANY)]
        for first in range(0, MANY, 20):  # several segments, as crawls leave them
            some = enumerate(texts[first : first + 20], first + 1)
            keep(backend.documents, backend.index, *(document(n, text) for n, text in some))
        ranks = np.array([(7 * n) % 13 for n in range(MANY + 1)], np.float32)
        backend.ranks.save(Ranks(ranks, ranks))
        yield backend


@given(st.lists(st.integers(1, 25), max_size=8), st.integers(10, 40))
@settings(max_examples=30, deadline=None)
def test_paging_shows_each_hit_once(crowded: Backend, limits: list[int], candidates: int) -> None:
    found = searcher(crowded, SearchSettings(max_candidates=candidates))
    seen = page_after_page(found, limits)
    assert sorted(seen) == list(range(1, MANY + 1))
    assert seen == ids(found, "shoes", MANY)


COPIES = MANY // 2
SAID = 3


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    """Pages of which the best half say no more than a few things, again and again."""
    make: Any = BACKENDS["embedded"]
    with make(tmp_path_factory.mktemp("copied")) as backend:
        about = [n % SAID if n < COPIES else n for n in range(MANY)]
        said = [" ".join(f"word{one}x{n}" for n in range(60)) for one in about]
        texts = [f"{'shoes ' * (5 if n < COPIES else 1)}{text}" for n, text in enumerate(said)]
        pages = (document(n, text) for n, text in enumerate(texts, 1))
        keep(backend.documents, backend.index, *pages)
        yield backend


@given(st.lists(st.integers(1, 25), max_size=8), st.integers(10, 40))
@settings(max_examples=30, deadline=None)
def test_pages_are_full_despite_hidden_duplicates(
    copied: Backend, limits: list[int], candidates: int
) -> None:
    found = searcher(copied, SearchSettings(max_candidates=candidates))
    seen = page_after_page(found, limits)
    assert len(seen) == len(set(seen)) == SAID + MANY - COPIES
    assert seen == ids(found, "shoes", MANY)
    assert len(ids(found, "shoes", 10)) == 10


def test_the_total_is_an_estimate_until_all_matches_are_candidates(copied: Backend) -> None:
    some, all_of_them = SearchSettings(max_candidates=10), SearchSettings(max_candidates=MANY)
    near = searcher(copied, some).search(Query("shoes", 2))
    assert near.total_is_estimate
    assert near.total > SAID + MANY - COPIES
    exact = searcher(copied, all_of_them).search(Query("shoes"))
    assert (exact.total_is_estimate, exact.total) == (False, SAID + MANY - COPIES)
    every = searcher(copied, some).search(Query("shoes", include_duplicates=True))
    assert (every.total_is_estimate, every.total) == (False, MANY)


def test_paging_ends_at_the_deepest_page() -> None:
    found = in_memory(*(document(n, "shoes") for n in range(1, MAX_PAGED_HITS + 50)))
    assert len(ids(found, "shoes", 100, MAX_PAGED_HITS - 30)) == 30
    assert ids(found, "shoes", 100, MAX_PAGED_HITS) == []
    assert found.search(Query("shoes", 10, MAX_PAGED_HITS)).total == MAX_PAGED_HITS + 49
