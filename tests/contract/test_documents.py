"""What every document store, rank store and search index must do."""

import numpy as np
import pytest
from contract.backends import Backend

from byway.model import Document, Heading, Phrase, Question, UrlId, Word
from byway.packed import pack
from byway.ports import Ranks
from byway.text import terms
from byway.url import normalise


def document(n: int, title: str = "", text: str = "", host: str = "a.org") -> Document:
    return Document(normalise(f"http://{host}/{n}"), UrlId(n), title, text)


def asking(*words: str) -> Question:
    return Question(words=tuple(Word(word, terms(word)[0]) for word in words))


def fill(backend: Backend, *documents: Document) -> None:
    backend.index.add(documents)
    backend.index.commit(1)


def ids(backend: Backend, question: Question) -> list[int]:
    return [int(id) for id in backend.index.candidates(question, 10).ids]


def test_a_document_comes_back_as_it_was_put(backend: Backend) -> None:
    whole = Document(
        normalise("http://a.org/"),
        UrlId(7),
        "Title",
        "Text\nwith lines",
        headings=(Heading(2, "Part", "part"),),
        emphasis=("much",),
        attributes={"price": 5.0, "categories": ["a", "b"]},
    )
    backend.documents.put([(1, UrlId(7), pack(whole))])
    assert backend.documents.get(UrlId(7)) == whole
    assert backend.documents.get(UrlId(8)) is None


def test_documents_are_followed_in_order_and_the_last_put_wins(backend: Backend) -> None:
    first, second, third = (document(1, f"v{n}") for n in range(3))
    backend.documents.put([(1, UrlId(1), pack(first)), (2, UrlId(2), pack(document(2)))])
    backend.documents.put([(3, UrlId(1), pack(third))])
    assert [row[:2] for row in backend.documents.after(0, 10)] == [(2, 2), (3, 1)]
    assert backend.documents.after(2, 10) == [(3, UrlId(1), third)]
    assert backend.documents.last() == 3
    backend.documents.put([(4, UrlId(1), b"")])
    assert backend.documents.after(3, 10) == [(4, UrlId(1), None)]
    assert second != third


def test_ranks_are_swapped_whole(backend: Backend) -> None:
    assert len(backend.ranks.load().pages) == 0
    ranks = Ranks(np.array([0, 1, 2], np.float32), np.array([0, 2, 1], np.float32))
    backend.ranks.save(ranks)
    assert backend.ranks.load().pages.tolist() == [0, 1, 2]
    assert backend.ranks.load().hosts.tolist() == [0, 2, 1]


def test_the_page_that_says_it_most_comes_first(backend: Backend) -> None:
    fill(backend, *(document(n, text="shoes " * n + "hats " * 9) for n in range(1, 6)))
    found = backend.index.candidates(asking("shoes"), 3)
    assert found.ids.tolist() == [5, 4, 3]
    assert found.total == 5
    assert (np.diff(found.text) <= 0).all()


def test_a_word_is_found_in_all_its_forms(backend: Backend) -> None:
    fill(backend, document(1, text="He was running home"), document(2, text="красные туфли"))
    assert ids(backend, asking("runs")) == [1]
    assert ids(backend, asking("туфель")) == [2] or ids(backend, asking("туфля")) == [2]
    assert ids(backend, asking("walks")) == []


def test_a_phrase_is_found_only_in_order(backend: Backend) -> None:
    fill(backend, document(1, text="the cat saw a dog"), document(2, text="the dog saw a cat"))
    phrase = Question(phrases=(Phrase("dog saw", ("dog", "saw")),))
    assert ids(backend, phrase) == [2]


def test_what_is_excluded_stays_out(backend: Backend) -> None:
    fill(backend, document(1, text="red shoes"), document(2, text="blue shoes"))
    question = Question(words=(Word("shoes", "shoe"),), without=(Word("red", "red"),))
    assert ids(backend, question) == [2]


@pytest.mark.parametrize("site", ["b.org", "www.b.org"])
def test_a_site_can_be_asked_for_alone(backend: Backend, site: str) -> None:
    fill(
        backend,
        document(1, text="shoes"),
        document(2, text="shoes", host="www.b.org:8080"),
        document(3, text="shoes", host="notb.org"),
    )
    assert ids(backend, Question(words=(Word("shoes", "shoe"),), hosts=(site,))) == [2]


def test_windows_and_titles_are_measured(backend: Backend) -> None:
    fill(
        backend,
        document(1, title="Red things", text="red a b c shoes and red shoes"),
        document(2, text="red one two three four shoes"),
        document(3, title="red shoes", text="red and blue"),
    )
    found = backend.index.candidates(asking("red", "shoes"), 10)
    rows = {int(id): n for n, id in enumerate(found.ids)}
    assert found.window[rows[1]] == 2
    assert found.window[rows[2]] == 6
    assert found.window[rows[3]] == np.inf
    assert found.in_title[[rows[1], rows[2], rows[3]]].tolist() == [0.5, 0, 1]


def test_most_of_many_words_are_enough(backend: Backend) -> None:
    fill(backend, document(1, text="one two three"), document(2, text="one"))
    assert ids(backend, asking("one", "two", "three", "missing")) == [1]
    assert ids(backend, asking("one", "two")) == [1]


def test_adding_again_replaces_and_removing_removes(backend: Backend) -> None:
    fill(backend, document(1, text="old words"), document(2, text="other words"))
    fill(backend, document(1, text="new words"))
    assert ids(backend, asking("old")) == []
    assert ids(backend, asking("new")) == [1]
    assert backend.index.count() == 2
    backend.index.remove([UrlId(1)])
    backend.index.commit(9)
    assert ids(backend, asking("words")) == [2]
    assert (backend.index.count(), backend.index.last()) == (1, 9)


def test_nothing_is_found_before_it_is_committed(backend: Backend) -> None:
    assert ids(backend, asking("words")) == []
    assert (backend.index.count(), backend.index.last()) == (0, 0)
    backend.index.add([document(1, text="words")])
    assert ids(backend, asking("words")) == []


def test_one_page_alone_can_be_looked_at(backend: Backend) -> None:
    fill(backend, document(1, text="shoes"), document(2, text="shoes " * 5))
    whole = backend.index.candidates(asking("shoes"), 10)
    one = backend.index.candidates(asking("shoes"), 10, only=UrlId(1))
    assert one.ids.tolist() == [1]
    assert one.text[0] == pytest.approx(whole.text[whole.ids.tolist().index(1)])
    assert len(backend.index.candidates(asking("hats"), 10, only=UrlId(1)).ids) == 0
