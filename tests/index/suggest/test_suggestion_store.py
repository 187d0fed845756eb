"""Autocomplete store: adding, completing and removing suggestions."""

import shutil
from contextlib import closing
from pathlib import Path
from zlib import crc32

import pytest

from byway.core.model import Document, UrlId
from byway.core.ports import PageLinks, Suggestion
from byway.core.url import normalize
from byway.index.suggest.suggestion_store import SuggestionStore, page_suggestions

URL = normalize("http://a.org/")


def number(title: str) -> UrlId:
    return UrlId(crc32(title.encode()))


def add_titles(folder: Path, *titles: str) -> None:
    store = SuggestionStore(folder, 100)
    for title in titles:
        store.add(page_suggestions(Document(URL, number(title), title), PageLinks()))
    store.commit()
    store.close()


def texts(suggestions: list[Suggestion]) -> list[str]:
    return [one.text for one in suggestions]


def test_lookups_between_the_writes_of_two_files_use_valid_rows(tmp_path: Path) -> None:
    add_titles(tmp_path, "Red apples")
    before = shutil.copy2(tmp_path / "suggestions.npy", tmp_path / "before")
    add_titles(tmp_path, "Red bananas", "Red cherries")
    assert len(texts(SuggestionStore(tmp_path, 100).complete("red", 9))) == 3
    shutil.copy2(before, tmp_path / "suggestions.npy")  # as it is until the second is writer, too
    assert texts(SuggestionStore(tmp_path, 100).complete("red", 9)) == ["Red apples"]


def test_a_page_is_suggested_from_its_commit_until_its_removal(tmp_path: Path) -> None:
    names = [f"Chapter {chr(97 + n)}" for n in range(20)]
    add_titles(tmp_path, *names)
    writer, reader = SuggestionStore(tmp_path, 100), SuggestionStore(tmp_path, 100)
    assert texts(reader.complete("pears", 9)) == []
    writer.add(page_suggestions(Document(URL, UrlId(7), "Red pears"), PageLinks()))
    writer.commit(indexed_documents=1000)
    assert texts(reader.complete("pears", 9)) == ["Red pears"]
    writer.add(page_suggestions(Document(URL, UrlId(7), "Green grapes"), PageLinks()))
    writer.commit(indexed_documents=1000)
    assert texts(reader.complete("pears", 9)) == []
    assert texts(reader.complete("gre", 9)) == ["Green grapes"]
    writer.remove([UrlId(7), number(names[3])])
    writer.commit(indexed_documents=1000)
    assert texts(reader.complete("gr", 9)) == []
    assert texts(reader.complete("chapter d", 9)) == []
    assert texts(reader.complete("chapter e", 9)) == ["Chapter e"]
    writer.close()
    assert texts(reader.complete("chapter d", 9)) == []
    assert len(texts(reader.complete("chapter", 30))) == 19
    reader.close()


def test_uncommitted_suggestions_are_dropped_on_close(tmp_path: Path) -> None:
    store = SuggestionStore(tmp_path, 100)
    store.add(page_suggestions(Document(URL, UrlId(7), "Red pears"), PageLinks()))
    store.close()
    store.add(page_suggestions(Document(URL, UrlId(8), "Green grapes"), PageLinks()))
    store.commit()
    assert texts(store.complete("pears", 9)) == []
    assert texts(store.complete("grapes", 9)) == ["Green grapes"]
    store.close()


def test_fuzzy_completion_finds_recent_pages(tmp_path: Path) -> None:
    add_titles(tmp_path, *(f"Chapter {chr(97 + n)}" for n in range(20)))
    writer, reader = SuggestionStore(tmp_path, 100), SuggestionStore(tmp_path, 100)
    assert texts(reader.fuzzy_complete("perz", 9)) == []
    for id, title in enumerate(("Red pears", "Зелёный виноград"), 7):
        writer.add(page_suggestions(Document(URL, UrlId(id), title), PageLinks()))
    writer.commit(indexed_documents=1000)
    for typed in ("pezrs", "paers", "pers", "peears", "red pezr"):
        assert texts(reader.fuzzy_complete(typed, 9)) == ["Red pears"], typed
    assert texts(reader.fuzzy_complete("винагр", 9)) == ["Зелёный виноград"]
    assert texts(reader.fuzzy_complete("chaptre b", 9)) == ["Chapter b"]
    writer.remove([UrlId(7)])
    writer.commit(indexed_documents=1000)
    assert texts(reader.fuzzy_complete("paers", 9)) == []
    writer.close()
    reader.close()


def test_recent_suggestions_survive_a_crash(tmp_path: Path) -> None:
    add_titles(tmp_path, "Red apples")
    crashed = SuggestionStore(tmp_path, 100)
    crashed.add(page_suggestions(Document(URL, UrlId(7), "Red pears"), PageLinks()))
    crashed.commit(indexed_documents=1000)
    assert texts(SuggestionStore(tmp_path, 100).complete("red", 9)) == ["Red apples", "Red pears"]


def test_a_recent_page_is_suggested_without_its_site_name(tmp_path: Path) -> None:
    add_titles(tmp_path, "vec - Rust", "map - Rust", "set - Rust")
    with closing(SuggestionStore(tmp_path, 100)) as writer:
        writer.add(page_suggestions(Document(URL, UrlId(7), "box - Rust"), PageLinks()))
        writer.commit(indexed_documents=1000)
        assert texts(writer.complete("box", 9)) == ["box"]


LONG = ("Как установить программу на компьютер", "Как установить программу на телефон")


@pytest.mark.parametrize("among", [0, 1000], ids=["in the arrays", "beside them"])
def test_a_suggestion_matches_a_prefix_of_any_length(tmp_path: Path, among: int) -> None:
    add_titles(tmp_path, "Red apples")
    with closing(SuggestionStore(tmp_path, 100)) as writer:
        for n, title in enumerate(LONG, 7):
            writer.add(page_suggestions(Document(URL, UrlId(n), title), PageLinks()))
        writer.commit(among)
        for length in range(1, len(LONG[0])):
            assert LONG[0] in texts(writer.complete(LONG[0][:length], 9))
        assert texts(writer.complete(LONG[0], 9)) == [LONG[0]]
        assert texts(writer.complete(f"{LONG[0]} быстро", 9)) == []


def test_fuzzy_completion_must_match_the_rest_of_the_prefix(tmp_path: Path) -> None:
    add_titles(
        tmp_path, *LONG, "Installing PostgreSQL on Windows", "Installing PostgreSQL on Linux"
    )
    with closing(SuggestionStore(tmp_path, 100)) as reader:
        assert texts(reader.fuzzy_complete("как устновить программу на т", 9)) == [LONG[1]]
        assert texts(reader.fuzzy_complete("как устновить программу и т", 9)) == []
        for typed in ("instaling postgresql on win", "installingpostgresql on window"):
            assert texts(reader.fuzzy_complete(typed, 9)) == ["Installing PostgreSQL on Windows"]
        assert texts(reader.fuzzy_complete("installing postgresql on windmill", 9)) == []
