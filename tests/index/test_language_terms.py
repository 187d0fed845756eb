"""Language-tagged terms of pages that are not in the majority language."""

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
    parsed = parse(query, (), CollectionInfo(index.languages()))
    return set(index.top_ids(parsed, 10_000).tolist())


def test_pages_get_tags_except_in_the_majority_language() -> None:
    policy = LanguageTagPolicy(())
    assert all(policy.needs_tags("de") for _ in range(MIN_PAGES_FOR_MAJORITY))
    assert not policy.needs_tags("de")
    assert policy.needs_tags("fr")
    assert not policy.needs_tags("en")
    assert LanguageTagPolicy([("en", 900), ("de", 100)]).needs_tags("de")
    assert not LanguageTagPolicy([("en", 100), ("de", 900)]).needs_tags("de")


def test_each_term_is_tagged_with_its_language_and_with_any() -> None:
    assert language_tagged_terms(["ein haus", "", "baum"], "de") == [
        "ein/de haus/de",
        "baum/de",
        "ein/ haus/",
        "baum/",
    ]


def test_a_language_with_untagged_pages_is_searched_by_filter(index: TantivyIndex) -> None:
    index.add(page(n, "de", f"Lampen im Garten {n}") for n in GERMAN)
    index.commit(1)
    assert found("Lampen", index) == {*GERMAN}
    index.add(page(n, "en", f"a lamp, number {n}") for n in ENGLISH)
    index.add([page(5000, "fr", "la lampe"), page(5001, "en", "lampen is German")])
    index.commit(2)
    assert index.languages()[0] == "en"
    assert found("Lampen", index) == {*GERMAN, 5001}
    assert found("Lampen Garten", index) == {*GERMAN}


def test_pages_of_a_former_majority_language_are_reindexed_with_tags(
    index: TantivyIndex,
) -> None:
    index.add(page(n, "de", f"Lampen im Garten {n}") for n in GERMAN)
    index.commit(1)
    assert index.documents_to_reindex(10) == []
    index.add(page(n, "en", f"a lamp, number {n}") for n in ENGLISH)
    index.commit(2)
    reindexed: list[int] = []
    while ids := index.documents_to_reindex(10):
        reindexed += ids
        index.add(page(n, "de", f"Lampen im Garten {n}") for n in ids)
        index.commit(2)
    assert sorted(reindexed) == [*GERMAN[MIN_PAGES_FOR_MAJORITY:]]
    assert found("Lampen", index) == {*GERMAN}
    assert found("Lampen Garten", index) == {*GERMAN}


def test_a_reindexed_page_is_not_counted_again() -> None:
    policy = LanguageTagPolicy([("en", 60), ("de", 40)])
    assert all(policy.needs_tags("de", is_reindexed=True) for _ in range(100))


def test_a_word_with_one_stem_in_several_languages_matches_in_all_of_them(
    index: TantivyIndex,
) -> None:
    index.add(page(n, "en", f"a window, number {n}") for n in ENGLISH)
    others = [page(n, name, "Windows") for n, name in enumerate(("de", "sv", "tr", "nb"), 1)]
    index.add([*others, page(9, "fr", "la fenêtre")])
    index.commit(1)
    assert found("windows", index) == {*ENGLISH, 1, 2, 3, 4}
