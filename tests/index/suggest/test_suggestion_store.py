"""What may somebody be about to type?"""

import shutil
from contextlib import closing
from pathlib import Path
from zlib import crc32

import pytest

from byway.core.model import Document, UrlId
from byway.core.ports import PageLinks
from byway.core.url import normalize
from byway.index.suggest.suggestion_store import SuggestionStore

URL = normalize("http://a.org/")


def number(title: str) -> UrlId:
    return UrlId(crc32(title.encode()))


def called(folder: Path, *titles: str) -> None:
    phrases = SuggestionStore(folder, 100)
    for title in titles:
        phrases.add(Document(URL, number(title), title), PageLinks())
    phrases.commit()
    phrases.close()


def test_who_asks_between_the_writing_of_two_files_gets_what_there_is(tmp_path: Path) -> None:
    called(tmp_path, "Red apples")
    before = shutil.copy2(tmp_path / "suggestions.npy", tmp_path / "before")
    called(tmp_path, "Red bananas", "Red cherries")
    assert len(SuggestionStore(tmp_path, 100).complete("red", 9)) == 3
    shutil.copy2(before, tmp_path / "suggestions.npy")  # as it is until the second is written, too
    assert SuggestionStore(tmp_path, 100).complete("red", 9) == ["Red apples"]


def test_a_page_is_suggested_as_soon_as_it_is_committed_and_no_longer(tmp_path: Path) -> None:
    names = [f"Chapter {chr(97 + n)}" for n in range(20)]
    called(tmp_path, *names)
    written, asked = SuggestionStore(tmp_path, 100), SuggestionStore(tmp_path, 100)
    assert asked.complete("pears", 9) == []
    written.add(Document(URL, UrlId(7), "Red pears"), PageLinks())
    written.commit(indexed_documents=1000)
    assert asked.complete("pears", 9) == ["Red pears"]
    written.add(Document(URL, UrlId(7), "Green grapes"), PageLinks())
    written.commit(indexed_documents=1000)
    assert asked.complete("pears", 9) == []
    assert asked.complete("gre", 9) == ["Green grapes"]
    written.remove([UrlId(7), number(names[3])])
    written.commit(indexed_documents=1000)
    assert asked.complete("gr", 9) == []
    assert asked.complete("chapter d", 9) == []
    assert asked.complete("chapter e", 9) == ["Chapter e"]
    written.close()
    assert asked.complete("chapter d", 9) == []
    assert len(asked.complete("chapter", 30)) == 19
    asked.close()


def test_what_was_not_committed_before_it_was_closed_is_forgotten(tmp_path: Path) -> None:
    phrases = SuggestionStore(tmp_path, 100)
    phrases.add(Document(URL, UrlId(7), "Red pears"), PageLinks())
    phrases.close()
    phrases.add(Document(URL, UrlId(8), "Green grapes"), PageLinks())
    phrases.commit()
    assert phrases.complete("pears", 9) == []
    assert phrases.complete("grapes", 9) == ["Green grapes"]
    phrases.close()


def test_a_slip_is_forgiven_for_pages_that_have_just_come(tmp_path: Path) -> None:
    called(tmp_path, *(f"Chapter {chr(97 + n)}" for n in range(20)))
    written, asked = SuggestionStore(tmp_path, 100), SuggestionStore(tmp_path, 100)
    assert asked.fuzzy_complete("perz", 9) == []
    for id, title in enumerate(("Red pears", "Зелёный виноград"), 7):
        written.add(Document(URL, UrlId(id), title), PageLinks())
    written.commit(indexed_documents=1000)
    for slipped in ("pezrs", "paers", "pers", "peears", "red pezr"):
        assert asked.fuzzy_complete(slipped, 9) == ["Red pears"], slipped
    assert asked.fuzzy_complete("винагр", 9) == ["Зелёный виноград"]
    assert asked.fuzzy_complete("chaptre b", 9) == ["Chapter b"]
    written.remove([UrlId(7)])
    written.commit(indexed_documents=1000)
    assert asked.fuzzy_complete("paers", 9) == []
    written.close()
    asked.close()


def test_what_was_shown_when_the_process_died_is_shown_still(tmp_path: Path) -> None:
    called(tmp_path, "Red apples")
    dying = SuggestionStore(tmp_path, 100)
    dying.add(Document(URL, UrlId(7), "Red pears"), PageLinks())
    dying.commit(indexed_documents=1000)
    assert SuggestionStore(tmp_path, 100).complete("red", 9) == ["Red apples", "Red pears"]


def test_a_new_page_of_a_known_site_is_called_without_its_name(tmp_path: Path) -> None:
    called(tmp_path, "vec - Rust", "map - Rust", "set - Rust")
    with closing(SuggestionStore(tmp_path, 100)) as written:
        written.add(Document(URL, UrlId(7), "box - Rust"), PageLinks())
        written.commit(indexed_documents=1000)
        assert written.complete("box", 9) == ["box"]


LONG = ("Как установить программу на компьютер", "Как установить программу на телефон")


@pytest.mark.parametrize("among", [0, 1000], ids=["in the arrays", "beside them"])
def test_a_phrase_is_suggested_however_much_of_it_is_typed(tmp_path: Path, among: int) -> None:
    called(tmp_path, "Red apples")
    with closing(SuggestionStore(tmp_path, 100)) as written:
        for n, title in enumerate(LONG, 7):
            written.add(Document(URL, UrlId(n), title), PageLinks())
        written.commit(among)
        for length in range(1, len(LONG[0])):
            assert LONG[0] in written.complete(LONG[0][:length], 9)
        assert written.complete(LONG[0], 9) == [LONG[0]]
        assert written.complete(f"{LONG[0]} быстро", 9) == []


def test_a_slip_is_forgiven_and_what_stands_behind_it_must_be_there(tmp_path: Path) -> None:
    called(tmp_path, *LONG, "Installing PostgreSQL on Windows", "Installing PostgreSQL on Linux")
    with closing(SuggestionStore(tmp_path, 100)) as asked:
        assert asked.fuzzy_complete("как устновить программу на т", 9) == [LONG[1]]
        assert asked.fuzzy_complete("как устновить программу и т", 9) == []
        for typed in ("instaling postgresql on win", "installingpostgresql on window"):
            assert asked.fuzzy_complete(typed, 9) == ["Installing PostgreSQL on Windows"]
        assert asked.fuzzy_complete("installing postgresql on windmill", 9) == []
