"""What somebody has begun to type is completed from what pages are called."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from byway.backends.embedded.index import TantivyIndex
from byway.backends.memory import MemoryIndex
from byway.model import Document, Heading, Url, UrlId
from byway.ports import Linked, SearchIndex
from byway.search.suggest import suggestions
from byway.settings import IndexSettings

TITLES = {
    1: "CREATE INDEX CONCURRENTLY",
    2: "Create a table",
    3: "Zürich in winter",
    4: "Ёлки и палки",
    5: "Installing PostgreSQL",
    6: "Create a table",
}


def document(id: int, title: str) -> Document:
    url = Url(f"http://a.org/{id}")
    return Document(url, UrlId(id), title, f"{title} explained", headings=(Heading(1, title),))


@pytest.fixture(params=["embedded", "memory"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SearchIndex]:
    made: TantivyIndex | MemoryIndex = MemoryIndex()
    if request.param == "embedded":
        made = TantivyIndex(tmp_path, IndexSettings(memory=15))
    made.add([document(id, title) for id, title in TITLES.items()])
    made.commit(1)
    yield made
    if isinstance(made, TantivyIndex):
        made.close()


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("crea", "Create a table"),
        ("create i", "CREATE INDEX CONCURRENTLY"),
        ("conc", "CREATE INDEX CONCURRENTLY"),
        ("zur", "Zürich in winter"),
        ("елк", "Ёлки и палки"),
        ("  installing   post", "Installing PostgreSQL"),
    ],
)
def test_phrases_begin_with_any_of_their_words(index: SearchIndex, typed: str, first: str) -> None:
    assert suggestions(index, typed, 5)[0] == first


def test_a_phrase_that_more_pages_have_comes_first_and_once(index: SearchIndex) -> None:
    found = suggestions(index, "create", 5)
    assert found[:2] == ["Create a table", "CREATE INDEX CONCURRENTLY"]


def test_a_word_with_a_space_behind_it_is_finished(index: SearchIndex) -> None:
    assert suggestions(index, "in", 5)[0] == "Zürich in winter"
    assert "Installing PostgreSQL" in suggestions(index, "in", 5)
    assert suggestions(index, "in ", 5) == ["Zürich in winter"]
    assert suggestions(index, "create  a ", 5) == ["Create a table"]
    assert suggestions(index, "creat ", 5) == []


@pytest.mark.parametrize("typed", ["insatll", "instaling", "postgers"])
def test_a_slip_in_an_unfinished_word_is_forgiven(index: SearchIndex, typed: str) -> None:
    assert any("PostgreSQL" in one for one in suggestions(index, typed, 5))


def test_a_word_goes_on_whatever_stands_before_it(index: SearchIndex) -> None:
    assert "cheap concurrently" in suggestions(index, "cheap concur", 5)


@pytest.mark.parametrize("typed", ["", " ", "'", "zzz", "\0", "\ud800", "x" * 5000, "((("])
def test_what_nothing_begins_with_gives_nothing(index: SearchIndex, typed: str) -> None:
    assert suggestions(index, typed, 5) == []


def test_a_page_that_is_gone_is_suggested_no_more(tmp_path: Path) -> None:
    with closing(TantivyIndex(tmp_path, IndexSettings(memory=15))) as index:
        index.add([document(id, title) for id, title in TITLES.items()])
        index.commit(1)
        index.remove([UrlId(3)])
        index.add([document(5, "Renamed")])
        index.commit(2)
    with closing(TantivyIndex(tmp_path, IndexSettings(memory=15))) as index:
        assert index.phrases("zur", 5) == []
        assert index.phrases("installing", 5) == []
        assert index.phrases("ren", 5) == ["Renamed"]


def test_what_links_call_a_page_is_suggested(tmp_path: Path) -> None:
    with closing(TantivyIndex(tmp_path, IndexSettings(memory=15))) as index:
        index.add([document(1, "Chapter 9")], {UrlId(1): Linked((("window functions", 7),))})
        index.commit(1)
        assert index.phrases("wind", 5) == ["window functions"]


def test_it_takes_a_few_milliseconds_among_many(tmp_path: Path) -> None:
    with closing(TantivyIndex(tmp_path, IndexSettings(memory=15))) as index:
        index.add(document(n, f"part {n % 977} of chapter {n}") for n in range(1, 20_001))
        index.commit(1)
        suggestions(index, "p", 10)
        started = time.process_time()
        for typed in ("p", "pa", "chapter 19", "chaptre", "of chapter 7", "partt"):
            assert suggestions(index, typed, 10)
        assert (time.process_time() - started) / 6 < 0.02


@pytest.mark.parametrize("typed", ["neue", "neue ", "neue zeit"])
def test_what_differs_by_its_quotes_alone_is_offered_once_and_without_them(
    tmp_path: Path, typed: str
) -> None:
    titles = ("Neue „Zeit“", "Neue „Zeit“", "Neue Zeit", "Neue „Zeit“ im «Glas»")
    with closing(TantivyIndex(tmp_path, IndexSettings(memory=15))) as index:
        index.add([document(id, title) for id, title in enumerate(titles, 1)])
        index.commit(1)
        index.close()
        offered = suggestions(index, typed, 5)
    assert offered[0] == "Neue Zeit" and "Neue „Zeit“" not in offered
    if typed != "neue zeit":
        assert offered[1] == "Neue „Zeit“ im «Glas»"
