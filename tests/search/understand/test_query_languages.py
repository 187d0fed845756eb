"""Languages of query words."""

from byway.core.model import Document, UrlId
from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.text import LANGUAGE_BITS
from byway.core.url import normalize
from byway.search.query.parser import CollectionInfo, parse
from byway.search.understand.query_languages import keep_occurring_analyses, keep_shared_languages
from byway.storage.memory.search_index import MemorySearchIndex

GERMAN, FRENCH = LANGUAGE_BITS["de"], LANGUAGE_BITS["fr"]


def index_of(**pages: str) -> MemorySearchIndex:
    index = MemorySearchIndex()
    for n, (language, text) in enumerate(pages.items(), 1):
        url = normalize(f"http://a.org/{n}")
        index.add([Document(url, UrlId(n), text=text, language=language)])
    index.commit(1)
    return index


def read(typed: str, index: MemorySearchIndex) -> TermClause:
    (word,) = parse(typed, (), CollectionInfo(index.languages())).words
    return keep_occurring_analyses(
        word, [index.document_frequency(one.tokens) for one in word.analyses], index
    )


def terms_of(word: TermClause) -> list[tuple[str, ...]]:
    return [one.tokens for one in word.analyses]


def test_an_analysis_is_kept_if_a_page_in_its_language_has_it() -> None:
    index = index_of(en="a trait and a treatment", fr="le traitement", de="Lampen")
    assert terms_of(read("traitement", index)) == [("trait",)]
    index = index_of(en="a trait, traitement", fr="la lampe", de="Lampen")
    assert terms_of(read("traitement", index)) == [("traitement",)]
    assert terms_of(read("Lampen", index)) == [("lamp",)]


def test_an_unknown_word_keeps_its_analyses() -> None:
    index = index_of(en="a trait", fr="la lampe")
    assert terms_of(read("zebras", index)) == [("zebra",), ("zebr",)]


def test_a_number_is_kept_since_not_all_are_in_the_index() -> None:
    index = index_of(en="python", fr="la lampe")
    assert terms_of(read("3.11", index)) == [("3", "11")]


def word(**readings: int) -> TermClause:
    each = tuple(TermAnalysis((name,), 1.0, bits) for name, bits in readings.items())
    return TermClause(next(iter(readings)), each)


def test_required_words_lose_analyses_in_languages_without_the_others() -> None:
    one, two = word(run=1, running=GERMAN), word(house=1 | FRENCH, houses=FRENCH)
    kept = keep_shared_languages(ParsedQuery((one, two)), index_of(en="run house"))
    assert [terms_of(each) for each in kept.words] == [[("run",)], [("house",)]]


def test_words_without_a_shared_language_keep_their_analyses() -> None:
    one, two = word(running=GERMAN, runnin=GERMAN), word(houses=FRENCH, house=FRENCH)
    assert keep_shared_languages(ParsedQuery((one, two)), index_of()) == ParsedQuery((one, two))


def test_optional_words_keep_their_analyses() -> None:
    many = tuple(word(**{f"w{n}": 1, f"v{n}": GERMAN if n else FRENCH}) for n in range(4))
    assert keep_shared_languages(ParsedQuery(many), index_of()) == ParsedQuery(many)


def test_words_lose_analyses_in_a_language_without_a_page_that_has_all() -> None:
    one, two = word(lampen=1, lamp=GERMAN), word(garten=1, gart=GERMAN)
    index = index_of(en="lampen garten", de="Lampen im Garten")
    assert keep_shared_languages(ParsedQuery((one, two)), index) == ParsedQuery((one, two))
    index = index_of(en="lampen garten", de="Lampen")
    index.add([Document(normalize("http://a.org/9"), UrlId(9), text="Garten", language="de")])
    kept = keep_shared_languages(ParsedQuery((one, two)), index)
    assert [terms_of(each) for each in kept.words] == [[("lampen",)], [("garten",)]]
