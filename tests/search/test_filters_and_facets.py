"""Filters, facets, dates, duplicates, `link:` and `related:`."""

import pytest
from contract.backends import Backend
from search.corpus import (
    document,
    filters,
    hit_ids,
    index_pages,
    make_searcher,
    memory_searcher,
    sorted_hit_ids,
)

from byway.core.messages import Diagnosis
from byway.core.model import Document, Query, Url, UrlId
from byway.core.ports import PageLinks
from byway.core.url import normalize, url_hash

SHOES = [
    document(1, "red shoes", published="2020-05-31", language="en"),
    document(2, "red shoes too", host="b.org", published="2024-01-01", language="en"),
    document(3, "rote schuhe red", language="de"),
    document(4, "red shoes", content_type="application/pdf", published="2021-02-03"),
]


def test_selected_filters_narrow_the_query(backend: Backend) -> None:
    index_pages(backend, *SHOES)
    assert sorted_hit_ids(backend, "red") == [1, 2, 3, 4]
    assert sorted_hit_ids(backend, "red", filters=filters("lang:de")) == [3]
    assert sorted_hit_ids(backend, "red", filters=filters("lang:de", "lang:en")) == [1, 2, 3]
    assert sorted_hit_ids(backend, "red", filters=filters("site:b.org", "lang:en")) == [2]
    assert sorted_hit_ids(backend, "red", filters=filters("after:2021", "before:2022")) == [4]
    assert sorted_hit_ids(backend, "", filters=filters("filetype:pdf")) == [4]


def test_facets_are_counted_on_request(backend: Backend) -> None:
    index_pages(backend, *SHOES)
    one = make_searcher(backend)
    assert one.search(Query("red")).facets == {}
    facets = one.search(Query("red", max_hits=1, count_facets=True)).facets
    assert facets["language"] == (("en", 2), ("de", 1))
    assert facets["year"] == (("2020", 1), ("2021", 1), ("2024", 1))
    assert dict(facets["site"]) == {"a.org": 3, "b.org": 1}
    assert dict(facets["type"]) == {"html": 3, "pdf": 1}


def test_sorting_by_date_puts_the_newest_first_and_undated_pages_last(backend: Backend) -> None:
    index_pages(backend, *SHOES)
    assert hit_ids(make_searcher(backend), "red", sort="date") == [2, 4, 1, 3]


LONG = " ".join(f"word{n}" for n in range(200))


def test_facets_do_not_count_duplicates(backend: Backend) -> None:
    index_pages(
        backend,
        document(1, f"red shoes {LONG}", title="red shoes"),
        document(2, f"red shoes {LONG} printed today", host="b.org"),
        document(3, "red shoes"),
    )
    shown = make_searcher(backend).search(Query("red shoes", count_facets=True))
    assert (shown.total, shown.facets["site"]) == (2, (("a.org", 2),))
    every = make_searcher(backend).search(
        Query("red shoes", count_facets=True, include_duplicates=True)
    )
    assert (every.total, dict(every.facets["site"])) == (3, {"a.org": 2, "b.org": 1})


def test_near_duplicates_of_a_better_hit_are_hidden(backend: Backend) -> None:
    index_pages(
        backend,
        document(1, f"red shoes {LONG}", title="red shoes"),
        document(2, f"red shoes {LONG} printed today"),
        document(3, "red shoes"),
    )
    assert sorted_hit_ids(backend, "red shoes") == [1, 3]
    asked = make_searcher(backend).search(Query("red shoes"))
    assert (asked.total, [hit.duplicate_of for hit in asked.hits]) == (2, [None, None])
    every = make_searcher(backend).search(Query("red shoes", include_duplicates=True))
    same = {hit.id: hit.duplicate_of for hit in every.hits}
    assert (every.total, same) == (3, {1: None, 2: "http://a.org/1", 3: None})
    assert make_searcher(backend).explain("red", UrlId(2))
    stands = [make_searcher(backend).find_position("red", UrlId(id)) for id in (1, 2, 3)]
    assert [one.duplicate_of for one in stands] == [None, "http://a.org/1", None]
    assert sorted(one.position for one in stands) == [0, 1, 2] and stands[1].position == 0
    assert {one.total for one in stands} == {2}
    assert [make_searcher(backend).is_searchable(UrlId(id)) for id in (2, 9)] == [True, False]


def test_short_pages_are_hidden_only_as_exact_duplicates(
    backend: Backend,
) -> None:
    said = "a small shop in the old town that mends red shoes"
    index_pages(
        backend,
        document(1, said, title="Home"),
        document(2, said, title="Home"),
        document(3, said, title="About"),
        document(4, f"{said} and boots", title="Home"),
    )
    assert sorted_hit_ids(backend, "red shoes") in ([1, 3, 4], [2, 3, 4])


def test_a_page_is_hidden_if_its_canonical_page_is_a_hit(
    backend: Backend,
) -> None:
    index_pages(
        backend,
        document(1, "red shoes at length", canonical="http://a.org/2"),
        document(2, "some red shoes"),
        document(3, "red red red", canonical="http://a.org/9"),
        document(4, "red hat", canonical="http://b.org/2"),
    )
    assert sorted_hit_ids(backend, "red") == [2, 3, 4]
    assert sorted_hit_ids(backend, "length") == [1]


def test_link_finds_the_pages_that_link_to_a_page(backend: Backend) -> None:
    index_pages(backend, *SHOES)
    hashes = {n: url_hash(f"http://a.org/{n}") for n in (1, 3)}
    backend.index.add(
        SHOES[:2],
        {
            UrlId(1): PageLinks(target_hashes=(hashes[3],)),
            UrlId(2): PageLinks(target_hashes=(hashes[1], hashes[3])),
        },
    )
    backend.index.commit(9)
    for typed in ("a.org/3", "www.a.org/3", "http://a.org/3/", "a.org/3#there", "A.ORG/3"):
        assert sorted_hit_ids(backend, f"link:{typed}") == [1, 2]
    assert sorted_hit_ids(backend, "red link:http://a.org/1") == [2]
    assert sorted_hit_ids(backend, "red -link:a.org/1") == [1, 3, 4]
    assert sorted_hit_ids(backend, "link:nowhere.org") == []


def test_related_finds_similar_pages(backend: Backend) -> None:
    index_pages(
        backend,
        document(1, "PageRank ranks pages of the web by their links", "Ranking"),
        document(2, "links of pages make a graph of the web", "Graph"),
        document(3, "a recipe for soup with onions", "Soup"),
    )
    assert hit_ids(make_searcher(backend), "related:a.org/1")[0] == 2
    assert 1 not in sorted_hit_ids(backend, "related:a.org/1")
    assert sorted_hit_ids(backend, "related:nowhere.org") == []


def test_frequent_words_do_not_make_pages_similar(backend: Backend) -> None:
    usual = "there were many things to see and " * 5
    others = [document(n, f"{usual} nothing{n}") for n in range(10, 40)]
    index_pages(backend, document(1, f"{usual} badgers"), document(2, f"{usual} a badger"), *others)
    assert sorted_hit_ids(backend, "related:a.org/1") == [2]


PAGE = "http://a.org/2"


@pytest.mark.parametrize("typed", [PAGE, "a.org/2", " https://a.org/2 ", "http://A.org/2#top"])
def test_a_url_alone_finds_its_page(backend: Backend, typed: str) -> None:
    index_pages(
        backend, document(1, f"more at {PAGE}"), document(2, "red shoes"), document(3, "hats")
    )
    results = make_searcher(backend).search(Query(typed))
    assert ([hit.id for hit in results.hits], results.partial_match) == ([2], False)
    assert sorted_hit_ids(backend, typed, filters=filters("site:b.org")) == []


def test_a_url_whose_page_is_filtered_out_is_read_as_words(
    backend: Backend,
) -> None:
    index_pages(backend, document(1, f"mehr bei {PAGE}", language="de"), document(2, "red shoes"))
    results = make_searcher(backend).search(Query(PAGE, filters=filters("lang:de")))
    assert ([hit.id for hit in results.hits], results.partial_match) == ([1], False)


def test_an_unknown_url_is_read_as_words(backend: Backend) -> None:
    index_pages(
        backend, document(1, "more at http://b.org/5"), document(2, "red shoes and/or hats")
    )
    assert sorted_hit_ids(backend, "http://b.org/5") == [1]
    assert sorted_hit_ids(backend, "and/or") == [2]


def test_www_makes_no_difference(backend: Backend) -> None:
    index_pages(
        backend, document(1, "shoes", host="shop.org"), document(2, "at www.shop.org or so")
    )
    assert sorted_hit_ids(backend, "www.shop.org") == sorted_hit_ids(backend, "shop.org") == [1, 2]


@pytest.mark.parametrize("typed", ["related:a.org/1", "link:a.org/1", "red related:a.org/9"])
def test_an_empty_index_has_no_similar_pages(backend: Backend, typed: str) -> None:
    assert sorted_hit_ids(backend, typed) == []


def test_a_site_may_be_narrowed_to_a_path(backend: Backend) -> None:
    at = ("http://a.org/guide/start", "http://a.org/start/guide", "http://b.org/guide/start")
    index_pages(
        backend, *(Document(Url(url), UrlId(id), "", "red") for id, url in enumerate(at, 1))
    )
    assert sorted_hit_ids(backend, "red site:a.org/guide/start") == [1]
    assert sorted_hit_ids(backend, "site:http://a.org/guide") == [1, 2]
    assert sorted_hit_ids(backend, "red -site:a.org/guide/start") == [2, 3]
    assert sorted_hit_ids(backend, "site:a.org/start/guide site:b.org") == [2, 3]
    assert sorted_hit_ids(backend, "red", filters=filters("site:a.org/guide/start")) == [1]


def test_a_prefix_may_follow_a_hyphen(backend: Backend) -> None:
    named = [("sql-createtable", "Creating-tables"), ("sql-create-role", "Creating-tags"),
             ("sql-drop", "Creating no tables"), ("createtable", "tables")]  # fmt: skip
    each = enumerate(named, 1)
    index_pages(
        backend,
        *(
            Document(normalize(f"http://a.org/{url}.html"), UrlId(n), title, "text", language="en")
            for n, (url, title) in each
        ),
    )
    assert sorted_hit_ids(backend, "inurl:sql-create*") == [1, 2]
    assert sorted_hit_ids(backend, "intitle:creating-ta*") == [1, 2]
    assert sorted_hit_ids(backend, "creating-tabl*") == [1]
    assert sorted_hit_ids(backend, "-creating-tabl* tables") == [3, 4]


@pytest.mark.parametrize(
    "typed",
    ["-red", '-"red apples"', "-site:a.org", "()", '""', "OR", "NOT", "lang: before:", "(type:)"],
)
def test_a_query_with_nothing_to_match_is_diagnosed_as_empty(typed: str) -> None:
    results = memory_searcher((1, "red apples")).search(Query(typed))
    assert (results.total, results.no_results_reasons) == (0, (Diagnosis("empty_query"),))


@pytest.mark.parametrize("typed", ["zzz", "zzz -red", "lang:xx", "site:b.org", "red -apples"])
def test_a_query_without_hits_is_not_diagnosed_as_empty(typed: str) -> None:
    results = memory_searcher((1, "red apples")).search(Query(typed))
    assert (results.total, Diagnosis("empty_query") in results.no_results_reasons) == (0, False)


def test_an_excluded_group_excludes_only_pages_with_all_its_words(
    backend: Backend,
) -> None:
    index_pages(
        backend,
        document(1, "Das Auto ist ein Tesla aus Berlin, und die Leute sind froh.", language="de"),
        document(2, "Das Auto steht vor dem Haus, in einem Garten bei Licht.", language="de"),
        document(3, "Three Teslas from Berlin.", language="en"),
    )
    assert sorted_hit_ids(backend, "Auto -Teslas") == [2]  # also by its English stem
    assert sorted_hit_ids(backend, "Auto -(Teslas Bremen)") == [1, 2]
    assert sorted_hit_ids(backend, "Auto -(Tesla Berlin)") == [2]
    assert sorted_hit_ids(backend, "Auto -(Haus Garten Licht Tesla)") == [1, 2]
    assert sorted_hit_ids(backend, "Auto -((Haus Garten) OR Bremen)") == [1]
