"""Queries find exactly the matching pages, compared with a scan of all pages.

The scan uses no analyses or indexes: a page has a word if some language of the pages gives the word
the same terms as the text of the page.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from contract.backends import Backend, embedded_backend
from hypothesis import given, settings
from hypothesis import strategies as st
from search.corpus import document, hit_ids, index_pages, make_searcher, sorted_hit_ids

from byway.core.fields import SEARCHED_FIELDS, field_terms, site_filter_values
from byway.core.model import Document, Query, parse_epoch_day
from byway.core.settings.schema import SearchSettings
from byway.core.text import terms
from byway.core.url import host_of
from byway.search.searcher import Searcher

PAGES = (
    document(1, "One red shoe on the shelf, often running low", "Red shoes", language="en"),
    document(2, "On the shelf, of which nothing is red; speed", "The shelf", language="en"),
    document(3, "Low speed and low-speed trains within reach", "Trains", "b.org", language="en"),
    document(4, "They run with their dogs in the low hills", "Dogs", "b.org", language="en"),
    document(5, "On y trouve une chaussure rouge, vraiment", "Chaussures", "c.org", language="fr"),
    document(6, "Sie laufen und running ist Sport; die Häuser", "Läufer", "c.org", language="de"),
    document(7, "running shoes 3.11 C++", "Notes", "b.org"),
    document(8, "Die Häuser am Hang, rote Schuhe", "Häuser", published="2020-05-01", language="de"),
    document(9, "One study; their studies of shoes", published="2024-05-31", language="en"),
    document(11, "On jest z of the shelf, and one", "Dom", "c.org", language="pl"),
    document(12, "L'home on viu, with the often", "Casa", "c.org", language="ca"),
    document(10, "Красные туфли и ёлка, running shoes", "Туфли", language="ru"),
)
WORDS = (
    *("one", "on", "often", "of", "within", "their", "running", "shoes", "red", "low", "die"),
    *("speed", "shelf", "Häuser", "haus", "туфли", "елка", "rouge", "study", "C++", "3.11"),
)
PHRASES = ("running shoes", "on the shelf", "low speed", "red shoe", "die Häuser", "the red")


@dataclass(frozen=True)
class Asked:
    """A query, and the pages that it should find."""

    text: str
    pages: frozenset[int]


def _all() -> frozenset[int]:
    return frozenset(one.id for one in PAGES)


def _has(page: Document, text: str, names: tuple[str, ...]) -> bool:
    each = field_terms(page)
    for language in {one.language for one in PAGES}:
        wanted = terms(text, language)
        for piece in (piece for name in names for piece in each[name]):
            starts = range(len(piece) - len(wanted) + 1)
            if any(piece[n : n + len(wanted)] == wanted for n in starts):
                return True
    return False


def _where(text: str, asked: str, *names: str) -> Asked:
    names = names or SEARCHED_FIELDS
    return Asked(asked, frozenset(one.id for one in PAGES if _has(one, text, names)))


def _leaves() -> Iterator[Asked]:
    for word in WORDS:
        yield _where(word, word)
        yield _where(word, f"intitle:{word}", "title")
    for phrase in PHRASES:
        yield _where(phrase, f'"{phrase}"')
        yield _where(phrase, f'intitle:"{phrase}"', "title")
        yield _where(phrase, f"„{phrase}“")
    for host in ("a.org", "b.org", "org"):
        said = (one.id for one in PAGES if host in site_filter_values(host_of(one.url)))
        yield Asked(f"site:{host}", frozenset(said))
        yield _where(host.partition(".")[0], f"inurl:{host.partition('.')[0]}", "url", "host")
    for language in ("en", "de", "xx"):
        said = (one.id for one in PAGES if one.language == language)
        yield Asked(f"lang:{language}", frozenset(said))
    for day in ("2020", "2020-05", "2020-05-02", "2024-06"):
        known = {one.id: one.epoch_day for one in PAGES if one.epoch_day}
        least = parse_epoch_day(day) or 0
        yield Asked(f"before:{day}", frozenset(id for id, on in known.items() if on < least))
        yield Asked(f"after:{day}", frozenset(id for id, on in known.items() if on >= least))


def _either(sides: tuple[Asked, Asked]) -> Asked:
    one, other = sides
    return Asked(f"({one.text} OR {other.text})", one.pages | other.pages)


def _both(sides: tuple[Asked, Asked]) -> Asked:
    one, other = sides
    return Asked(f"({one.text} AND {other.text})", one.pages & other.pages)


def _not(one: Asked) -> Asked:
    return Asked(f"-{one.text}", _all() - one.pages)


LEAVES = list(_leaves())
parts = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.tuples(inner, inner).map(_either) | st.tuples(inner, inner).map(_both),
    max_leaves=4,
)
queries = st.tuples(parts, st.lists(parts.map(_not), max_size=2))


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    with embedded_backend(Path(tmp_path_factory.mktemp("operators"))) as made:
        index_pages(made, *PAGES)
        yield made


def _is_alternative(text: str) -> bool:
    """Several sites or languages side by side are alternatives, whatever stands between them."""
    return text.count("site:") > 1 or text.count("lang:") > 1


@settings(max_examples=150, deadline=None)
@given(queries)
def test_a_query_finds_exactly_the_matching_pages(
    backend: Backend, asked: tuple[Asked, list[Asked]]
) -> None:
    wanted, unwanted = asked
    text = " ".join([wanted.text, *(one.text for one in unwanted)])
    if _is_alternative(text):
        return
    pages = wanted.pages.intersection(*(one.pages for one in unwanted))
    plain = Searcher(
        SearchSettings(typo_tolerance=False), backend.ports, backend.documents, backend.ranks
    ).search(Query(text, 100, include_duplicates=True, count_facets=True))
    assert {hit.id for hit in plain.hits} == pages
    assert plain.total == len(pages)
    assert sum(count for _, count in plain.facets["type"]) == len(pages)


@pytest.mark.parametrize("one", LEAVES, ids=lambda one: one.text)
def test_each_operator_alone_finds_exactly_the_matching_pages(backend: Backend, one: Asked) -> None:
    if one.pages:
        assert sorted_hit_ids(backend, one.text, include_duplicates=True) == sorted(one.pages)


def test_a_word_is_highlighted_in_the_language_of_the_page(backend: Backend) -> None:
    """`one` is `on` in Polish, and `their` is `the`: no such words are meant in English."""
    for word, page in (("one", 1), ("their", 4), ("often", 1), ("within", 3)):
        hit = next(h for h in make_searcher(backend).search(Query(word)).hits if h.id == page)
        assert {piece.lower() for piece, marked in hit.snippet if marked} == {word}


def test_excluding_a_hyphenated_word_keeps_pages_with_its_parts(backend: Backend) -> None:
    assert sorted_hit_ids(backend, "low -low-speed", include_duplicates=True) == [1, 4]
    assert sorted_hit_ids(backend, "low -(low-speed OR dogs)", include_duplicates=True) == [1]
    assert sorted_hit_ids(backend, "low-speed", include_duplicates=True) == [3]


@pytest.mark.parametrize("slips", [True, False])
def test_an_excluded_prefix_excludes_its_matches(backend: Backend, slips: bool) -> None:
    one = Searcher(
        SearchSettings(typo_tolerance=slips), backend.ports, backend.documents, backend.ranks
    )
    assert hit_ids(one, "studie*") == [9]
    assert 9 in hit_ids(one, "one")
    assert {*hit_ids(one, "one -studie*")} == {*hit_ids(one, "one")} - {9}
    assert {*hit_ids(one, "one -(studie* OR shelf)")} == {*hit_ids(one, "one -shelf")} - {9}


def test_a_phrase_finds_pages_without_a_language(tmp_path: Path) -> None:
    with embedded_backend(tmp_path) as made:
        index_pages(
            made,
            document(1, "Die Häuser am Hang", language="de"),
            document(2, "running shoes"),
            document(3, "run shoe", language="de"),
        )
        assert sorted_hit_ids(made, '"running shoes"') == [2]
        assert sorted_hit_ids(made, '"Häuser am"') == [1]
        assert sorted_hit_ids(made, "-running (run OR shoes OR Hang)") == [1]
