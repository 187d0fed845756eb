"""Languages of query words."""

from byway.core.model import Document, UrlId
from byway.core.url import normalize
from byway.search.query.parser import CollectionInfo, parse
from byway.search.rank.position_features import position_features
from byway.search.understand.query_plan import analyze_rare_languages
from byway.storage.memory.search_index import MemorySearchIndex


def index_of(texts: dict[str, str], english_pages: int) -> MemorySearchIndex:
    """An index of one page in each of these languages, and of so many in English."""
    pages = [*texts.items(), *[("en", "a lamp")] * english_pages]
    index = MemorySearchIndex(position_features)
    index.add(
        Document(normalize(f"http://a.org/{n}"), UrlId(n), text=text, language=language)
        for n, (language, text) in enumerate(pages, 1)
    )
    index.commit(1)
    return index


def analyses(typed: str, index: MemorySearchIndex) -> list[tuple[str, ...]]:
    languages = index.statistics().frequent_languages
    query = analyze_rare_languages(parse(typed, (), CollectionInfo(languages)), index)
    return [one.tokens for word in query.words for one in word.analyses]


def test_queries_are_analyzed_in_languages_of_two_percent_of_the_pages() -> None:
    texts = {"de": "Lampen", "": "12"}
    assert index_of(texts, 49).statistics().frequent_languages == ("en", "de")
    assert index_of(texts, 50).statistics().frequent_languages == ("en",)
    assert index_of({}, 0).statistics().frequent_languages == ()


def test_languages_are_ordered_by_pages_and_then_by_name() -> None:
    index = index_of({"ru": "лампа", "de": "Lampen"}, 2)
    assert index.statistics().frequent_languages == ("en", "de", "ru")


def test_a_word_that_only_pages_in_a_rare_language_have_is_analyzed_in_it() -> None:
    index = index_of({"fr": "les traitements"}, 99)
    assert analyses("traitements", index) == [("trait",)]
    assert analyses('"traitements"', index) == [("trait",)]
    assert analyses("lamps", index) == [("lamp",)]
    assert analyses("unknowns", index) == [("unknown",)]
