"""Which pages does the index have once more, by language?"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from byway.core.model import Document, UrlId
from byway.core.settings.schema import IndexSettings
from byway.core.url import normalize
from byway.index.language_terms import (
    MIN_PAGES_FOR_MAJORITY,
    LanguageTagPolicy,
    language_tagged_terms,
)
from byway.index.tantivy_index import TantivyIndex
from byway.search.query.parser import CollectionInfo, parse

GERMAN = range(1, 2 * MIN_PAGES_FOR_MAJORITY)
ENGLISH = range(1000, 1000 + 4 * MIN_PAGES_FOR_MAJORITY)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[TantivyIndex]:
    index = TantivyIndex(tmp_path, IndexSettings())
    yield index
    index.close()


def page(number: int, language: str, text: str) -> Document:
    url = normalize(f"http://a.org/{number}")
    return Document(url, UrlId(number), text=text, language=language)


def found(query: str, index: TantivyIndex) -> set[int]:
    question = parse(query, (), CollectionInfo(index.languages()))
    return set(index.top_ids(question, 10_000).tolist())


def test_pages_are_marked_but_for_those_in_the_language_of_most() -> None:
    marking = LanguageTagPolicy(())
    assert all(marking.needs_tags("de") for _ in range(MIN_PAGES_FOR_MAJORITY))
    assert not marking.needs_tags("de")
    assert marking.needs_tags("fr")
    assert not marking.needs_tags("en")
    assert LanguageTagPolicy([("en", 900), ("de", 100)]).needs_tags("de")
    assert not LanguageTagPolicy([("en", 100), ("de", 900)]).needs_tags("de")


def test_each_term_has_the_mark_of_its_language_and_that_of_any() -> None:
    assert language_tagged_terms(["ein haus", "", "baum"], "de") == [
        "ein/de haus/de",
        "baum/de",
        "ein/ haus/",
        "baum/",
    ]


def test_a_language_of_which_not_all_pages_are_marked_is_asked_for(index: TantivyIndex) -> None:
    index.add(page(n, "de", f"Lampen im Garten {n}") for n in GERMAN)
    index.commit(1)
    assert found("Lampen", index) == {*GERMAN}
    index.add(page(n, "en", f"a lamp, number {n}") for n in ENGLISH)
    index.add([page(5000, "fr", "la lampe"), page(5001, "en", "lampen is German")])
    index.commit(2)
    assert index.languages()[0] == "en"
    assert found("Lampen", index) == {*GERMAN, 5001}
    assert found("Lampen Garten", index) == {*GERMAN}


def test_pages_in_a_language_that_most_pages_had_once_are_marked_when_it_has_few(
    index: TantivyIndex,
) -> None:
    index.add(page(n, "de", f"Lampen im Garten {n}") for n in GERMAN)
    index.commit(1)
    assert index.documents_to_reindex(10) == []
    index.add(page(n, "en", f"a lamp, number {n}") for n in ENGLISH)
    index.commit(2)
    marked: list[int] = []
    while ids := index.documents_to_reindex(10):
        marked += ids
        index.add(page(n, "de", f"Lampen im Garten {n}") for n in ids)
        index.commit(2)
    assert sorted(marked) == [*GERMAN[MIN_PAGES_FOR_MAJORITY:]]
    assert found("Lampen", index) == {*GERMAN}
    assert found("Lampen Garten", index) == {*GERMAN}


def test_a_page_that_is_taken_in_again_is_not_counted_again() -> None:
    marking = LanguageTagPolicy([("en", 60), ("de", 40)])
    assert all(marking.needs_tags("de", is_reindexed=True) for _ in range(100))


def test_what_is_read_alike_in_several_languages_is_found_in_all_of_them(
    index: TantivyIndex,
) -> None:
    index.add(page(n, "en", f"a window, number {n}") for n in ENGLISH)
    others = [page(n, name, "Windows") for n, name in enumerate(("de", "sv", "tr", "nb"), 1)]
    index.add([*others, page(9, "fr", "la fenêtre")])
    index.commit(1)
    assert found("windows", index) == {*ENGLISH, 1, 2, 3, 4}
