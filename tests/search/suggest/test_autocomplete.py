"""Autocomplete."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from pace import run_within

from byway.core.model import Document, Heading, Url, UrlId
from byway.core.ports import PageLinks
from byway.core.settings.schema import IndexSettings
from byway.index.sharded_index import ShardedIndex
from byway.search.rank.position_features import position_features
from byway.search.suggest.autocomplete import suggestions
from byway.storage.memory.search_index import MemorySearchIndex

TITLES = {
    1: "CREATE INDEX CONCURRENTLY",
    2: "Create a table",
    3: "Zürich in winter",
    4: "Ёлки и палки",
    5: "Installing PostgreSQL",
    6: "Create a table",
}


def document(id: int, title: str, host: str = "a.org") -> Document:
    url = Url(f"http://{host}/{id}")
    return Document(url, UrlId(id), title, f"{title} explained", headings=(Heading(1, title),))


AnyIndex = ShardedIndex | MemorySearchIndex


def titles_of(index: ShardedIndex, prefix: str, limit: int) -> list[str]:
    return [one.text for one in index.ports.suggestions.complete(prefix, limit)]


def filled(folder: Path, *titles: str) -> ShardedIndex:
    index = ShardedIndex(folder, IndexSettings(writer_memory_mb=15), position_features)
    index.add([document(id, title) for id, title in enumerate(titles, 1)])
    index.commit(1)
    return index


@pytest.fixture(params=["embedded", "memory"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyIndex]:
    made: AnyIndex = MemorySearchIndex(position_features)
    if request.param == "embedded":
        made = ShardedIndex(tmp_path, IndexSettings(writer_memory_mb=15), position_features)
    made.add([document(id, title) for id, title in TITLES.items()])
    made.commit(1)
    yield made
    if isinstance(made, ShardedIndex):
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
def test_a_title_is_completed_from_any_word(index: AnyIndex, typed: str, first: str) -> None:
    assert suggestions(index.ports, typed, 5)[0] == first


def test_a_title_of_more_pages_comes_first_and_once(index: AnyIndex) -> None:
    found = suggestions(index.ports, "create", 5)
    assert found[:2] == ["Create a table", "CREATE INDEX CONCURRENTLY"]


def test_a_space_completes_the_word_before_it(index: AnyIndex) -> None:
    assert suggestions(index.ports, "in", 5)[:2] == ["Installing PostgreSQL", "Zürich in winter"]
    assert suggestions(index.ports, "in ", 5) == ["Zürich in winter"]
    assert suggestions(index.ports, "create  a ", 5) == ["Create a table"]
    assert suggestions(index.ports, "creat ", 5) == []


@pytest.mark.parametrize(
    "typed", ["insatll", "instaling", "postgers", "nstall", "xnstall", "instalxing post", "postgr"]
)
def test_a_typo_in_the_last_word_is_tolerated(index: AnyIndex, typed: str) -> None:
    assert any("PostgreSQL" in one for one in suggestions(index.ports, typed, 5))


@pytest.mark.parametrize(
    "typed", ["craete i", "create idnex", "create ndex", "crxate ind", "reate i"]
)
def test_a_typo_in_any_word_is_tolerated(index: AnyIndex, typed: str) -> None:
    assert suggestions(index.ports, typed, 5) == ["CREATE INDEX CONCURRENTLY"]


def test_a_short_prefix_with_a_typo_is_not_completed_far(tmp_path: Path) -> None:
    titles = ("Neustart", "Der Neustart des Dienstes", "Lexis")
    with closing(filled(tmp_path, *titles)) as index:
        assert suggestions(index.ports, "nexus", 5) == []
        assert suggestions(index.ports, "nexust", 5)[0] == "Neustart"
        assert suggestions(index.ports, "lexxs", 5) == ["Lexis"]


ACCENTED = {
    1: "Den Schlüssel überwachen",
    2: "Schlüssel und Straße, ёлка",
    3: "Der Schluss, Ёлка; un café",
}


@pytest.mark.parametrize("backend", ["few", "many", "memory"])
@pytest.mark.parametrize("closed", [True, False])
def test_words_are_suggested_in_their_most_frequent_form(
    tmp_path: Path, backend: str, closed: bool
) -> None:
    made: AnyIndex = MemorySearchIndex(position_features)
    if backend != "memory":
        made = ShardedIndex(tmp_path, IndexSettings(writer_memory_mb=15), position_features)
    copies = 120 if backend == "many" else 1  # then they are analysed by compiled code
    each = [(3 * n + id, text) for n in range(copies) for id, text in ACCENTED.items()]
    made.add([replace(document(id, ""), text=text) for id, text in each])
    made.commit(1)
    if closed and isinstance(made, ShardedIndex):
        made.close()
    offered = {
        typed: set(suggestions(made.ports, typed, 5))
        for typed in ("uberw", "schlüs", "schlus", "stras", "елк", "caf")
    }
    if isinstance(made, ShardedIndex):
        made.close()
    assert offered == {
        "uberw": {"überwachen"},
        "schlüs": {"schlüssel"},  # Schluss is another word
        "schlus": {"schlüssel", "schluss"},
        "stras": {"straße"},
        "елк": {"ёлка"},
        "caf": {"café"},
    }


def test_rare_accents_are_not_suggested(tmp_path: Path) -> None:
    index = ShardedIndex(tmp_path, IndexSettings(writer_memory_mb=15), position_features)
    with closing(index):
        texts = ("the naïveté", "the naivete", "naivete", "naiveté")
        for id, text in enumerate(texts, 1):  # counted beside the file, and then into it
            index.add([replace(document(id, ""), text=text)])
            index.commit(id)
        assert suggestions(index.ports, "naiv", 5) == ["naivete"]
        index.close()
        assert suggestions(index.ports, "naiv", 5) == ["naivete"]


def test_chapter_numbers_are_not_suggested(tmp_path: Path) -> None:
    with closing(filled(tmp_path, "Chapter 43", "Section 4.2.13", "13.", "Chapters")) as index:
        assert suggestions(index.ports, "chap", 5) == ["Chapters"]
        assert "Section 4.2.13" not in suggestions(index.ports, "sect", 5)


def test_titles_with_the_prefix_come_before_titles_with_a_later_word(tmp_path: Path) -> None:
    titles = ("Monty Python", "Monty Python", "Python tutorial", "The Python language")
    with closing(filled(tmp_path, *titles)) as index:
        offered = suggestions(index.ports, "pyth", 5)
    assert offered[:3] == ["Python tutorial", "The Python language", "Monty Python"]


@pytest.mark.parametrize("typed", ["zeit", "neue ze", "std vec", "std::v", "whats", "c+", "mm5"])
def test_punctuation_does_not_prevent_completion(tmp_path: Path, typed: str) -> None:
    titles = ("Neue „Zeit“", "std::vector", "What’s new?", "Why C++", "_mm512_add")
    with closing(filled(tmp_path, *titles)) as index:
        assert len(suggestions(index.ports, typed, 5)) == 1


def test_variants_by_case_punctuation_or_number_are_suggested_once(tmp_path: Path) -> None:
    titles = ("Window function", "WINDOW-FUNCTION!", "Window functions", "3 Window functions")
    with closing(filled(tmp_path, *titles, "Universe", "University")) as index:
        assert len(suggestions(index.ports, "window", 5)) == 1
        assert suggestions(index.ports, "univers", 5) == ["Universe", "University"]


def test_titles_without_content_are_not_suggested(tmp_path: Path) -> None:
    titles = ("Table of Contents", "<no title>", "2024", "Inhaltsverzeichnis", "Tables")
    with closing(filled(tmp_path, *titles)) as index:
        assert titles_of(index, "ta", 5) == ["Tables"]
        assert not any(titles_of(index, typed, 5) for typed in ("no", "20", "inh"))


def test_the_name_of_the_site_is_not_suggested(tmp_path: Path) -> None:
    rust = [f"{name} in std - Rust" for name in ("vec", "map", "set", "box")]
    titles = (*rust, "Erlang -- Lists", "Python (language)", "Emacs - a manual")
    with closing(filled(tmp_path, *titles)) as index:
        assert titles_of(index, "vec", 5) == ["vec in std"]
        assert titles_of(index, "python", 5) == ["Python (language)"]
        assert titles_of(index, "emacs", 5) == ["Emacs - a manual"]


def test_titles_of_many_sites_come_before_repeated_titles_of_one(tmp_path: Path) -> None:
    with closing(
        ShardedIndex(tmp_path, IndexSettings(writer_memory_mb=15), position_features)
    ) as index:
        index.add([document(n, "Member list") for n in range(1, 30)])
        index.add([document(n, "Members and guests", f"{n}.org") for n in (30, 31)])
        index.commit(1)
        assert titles_of(index, "mem", 5) == ["Members and guests", "Member list"]


def test_words_are_combined_only_if_they_are_adjacent_on_a_page(tmp_path: Path) -> None:
    with closing(
        ShardedIndex(tmp_path, IndexSettings(writer_memory_mb=15), position_features)
    ) as index:
        text = "the docker composition, and einstein as well as a company of composers"
        index.add([replace(document(1, "Notes"), text=text)])
        index.commit(1)
        assert suggestions(index.ports, "docker com", 5) == ["docker composition"]
        assert suggestions(index.ports, "dockr com", 5) == ["docker composition"]


def test_the_last_word_is_completed_after_any_text(index: AnyIndex) -> None:
    assert "cheap concurrently" in suggestions(index.ports, "cheap concur", 5)


@pytest.mark.parametrize("typed", ["", " ", "'", "zzz", "\0", "\ud800", "x" * 5000, "((("])
def test_an_unknown_prefix_has_no_suggestions(index: AnyIndex, typed: str) -> None:
    assert suggestions(index.ports, typed, 5) == []


def test_a_removed_page_is_not_suggested(tmp_path: Path) -> None:
    with closing(
        ShardedIndex(tmp_path, IndexSettings(writer_memory_mb=15), position_features)
    ) as index:
        index.add([document(id, title) for id, title in TITLES.items()])
        index.commit(1)
        index.remove([UrlId(3)])
        index.add([document(5, "Renamed")])
        index.commit(2)
    with closing(
        ShardedIndex(tmp_path, IndexSettings(writer_memory_mb=15), position_features)
    ) as index:
        assert titles_of(index, "zur", 5) == []
        assert titles_of(index, "installing", 5) == []
        assert titles_of(index, "ren", 5) == ["Renamed"]


def test_anchor_texts_are_suggested(tmp_path: Path) -> None:
    with closing(
        ShardedIndex(tmp_path, IndexSettings(writer_memory_mb=15), position_features)
    ) as index:
        index.add([document(1, "Chapter 9")], {UrlId(1): PageLinks((("window functions", 7),))})
        index.commit(1)
        assert titles_of(index, "wind", 5) == ["window functions"]


@pytest.mark.alone
def test_suggestions_take_a_few_milliseconds_among_many_titles(tmp_path: Path) -> None:
    with closing(
        ShardedIndex(tmp_path, IndexSettings(writer_memory_mb=15), position_features)
    ) as index:
        index.add(document(n, f"part {n % 977} of chapter {n}") for n in range(1, 20_001))
        index.commit(1)
        suggestions(index.ports, "p", 10)
        typed = ("p", "pa", "chapter 19", "chaptre", "of chapter 7", "partt")
        given = run_within(
            0.02 * len(typed), lambda: [suggestions(index.ports, one, 10) for one in typed]
        )
        assert all(given)


@pytest.mark.parametrize("typed", ["neue", "neue ", "neue zeit"])
def test_variants_by_quotes_are_suggested_once_without_quotes(tmp_path: Path, typed: str) -> None:
    titles = ("Neue „Zeit“", "Neue „Zeit“", "Neue Zeit", "Neue „Zeit“ im «Glas»")
    with closing(
        ShardedIndex(tmp_path, IndexSettings(writer_memory_mb=15), position_features)
    ) as index:
        index.add([document(id, title) for id, title in enumerate(titles, 1)])
        index.commit(1)
        index.close()
        offered = suggestions(index.ports, typed, 5)
    assert offered[0] == "Neue Zeit" and "Neue „Zeit“" not in offered
    if typed != "neue zeit":
        assert offered[1] == "Neue „Zeit“ im «Glas»"
