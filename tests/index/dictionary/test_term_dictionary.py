"""How are words spelt here?"""

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from byway.core.model import Document, UrlId
from byway.core.url import normalise
from byway.index.dictionary.term_dictionary import Vocabulary
from byway.storage.memory.search_index import MemoryIndex

spelt = st.text("abcé", min_size=3, max_size=7) | st.sampled_from(("слово", "слвоо", "словцо"))


def document(text: str) -> Document:
    return Document(normalise("http://a.org/"), UrlId(1), text=text)


@given(spelt, st.lists(spelt, min_size=1, max_size=30), st.integers(1, 2))
@example("abab", ["abba", "baab", "abab", "ababa", "aba", "bbab"], 1)
@settings(deadline=None, max_examples=200)
def test_slips_are_counted_as_in_the_reference(word: str, words: list[str], slips: int) -> None:
    memory = MemoryIndex()
    memory.add([document(" ".join(words))])
    memory.commit(1)
    with TemporaryDirectory() as folder:
        vocabulary = Vocabulary(Path(folder), 100)
        vocabulary.add(document(" ".join(words)))
        vocabulary.commit()
        assert vocabulary.near(word, slips) == memory.near(word, slips)


def test_words_are_counted_by_documents_and_the_rarest_forgotten(tmp_path: Path) -> None:
    vocabulary = Vocabulary(tmp_path, 2)
    for text in ("one one two", "one two three", "one"):
        vocabulary.add(document(text))
    vocabulary.commit()
    vocabulary.write()
    assert vocabulary.beginning("", 10) == ["one", "two"]
    assert vocabulary.near("onee", 1) == [("one", 1, 3)]


def test_what_was_counted_is_known_to_the_next_who_opens_it(tmp_path: Path) -> None:
    for text in ("government", "government"):
        vocabulary = Vocabulary(tmp_path, 100)
        vocabulary.add(document(text))
        vocabulary.commit()
        vocabulary.write()
    assert Vocabulary(tmp_path, 100).near("goverment", 1) == [("government", 1, 2)]


def test_what_is_not_committed_is_not_counted(tmp_path: Path) -> None:
    vocabulary = Vocabulary(tmp_path, 100)
    vocabulary.add(document("government"))
    vocabulary.close()
    assert not np.any([path.exists() for path in tmp_path.iterdir()])


def test_what_is_counted_between_two_writings_outlives_the_process(tmp_path: Path) -> None:
    for word in ("government", "governor", "governance"):
        vocabulary = Vocabulary(tmp_path, 100)
        vocabulary.count({word: 2})
        vocabulary.documents += 2
        vocabulary.commit(among=1000)  # too few to write the file; then the process dies
    vocabulary = Vocabulary(tmp_path, 100)
    vocabulary.count({"governed": 1})
    vocabulary.commit(among=1000)
    vocabulary.close()
    vocabulary.close()
    assert vocabulary.near("goverment", 1) == [("government", 1, 2)]
    assert sorted(Vocabulary(tmp_path, 100).beginning("govern", 9)) == [
        "governance",
        "governed",
        "government",
        "governor",
    ]


def test_what_was_kept_beside_an_older_file_is_not_counted_twice(tmp_path: Path) -> None:
    vocabulary = Vocabulary(tmp_path, 100)
    vocabulary.count({"government": 1})
    vocabulary.documents += 1
    vocabulary.commit(among=1000)
    with closing(sqlite3.connect(tmp_path / "vocabulary.db")) as beside:
        before = "\n".join(beside.iterdump())
    vocabulary.close()
    (tmp_path / "vocabulary.db").unlink()
    with closing(sqlite3.connect(tmp_path / "vocabulary.db")) as beside:
        beside.executescript(before)  # as if it died before it was cleared
    again = Vocabulary(tmp_path, 100)
    again.count({"governor": 1})
    again.commit(among=1000)
    again.close()
    assert again.near("goverment", 1) == [("government", 1, 1)]


def test_words_are_known_as_soon_as_they_are_committed(tmp_path: Path) -> None:
    written, asked = Vocabulary(tmp_path, 100), Vocabulary(tmp_path, 100)
    written.count({"government": 5, "governor": 9})
    written.commit()
    assert asked.beginning("gov", 9) == ["governor", "government"]
    written.count({"government": 6, "governess": 1})
    written.documents += 1
    written.commit(among=1000)
    assert asked.beginning("gov", 9) == ["government", "governor", "governess"]
    assert asked.near("goverment", 1) == [("government", 1, 11)]
    assert asked.near("governes", 1) == [("governess", 1, 1)]
    asked.close()
    assert (tmp_path / "vocabulary.db").exists()


def test_pages_full_of_words_that_no_other_has_do_not_fill_the_memory(tmp_path: Path) -> None:
    vocabulary = Vocabulary(tmp_path, 10)
    vocabulary.count({f"word{chr(97 + n)}": 1 for n in range(11)})
    vocabulary.documents += 1
    vocabulary.commit(among=1000)
    assert not (tmp_path / "vocabulary.db").exists()
    assert len(Vocabulary(tmp_path, 10).beginning("word", 99)) == 10


def test_most_spellings_of_a_word_are_forgotten_if_there_are_very_many(tmp_path: Path) -> None:
    accents = "aàáâãäåāăą"
    for texts in (["äaa"] * 3, [f"{one}{other}a" for one in accents for other in accents]):
        vocabulary = Vocabulary(tmp_path, 100)
        for text in texts:
            vocabulary.add(document(text))
        vocabulary.commit()
        vocabulary.write()
    assert len(np.load(tmp_path / "written.npy")) == 8
    assert Vocabulary(tmp_path, 100).written("aaa") == "aaa"  # as it is counted most
    assert Vocabulary(tmp_path, 100).near("aaaa", 1) == [("aaa", 1, 103)]
