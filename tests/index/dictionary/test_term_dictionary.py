"""How are words spelt here?"""

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from byway.core.model import Document, UrlId
from byway.core.url import normalize
from byway.index.dictionary.term_dictionary import TermDictionary
from byway.storage.memory.search_index import MemorySearchIndex

spelt = st.text("abcé", min_size=3, max_size=7) | st.sampled_from(("слово", "слвоо", "словцо"))


def document(text: str) -> Document:
    return Document(normalize("http://a.org/"), UrlId(1), text=text)


@given(spelt, st.lists(spelt, min_size=1, max_size=30), st.integers(1, 2))
@example("abab", ["abba", "baab", "abab", "ababa", "aba", "bbab"], 1)
@settings(deadline=None, max_examples=200)
def test_slips_are_counted_as_in_the_reference(word: str, words: list[str], slips: int) -> None:
    memory = MemorySearchIndex()
    memory.add([document(" ".join(words))])
    memory.commit(1)
    with TemporaryDirectory() as folder:
        vocabulary = TermDictionary(Path(folder), 100)
        vocabulary.add(document(" ".join(words)))
        vocabulary.commit()
        assert vocabulary.fuzzy_matches(word, slips) == memory.fuzzy_matches(word, slips)


def test_words_are_counted_by_documents_and_the_rarest_forgotten(tmp_path: Path) -> None:
    vocabulary = TermDictionary(tmp_path, 2)
    for text in ("one one two", "one two three", "one"):
        vocabulary.add(document(text))
    vocabulary.commit()
    vocabulary.write()
    assert vocabulary.expand_prefix("", 10) == ["one", "two"]
    assert vocabulary.fuzzy_matches("onee", 1) == [("one", 1, 3)]


def test_what_was_counted_is_known_to_the_next_who_opens_it(tmp_path: Path) -> None:
    for text in ("government", "government"):
        vocabulary = TermDictionary(tmp_path, 100)
        vocabulary.add(document(text))
        vocabulary.commit()
        vocabulary.write()
    assert TermDictionary(tmp_path, 100).fuzzy_matches("goverment", 1) == [("government", 1, 2)]


def test_what_is_not_committed_is_not_counted(tmp_path: Path) -> None:
    vocabulary = TermDictionary(tmp_path, 100)
    vocabulary.add(document("government"))
    vocabulary.close()
    assert not np.any([path.exists() for path in tmp_path.iterdir()])


def test_what_is_counted_between_two_writings_outlives_the_process(tmp_path: Path) -> None:
    for word in ("government", "governor", "governance"):
        vocabulary = TermDictionary(tmp_path, 100)
        vocabulary.add_frequencies({word: 2})
        vocabulary.document_count += 2
        vocabulary.commit(
            indexed_documents=1000
        )  # too few to write the file; then the process dies
    vocabulary = TermDictionary(tmp_path, 100)
    vocabulary.add_frequencies({"governed": 1})
    vocabulary.commit(indexed_documents=1000)
    vocabulary.close()
    vocabulary.close()
    assert vocabulary.fuzzy_matches("goverment", 1) == [("government", 1, 2)]
    assert sorted(TermDictionary(tmp_path, 100).expand_prefix("govern", 9)) == [
        "governance",
        "governed",
        "government",
        "governor",
    ]


def test_what_was_kept_beside_an_older_file_is_not_counted_twice(tmp_path: Path) -> None:
    vocabulary = TermDictionary(tmp_path, 100)
    vocabulary.add_frequencies({"government": 1})
    vocabulary.document_count += 1
    vocabulary.commit(indexed_documents=1000)
    with closing(sqlite3.connect(tmp_path / "terms_delta.db")) as beside:
        before = "\n".join(beside.iterdump())
    vocabulary.close()
    (tmp_path / "terms_delta.db").unlink()
    with closing(sqlite3.connect(tmp_path / "terms_delta.db")) as beside:
        beside.executescript(before)  # as if it died before it was cleared
    again = TermDictionary(tmp_path, 100)
    again.add_frequencies({"governor": 1})
    again.commit(indexed_documents=1000)
    again.close()
    assert again.fuzzy_matches("goverment", 1) == [("government", 1, 1)]


def test_words_are_known_as_soon_as_they_are_committed(tmp_path: Path) -> None:
    written, asked = TermDictionary(tmp_path, 100), TermDictionary(tmp_path, 100)
    written.add_frequencies({"government": 5, "governor": 9})
    written.commit()
    assert asked.expand_prefix("gov", 9) == ["governor", "government"]
    written.add_frequencies({"government": 6, "governess": 1})
    written.document_count += 1
    written.commit(indexed_documents=1000)
    assert asked.expand_prefix("gov", 9) == ["government", "governor", "governess"]
    assert asked.fuzzy_matches("goverment", 1) == [("government", 1, 11)]
    assert asked.fuzzy_matches("governes", 1) == [("governess", 1, 1)]
    asked.close()
    assert (tmp_path / "terms_delta.db").exists()


def test_pages_full_of_words_that_no_other_has_do_not_fill_the_memory(tmp_path: Path) -> None:
    vocabulary = TermDictionary(tmp_path, 10)
    vocabulary.add_frequencies({f"word{chr(97 + n)}": 1 for n in range(11)})
    vocabulary.document_count += 1
    vocabulary.commit(indexed_documents=1000)
    assert not (tmp_path / "terms_delta.db").exists()
    assert len(TermDictionary(tmp_path, 10).expand_prefix("word", 99)) == 10


def test_most_spellings_of_a_word_are_forgotten_if_there_are_very_many(tmp_path: Path) -> None:
    accents = "aàáâãäåāăą"
    for texts in (["äaa"] * 3, [f"{one}{other}a" for one in accents for other in accents]):
        vocabulary = TermDictionary(tmp_path, 100)
        for text in texts:
            vocabulary.add(document(text))
        vocabulary.commit()
        vocabulary.write()
    assert len(np.load(tmp_path / "surface_forms.npy")) == 8
    assert TermDictionary(tmp_path, 100).surface_form("aaa") == "aaa"  # as it is counted most
    assert TermDictionary(tmp_path, 100).fuzzy_matches("aaaa", 1) == [("aaa", 1, 103)]
