"""Term dictionary: counts, prefixes, fuzzy matches and surface forms."""

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from byway.core.model import Document, UrlId
from byway.core.url import normalize
from byway.index.dictionary.document_words import document_words, word_code
from byway.index.dictionary.term_dictionary import StoredTermDictionary
from byway.search.rank.position_features import position_features
from byway.search.understand.spelling import surface_form
from byway.storage.memory.search_index import MemorySearchIndex

spellings = st.text("abcé", min_size=3, max_size=7) | st.sampled_from(("слово", "слвоо", "словцо"))


def document(text: str) -> Document:
    return Document(normalize("http://a.org/"), UrlId(1), text=text)


def words(text: str) -> dict[str, int]:
    return dict.fromkeys(document_words(document(text)), 1)


@given(spellings, st.lists(spellings, min_size=1, max_size=30), st.integers(1, 2))
@example("abab", ["abba", "baab", "abab", "ababa", "aba", "bbab"], 1)
@settings(deadline=None, max_examples=200)
def test_fuzzy_matches_agree_with_the_reference_implementation(
    word: str, words: list[str], distance: int
) -> None:
    memory = MemorySearchIndex(position_features)
    memory.add([document(" ".join(words))])
    memory.commit(1)
    with TemporaryDirectory() as folder:
        dictionary = StoredTermDictionary(Path(folder), 100)
        dictionary.add(dict.fromkeys(document_words(document(" ".join(words))), 1))
        dictionary.commit()
        assert dictionary.fuzzy(word, distance) == memory.ports.dictionary.fuzzy(word, distance)


def test_words_are_counted_by_document_and_the_rarest_dropped(tmp_path: Path) -> None:
    dictionary = StoredTermDictionary(tmp_path, 2)
    for text in ("one one two", "one two three", "one"):
        dictionary.add(words(text))
    dictionary.commit()
    dictionary.write()
    assert [*dictionary.prefix("", 10)] == ["one", "two"]
    assert dictionary.fuzzy("onee", 1) == [("one", 1, 3)]


def test_counts_survive_reopening(tmp_path: Path) -> None:
    for text in ("government", "government"):
        dictionary = StoredTermDictionary(tmp_path, 100)
        dictionary.add(words(text))
        dictionary.commit()
        dictionary.write()
    assert StoredTermDictionary(tmp_path, 100).fuzzy("goverment", 1) == [("government", 1, 2)]


def test_uncommitted_words_are_not_counted(tmp_path: Path) -> None:
    dictionary = StoredTermDictionary(tmp_path, 100)
    dictionary.add(words("government"))
    dictionary.close()
    assert not np.any([path.exists() for path in tmp_path.iterdir()])


def test_counts_in_the_delta_survive_the_process(tmp_path: Path) -> None:
    for word in ("government", "governor", "governance"):
        dictionary = StoredTermDictionary(tmp_path, 100)
        dictionary.add({word: 2})
        dictionary.commit(
            indexed_documents=1000
        )  # too few to write the file; then the process dies
    dictionary = StoredTermDictionary(tmp_path, 100)
    dictionary.add({"governed": 1})
    dictionary.commit(indexed_documents=1000)
    dictionary.close()
    dictionary.close()
    assert dictionary.fuzzy("goverment", 1) == [("government", 1, 2)]
    assert sorted([*StoredTermDictionary(tmp_path, 100).prefix("govern", 9)]) == [
        "governance",
        "governed",
        "government",
        "governor",
    ]


def test_a_delta_of_an_older_file_is_not_counted_twice(tmp_path: Path) -> None:
    dictionary = StoredTermDictionary(tmp_path, 100)
    dictionary.add({"government": 1})
    dictionary.commit(indexed_documents=1000)
    with closing(sqlite3.connect(tmp_path / "terms_delta.db")) as delta:
        before = "\n".join(delta.iterdump())
    dictionary.close()
    (tmp_path / "terms_delta.db").unlink()
    with closing(sqlite3.connect(tmp_path / "terms_delta.db")) as delta:
        delta.executescript(before)  # as if it died before it was cleared
    again = StoredTermDictionary(tmp_path, 100)
    again.add({"governor": 1})
    again.commit(indexed_documents=1000)
    again.close()
    assert again.fuzzy("goverment", 1) == [("government", 1, 1)]


def test_words_are_found_as_soon_as_they_are_committed(tmp_path: Path) -> None:
    writer, reader = StoredTermDictionary(tmp_path, 100), StoredTermDictionary(tmp_path, 100)
    writer.add({"government": 5, "governor": 9})
    writer.commit()
    assert [*reader.prefix("gov", 9)] == ["governor", "government"]
    writer.add({"government": 6, "governess": 1})
    writer.commit(indexed_documents=1000)
    assert [*reader.prefix("gov", 9)] == ["government", "governor", "governess"]
    assert reader.fuzzy("goverment", 1) == [("government", 1, 11)]
    assert reader.fuzzy("governes", 1) == [("governess", 1, 1)]
    reader.close()
    assert (tmp_path / "terms_delta.db").exists()


def test_pages_full_of_unique_words_do_not_fill_the_delta(tmp_path: Path) -> None:
    dictionary = StoredTermDictionary(tmp_path, 10)
    dictionary.add({f"word{chr(97 + n)}": 1 for n in range(11)})
    dictionary.commit(indexed_documents=1000)
    assert not (tmp_path / "terms_delta.db").exists()
    assert len([*StoredTermDictionary(tmp_path, 10).prefix("word", 99)]) == 10


def test_only_the_most_frequent_surface_forms_are_kept(tmp_path: Path) -> None:
    accents = "aàáâãäåāăą"
    for texts in (["äaa"] * 3, [f"{one}{other}a" for one in accents for other in accents]):
        dictionary = StoredTermDictionary(tmp_path, 100)
        for text in texts:
            dictionary.add(words(text))
        dictionary.commit()
        dictionary.write()
    assert len(np.load(tmp_path / "surface_forms.npy")) == 8
    assert surface_form("aaa", StoredTermDictionary(tmp_path, 100)) == "aaa"  # counted most
    assert StoredTermDictionary(tmp_path, 100).fuzzy("aaaa", 1) == [("aaa", 1, 103)]


def test_words_of_changed_documents_are_subtracted(tmp_path: Path) -> None:
    first, second = words("government schlüssel"), words("government governor")
    for is_reopened in (False, True):
        folder = tmp_path / str(is_reopened)
        folder.mkdir()
        dictionary = StoredTermDictionary(folder, 100)
        dictionary.add(first)
        dictionary.add(second)
        dictionary.commit()
        if is_reopened:
            dictionary.close()
            dictionary = StoredTermDictionary(folder, 100)
        dictionary.remove({word_code(word): 1 for word in first} | {12345: 7})
        dictionary.commit(indexed_documents=1000)
        assert dictionary.fuzzy("goverment", 1) == [("government", 1, 1)]
        assert dictionary.prefix("sch", 9) == {}
        dictionary.close()
        dictionary = StoredTermDictionary(folder, 100)
        assert dictionary.prefix("", 9) == {"government": 1, "governor": 1}
        assert dictionary.surface_forms("schlussel") == {}
